"""Regret in the chain X1 -> … -> XN -> Y, where every variable copies the one before it."""

from __future__ import annotations

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title
from bestdo.simulate import chain

__all__ = ["experiment"]


def experiment() -> Experiment:
    """Regret against the horizon.

    Rounds of do() show one value of each variable only; the design of Algorithm 2 plays the one action that shows the
    other values of all of them.
    """
    variables, epsilon = 20, 0.1
    world = chain(variables, epsilon=epsilon)
    settings = [Setting(t, world, t, given={"epsilon": epsilon}) for t in (10, 20, 40, 60, 80, 120, 160, 200)]
    return Experiment(
        name="chain",
        title="In a chain, one action teaches about all others",
        x_label="T, the number of rounds",
        settings=tuple(settings),
        learners=by_title("algorithm-2", "successive-rejects", "sequential-halving", "uniform"),
        caption=f"{variables} variables, each a copy of the one before; gap {2 * epsilon:g}",
    )
