"""The belief about the actions' means, given the sums of all rounds so far."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.bandit.confidence import TAIL
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally

__all__ = ["DRAWS", "Belief", "best_among", "best_within", "summed_up"]


DRAWS = 1000
"""The number of joint draws behind intervals and probabilities of being best."""
_OUTSIDE = TAIL / 2
"""Share of the draws below an interval, and above it. Half of its tail, because worlds are not drawn from the prior: so
95 % intervals hold in 92 % or more on each of fifteen hard classes of worlds (`tests/learners/test_hard_intervals.py`)."""


class Belief(Protocol):
    """A posterior of the actions' means. It belongs to a problem, and is a function of the sums alone.

    Everything has a leading axis of lanes. A learner chooses the belief once, for its problem.
    """

    @property
    def statistic(self) -> Statistic:
        """The statistic whose sums it is a function of."""
        ...

    @property
    def shares_all(self) -> bool:
        """Whether every round teaches about every action."""
        ...

    def counted(self, tally: Tally) -> Floats:  # float[L, A]
        """The rounds that are as good as a round of each action by the graph, its plays included."""
        ...

    def mean(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior means. `played` (float[L, A]) is how often each action was played so far."""
        ...

    def information_gain(
        self,
        tally: Tally,
        played: Floats,
        pairs: int,
        rng: np.random.Generator,
        among: Bools | None = None,
        of: Bools | None = None,
    ) -> Floats:  # float[L, A]
        """The information gain of a round of each action: the expected share of the variance of differences removed.

        The differences are those of the means of the best and the second best contender in so many joint draws of all means;
        their shares are summed. With `among` (bool[A]) these are taken in place of the contenders. With `of` (bool[A]) it is
        wanted for some actions alone, and may be anything for the others.
        """
        ...

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A joint draw of all means in each lane."""
        ...

    def drawn(self, tally: Tally, played: Floats, lane: int, draws: int) -> Floats:  # float[D, A]
        """Joint draws of all means in one lane, the same for the same sums."""
        ...

    def estimates(self, tally: Tally, played: Floats) -> Estimates:
        """Means and 95 % intervals; with `joint`, from draws under a fixed seed, where the actions' means depend."""
        ...


def summed_up(
    drawn: Floats, contenders: Bools
) -> tuple[Floats, Floats, Floats, Floats]:  # float[D, A] -> float[A] each
    """The two ends of the 95 % interval of each action, its variance, and how often it is the best contender (bool[A]).

    Equals share.
    """
    low, high = np.quantile(drawn, (_OUTSIDE, 1 - _OUTSIDE), axis=0)
    return low, high, drawn.var(axis=0), best_among(drawn, contenders)


def best_among(drawn: Floats, contenders: Bools) -> Floats:  # float[A]
    """The share of draws of the means (float[D, A]) in which each action is the best contender (bool[A]). Equals share."""
    best = (drawn >= drawn[:, contenders].max(axis=1, keepdims=True) - 1e-12) & contenders
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))


def best_within(drawn: Floats, keeps: Floats, rng: np.random.Generator) -> Floats:  # float[A]
    """The share of draws of the means (float[D, A]) in which each action is the best of those that keep all limits.

    Each keeps them in a draw with its probability (float[A]), as if that were independent of the means. Equals share.
    """
    within = np.where(rng.random(drawn.shape) < keeps, drawn, -np.inf)
    most = within.max(axis=1, keepdims=True)
    best = (within == most) & np.isfinite(most)
    return np.asarray((best / np.maximum(best.sum(axis=1, keepdims=True), 1)).mean(axis=0))
