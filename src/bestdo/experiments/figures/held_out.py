"""Forty parallel worlds drawn at random, on which no number of any learner was chosen."""

from __future__ import annotations

from functools import partial

import numpy as np

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.experiments.engine.problem_means import averaged
from bestdo.learners import by_title, title
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import World, parallel

__all__ = ["drawn", "experiment"]


def experiment() -> Experiment:
    """As many rounds as 1, 2, 4 and 8 times the number of actions; by how often the best action is seen in watching."""
    settings = []
    for i in range(40):
        q, world = drawn(i)
        panel = "the best action is never seen" if q[0] == 0 else "the best action is seen now and then"
        actions = len(world.problem.actions)
        settings += [Setting(k, world, k * actions, panel=panel, given={"problem": i + 1}) for k in (1, 2, 4, 8)]
    return Experiment(
        name="held-out",
        title="On worlds that nothing was tuned on",
        x_label="rounds for each action",
        settings=tuple(settings),
        learners={
            title("causal-top-two"): CausalTopTwo(law=False),
            **by_title("algorithm-1", "algorithm-2", "successive-rejects", "sequential-halving"),
        },
        caption="40 random parallel worlds of 10 to 60 variables, gap 0.15 to 0.35; Algorithm 2 knows q, the others do not",
        log_x=True,
        summary=partial(averaged, together="all forty"),
    )


def drawn(i: int) -> tuple[list[float], World]:
    """P(X = 1) of every variable, some of them 0, and the world in which the first one matters."""
    rng = np.random.default_rng([2018, i])
    never, variables = rng.random(), int(rng.integers(10, 61))
    q = [0.0 if rng.random() < never else float(rng.uniform(0.02, 0.5)) for _ in range(variables)]
    return q, parallel(q, float(rng.uniform(0.15, 0.35)))
