"""Functions that learners share for which a round of do() is a side observation of every action whose values occurred."""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.bandit.problem import Problem
from bestdo.causal.action import do
from bestdo.design.handmade import natural_chances
from bestdo.errors import NotValid
from bestdo.learners.count_state import Counts
from bestdo.statistics.seen import Seen

__all__ = ["chances_of_seeing", "index_of_watching", "playable", "require_watching", "seen_statistic"]


def seen_statistic(problem: Problem, horizon: float) -> Seen:
    """Counts of rounds in which each action was seen or played, and the rewards."""
    return Seen(problem)


def require_watching(problem: Problem, who: str) -> None:
    """Raises NotValid unless seeing is as good as doing for every action, and do() can be played."""
    Seen(problem).require(who)
    if do() not in problem.actions:
        raise NotValid(
            f"{who} learns by watching, and the problem does not allow the action do(): take ucb or thompson"
        )


def index_of_watching(problem: Problem) -> int:
    """The index of do()."""
    return problem.actions.index(do())


def playable(problem: Problem) -> Bools:  # bool[A]
    """The actions that can be the best, and do(), which teaches about others."""
    return np.asarray(problem.contenders | (np.arange(len(problem.actions)) == index_of_watching(problem)))


def chances_of_seeing(counts: Counts) -> Floats:  # float[L, A]
    """The chance that a round of do() shows each action: by the law where it is known, else the share of the rounds so far.

    The share has one round more in which it was seen, so that it is never 0, and one in which it was not. `counts` are those
    of `Seen`, in which own plays count too.
    """
    problem, watching = counts.problem, index_of_watching(counts.problem)
    try:
        return np.broadcast_to(natural_chances(problem), counts.played.shape)
    except NotValid:
        watched = np.maximum(counts.tally.weight[:, [watching]], 0)
        share = (np.maximum(counts.tally.weight - counts.played, 0) + 1) / (watched + 2)
        share = np.minimum(share, 1.0)
        share[:, watching] = 1.0
        return np.asarray(share)
