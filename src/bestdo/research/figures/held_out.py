"""Regret on forty random parallel worlds on which no parameter of any learner was tuned."""

from __future__ import annotations

from functools import partial

import numpy as np

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.experiments.engine.problem_means import problem_means
from bestdo.learners import by_title, title
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import World, parallel

__all__ = ["experiment", "random_world"]


def experiment() -> Experiment:
    """Horizons of 1, 2, 4 and 8 rounds for each action; a panel for worlds in which do() never shows the best action."""
    settings = []
    for i in range(40):
        q, world = random_world(i)
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
        summary=partial(problem_means, overall="all forty"),
    )


def random_world(i: int) -> tuple[list[float], World]:
    """P(X = 1) of every variable, some of them 0, and the parallel world with these, in which the first one matters."""
    rng = np.random.default_rng([2018, i])
    never, variables = rng.random(), int(rng.integers(10, 61))
    q = [0.0 if rng.random() < never else float(rng.uniform(0.02, 0.5)) for _ in range(variables)]
    return q, parallel(q, float(rng.uniform(0.15, 0.35)))
