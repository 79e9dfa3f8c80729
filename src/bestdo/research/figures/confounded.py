"""Regret on the confounded graph Z -> X1, …, X5 -> Y, on which seeing is not doing."""

from __future__ import annotations

from dataclasses import replace

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title
from bestdo.learners.algorithm_2 import GeneralAlgorithm
from bestdo.simulate import confounded

__all__ = ["experiment"]


def experiment() -> Experiment:
    """Regret against the horizon of three variants of Algorithm 2 and of learners that do not know the graph."""
    world = confounded(given_0=[0.1, 0.1, 0.4, 0.4, 0.4], given_1=[0.3, 0.3, 0.7, 0.7, 0.7], z=0.2)
    plain = GeneralAlgorithm()
    return Experiment(
        name="confounded",
        title="With a common cause, Algorithm 2 still shares what it sees",
        x_label="T, the number of rounds",
        settings=tuple(Setting(t, world, t) for t in (10, 20, 40, 60, 80, 120, 160, 200)),
        learners={
            "Algorithm 2": plain,
            "Algorithm 2, plug-in": replace(plain, estimator="plug-in"),
            **by_title("algorithm-2-as-in-paper", "successive-rejects", "sequential-halving", "uniform"),
        },
        caption=f"Z causes X1 to X5, which cause Y; {len(world.problem.actions)} actions",
    )
