"""Estimates of the actions' means: point estimates, intervals and the probability of being best."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, Intervention

__all__ = [
    "Estimate",
    "Estimates",
    "best_of_betas",
    "best_of_independent",
    "from_beta",
    "from_counts",
    "from_ratio",
    "from_weights",
    "in_unit",
    "of_each",
]

Floats = NDArray[np.float64]
_Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution, for intervals of 95 %
_TAIL = 0.025  # the probability on each side of an interval of 95 %
# Intervals of the quadrature of P(best). For 2 to 101 actions its largest error was 6e-5 with 256 of them, 3e-4 with
# 128 and 2e-5 with 512, against 4,096 or more; 20 actions take 1 ms. The time is in proportion.
_NODES = 256
_REACH = 6  # standard deviations around a mean beyond which a density counts as 0
_NEAR_0 = 1e-6  # the least mean, distance of a mean from 1, and standard deviation that a Beta variable is given
# The largest standard deviation of a Beta variable, as a share of that of a variable that is 0 or 1, which no Beta has.
_MOST_SPREAD = 0.999
_LOG_0 = -1e3  # in place of the logarithm of 0: exp of it is 0, and sums of it stay finite
_LEAST_ROUNDS = 1e-9  # in place of 0 rounds, to divide by


class Estimates(NamedTuple):
    """Estimates for each lane and action; the mean is NaN where nothing is known.

    The action that a learner recommends has the highest mean of those that it has not dropped.
    """

    mean: Floats
    """float[L, A]: the means by which the learner recommends."""
    low: Floats
    """float[L, A]: the lower end of a 95 % interval."""
    high: Floats
    """float[L, A]: its upper end."""
    played: Floats
    """float[L, A]: how often the action was played."""
    seen: Floats
    """float[L, A]: how many rounds tell about it, its plays included."""
    joint: Floats | None = None
    """float[L, A]: how often each action is best in joint draws of a learner's own posterior, where it has one."""
    worth: Floats | None = None
    """float[L, A]: where the posterior of each action is a Beta with this mean, how many rounds it is worth."""
    dropped: NDArray[np.bool_] | None = None
    """bool[L, A]: the actions that the learner no longer considers, and so does not recommend whatever their means are."""
    contenders: NDArray[np.bool_] | None = None
    """bool[A]: which actions can be the best by the graph (`Problem.contenders`); None: all."""

    @property
    def p_best(self) -> Floats:  # float[L, A]
        """The probability that each action is the best: by the learner's joint draws, or as if all were independent.

        Then it is what the intervals say, and where the posteriors are known the average of that and of what these say:
        alone, posteriors say too much where a study is short, and intervals too little where few actions differ. An action
        that cannot be the best has no share.
        """
        if self.joint is not None:
            return self.joint
        among = slice(None) if self.contenders is None else self.contenders
        chance = np.zeros(self.mean.shape)
        chance[:, among] = best_of_independent(self.low[:, among], self.high[:, among])
        if self.worth is not None:
            good, bad = self.mean * self.worth, (1 - self.mean) * self.worth
            chance[:, among] = (chance[:, among] + best_of_betas(good[:, among], bad[:, among])) / 2
        return chance


class Estimate(NamedTuple):
    """The estimate of one action."""

    action: Intervention
    mean: float
    low: float
    high: float
    p_best: float
    played: int
    seen: float
    dropped: bool = False
    """Whether the learner no longer considers it."""
    contender: bool = True
    """Whether it can be the best by the graph."""

    @property
    def known(self) -> bool:
        """Whether anything is known of the action's mean."""
        return not math.isnan(self.mean)


def in_unit(found: Estimates, actions: Actions) -> tuple[Floats, Floats, Floats]:  # float[L, A] each
    """The means and both ends of their intervals, as learners have them, in the unit of the reward."""
    worst, best = actions.graph.span
    mean, low, high = (worst + part * (best - worst) for part in (found.mean, found.low, found.high))
    return (mean, low, high) if best > worst else (mean, high, low)


def of_each(found: Estimates, actions: Actions) -> list[Estimate]:
    """The estimates of the first lane as a list with one entry per action, in the unit of the reward."""
    contenders = np.ones(len(actions), bool) if found.contenders is None else found.contenders
    dropped = contenders & (False if found.dropped is None else found.dropped)
    parts = (*in_unit(found, actions), found.p_best, found.played.astype(np.int64), found.seen, dropped)
    rows = zip(
        actions, *(np.broadcast_to(part, found.mean.shape)[0].tolist() for part in (*parts, contenders)), strict=True
    )
    return [Estimate(*row) for row in rows]


def from_counts(tally: Tally, played: Floats) -> Estimates:
    """Estimates from counts: means with Wilson's interval (0 to 1 where nothing was counted)."""
    n, s = tally.weight, tally.reward
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = s / n
    return Estimates(mean, *_wilson(n, s), played, n)


def from_beta(good: Floats, rounds: Floats, played: Floats, seen: Floats) -> Estimates:
    """Estimates of independent Beta posteriors with so many successes in so many rounds, those of the prior included."""
    from scipy.special import betaincinv

    mean = good / rounds
    low, high = (betaincinv(good, rounds - good, end) for end in (_TAIL, 1 - _TAIL))  # very skewed: beside the mean
    return Estimates(mean, np.minimum(low, mean), np.maximum(high, mean), played, seen, worth=rounds)


def from_ratio(tally: Tally, played: Floats) -> Estimates:
    """Estimates from weighted sums: means reward / weight, with Wilson's interval for the effective number of rounds."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = tally.reward / tally.weight
        worth = np.nan_to_num(tally.weight**2 / tally.weight2)  # Kish's effective sample size
    return Estimates(mean, *_wilson(worth, np.nan_to_num(mean) * worth), played, worth)


def _wilson(n: Floats, s: Floats) -> tuple[Floats, Floats]:
    """Both ends of Wilson's 95 % interval for s successes in n rounds; 0 and 1 where n is 0."""
    centre = (s + _Z**2 / 2) / (n + _Z**2)
    half = _Z / (n + _Z**2) * np.sqrt(np.maximum(s * (n - s), 0) / np.maximum(n, _LEAST_ROUNDS) + _Z**2 / 4)
    return np.where(n > 0, np.clip(centre - half, 0, 1), 0.0), np.where(n > 0, np.clip(centre + half, 0, 1), 1.0)


def from_weights(mean: Floats, variance: Floats, unknown: Floats, played: Floats, seen: Floats) -> Estimates:
    """Estimates with normal intervals, cut to [0, 1]; `unknown` is added on both sides.

    `unknown` is the probability, under the action, of states whose mean reward is not known and may be anything from 0 to 1.
    """
    half = _Z * np.sqrt(np.maximum(variance, 0))
    low, high = np.clip(mean - half - unknown, 0, 1), np.clip(mean + half + unknown, 0, 1)
    return Estimates(mean, np.where(np.isnan(low), 0, low), np.where(np.isnan(high), 1, high), played, seen)


def best_of_independent(low: Floats, high: Floats) -> Floats:  # float[L, A]
    """The probability that each action is the best, from the 95 % intervals of the means alone.

    Each mean is taken as a Beta variable with the middle of the interval as its mean and a quarter of its length (to be
    exact, 1 / 3.92) as its standard deviation, all of them independent. Then P(a is best) is the integral of a's density
    times the others' distribution functions: by quadrature, so the same data always give the same answer.
    """
    middle = np.clip((low + high) / 2, _NEAR_0, 1 - _NEAR_0)
    spread = np.clip((high - low) / (2 * _Z), _NEAR_0, _MOST_SPREAD * np.sqrt(middle * (1 - middle)))
    worth = middle * (1 - middle) / spread**2 - 1
    return best_of_betas(middle * worth, (1 - middle) * worth)


def best_of_betas(good: Floats, bad: Floats) -> Floats:  # float[L, A]
    """The probability that each of independent Beta variables, given by their two parameters, is the largest."""
    from scipy.special import betainc

    middle = good / (good + bad)
    spread = np.sqrt(middle * (1 - middle) / (good + bad + 1))
    first = np.max(np.maximum(middle - _REACH * spread, 0), axis=1)  # the largest mean is certainly above this
    last = np.max(np.minimum(middle + _REACH * spread, 1), axis=1)
    edges = first[:, None] + (last - first)[:, None] * np.linspace(0, 1, _NODES + 1)
    below = betainc(good[..., None], bad[..., None], edges[:, None, :])  # float[L, A, nodes + 1]
    between = np.sqrt(below[..., 1:] * below[..., :-1])
    with np.errstate(divide="ignore"):
        logs = np.log(between)
    others = np.exp(np.where(np.isfinite(logs), logs, _LOG_0).sum(axis=1, keepdims=True) - np.maximum(logs, _LOG_0))
    chance = (np.diff(below, axis=-1) * others).sum(axis=-1)
    total = chance.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, chance / np.where(total > 0, total, 1), 1 / middle.shape[1]))
