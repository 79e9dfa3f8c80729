"""Figure 2 (a) of the paper again, for every m, with causal top-two, which does not know q, beside all others."""

from __future__ import annotations

from typing import Any

from bestdo.bandit.learner import Learner
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title, title
from bestdo.learners.algorithm_2 import GeneralAlgorithm
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import paper_parallel

__all__ = ["experiment", "learners"]

_SLOW = {
    title("top-two"): frozenset({2, *range(10, 51, 10)}),
    title("ucb-plus"): frozenset({2, 4, 6, 8, *range(10, 51, 5)}),
}
"""Learners that take long, each with the m at which it is played."""


def learners() -> dict[str, Learner[Any]]:
    """Causal top-two without the law, and the learners it is compared with; Algorithm 2 in its best variants.

    Of the learners that can play knowing no more than the graph, those that are the best somewhere are here.
    """
    return {
        title("causal-top-two"): CausalTopTwo(law=False),
        **by_title("algorithm-1", "algorithm-2"),
        "Algorithm 2, divided by rounds": GeneralAlgorithm(estimator="importance"),
        **by_title("algorithm-2-as-in-authors-code", "successive-rejects", "sequential-halving", "top-two"),
        **by_title("watch-then-act", "ucb-plus"),
    }


def experiment() -> Experiment:
    """Regret for every m from 2 to 50.

    Two learners take long and are played at some m only: top-two, whose regret does not depend on m, and UCB+.
    """
    variables, horizon, epsilon = 50, 400, 0.3
    settings = [
        Setting(
            m,
            paper_parallel(variables, m, epsilon),
            horizon,
            given={"m": m, "epsilon": epsilon},
            left_out=frozenset(slow for slow, at in _SLOW.items() if m not in at),
        )
        for m in range(2, variables + 1)
    ]
    return Experiment(
        name="beyond-m",
        title="Causal top-two, which is not told q",
        x_label="m, the number of variables that watching teaches nothing about",
        settings=tuple(settings),
        learners=learners(),
        caption=f"{variables} variables, {horizon} rounds, gap {epsilon}; Algorithm 2 knows q, the others do not",
    )
