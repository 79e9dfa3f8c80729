"""The belief about the actions' means, given the sums of all rounds so far."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.confidence import TAIL
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally

__all__ = ["DRAWS", "Belief", "Question", "best_among", "best_within", "summed_up"]


DRAWS = 1000
"""The number of joint draws behind intervals and probabilities of being best."""
_OUTSIDE = TAIL / 2
"""Share of the draws below an interval, and above it. Half of its tail, because worlds are not drawn from the prior: so
95 % intervals hold in 92 % or more on each of fifteen hard classes of worlds (`tests/learners/test_hard_intervals.py`)."""


class Question(NamedTuple):
    """The question of which action is the best, by whose differences a round is rated.

    The differences are those of the means of the best and the second best contender in so many joint draws of all means.
    """

    pairs: int
    """The number of draws."""
    among: Bools | None = None
    """bool[A]: the actions in place of the contenders."""
    of: Bools | None = None
    """bool[A]: the actions whose rounds are rated; for the others anything may be answered."""


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
        self, tally: Tally, played: Floats, asked: Question, rng: np.random.Generator
    ) -> Floats:  # float[L, A]
        """The information gain of a round of each action: the expected share of the variance of differences removed.

        Their shares are summed over the pairs of the question.
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


_LEGENDRE = np.polynomial.legendre.leggauss(8)
_NODES, _WEIGHTS = (1 + _LEGENDRE[0]) / 2, _LEGENDRE[1] / 2
"""Nodes and weights of integrals from 0 to 1, exact where up to sixteen means are equal."""


def best_within(drawn: Floats, keeps: Floats) -> Floats:  # float[A]
    """The share of draws of the means (float[D, A]) in which each action is the best of those that keep all limits.

    Each keeps them with its probability (float[A]), as if that were independent of the means: of the actions in their order
    in a draw, one is the best if it keeps them and all before it do not. Equals share: among those of one mean an action
    is as good as drawn at a uniform time before the others that keep the limits, and the integral is over that time.
    """
    place = np.argsort(-drawn, axis=1, kind="stable")
    value, keep = np.take_along_axis(drawn, place, axis=1), np.minimum(keeps[place], 1 - 1e-15)
    column = np.broadcast_to(np.arange(value.shape[1]), value.shape)
    new = np.ones(value.shape, bool)
    new[:, 1:] = value[:, 1:] != value[:, :-1]
    start = np.maximum.accumulate(np.where(new, column, 0), axis=1)
    last = np.ones(value.shape, bool)
    last[:, :-1] = new[:, 1:]
    end = np.minimum.accumulate(np.where(last, column, value.shape[1])[:, ::-1], axis=1)[:, ::-1] + 1
    none = _before(np.log1p(-keep), start)  # the logarithm of the chance that nothing better keeps them
    share = np.zeros(value.shape)
    for t, weight in zip(_NODES, _WEIGHTS, strict=True):
        apart = np.log1p(-keep * (1 - t))
        share += weight * np.exp(none + _before(apart, end) - _before(apart, start) - apart)
    best = np.zeros(value.shape)
    np.put_along_axis(best, place, keep * share, axis=1)
    return np.asarray(best.mean(axis=0))


def _before(values: Floats, place: Ints) -> Floats:  # float[D, A]
    """The sums of the values (float[D, A]) before a place of each row (int[D, A])."""
    sums = np.concatenate([np.zeros((len(values), 1)), values.cumsum(axis=1)], axis=1)
    return np.asarray(np.take_along_axis(sums, place, axis=1))
