"""A useful round between two phases of a learner: for whoever asks while the last results of a phase are still to come."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.statistic import Summing, rests_on_graph, weighs_by_design
from bestdo.causal.action import do
from bestdo.learners.game import Game
from bestdo.memory_cache import memory_cache
from bestdo.statistics.seen import Seen

__all__ = ["useful_round"]


def useful_round(game: Game, statistic: Summing, state: Any) -> NDArray[np.int64]:  # int[L]
    """Watching, where the learner learns about several actions from it; otherwise the action that looks best.

    -1 where no other round may be added: the learner weighs rounds by the design that they are drawn from.
    """
    best = game.best(state)
    if weighs_by_design(statistic):
        return np.full(len(best), -1)
    if rests_on_graph(statistic) and _watching_teaches(statistic.problem):
        return np.full(len(best), statistic.problem.actions.index(do()))
    return best


@memory_cache
def _watching_teaches(problem: Problem) -> bool:
    """Whether a round of do() counts for another action as well."""
    can_watch = do() in problem.actions and do() not in problem.retired and not problem.limits.always
    return can_watch and bool(Seen(problem).seen_by[problem.actions.index(do())].sum() > 1)
