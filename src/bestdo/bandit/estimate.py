"""Estimates of the actions' means: point estimates, intervals and the probability of being best."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import bestdo.display as display
from bestdo.arrays import Floats
from bestdo.bandit.confidence import SHOWN, TAIL, Level, Z
from bestdo.bandit.limits import NO_LIMITS, Limits
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.context_words import FOR_EVERYBODY, ContextWords
from bestdo.causal.graph import Graph
from bestdo.text import chance, counted, with_interval

__all__ = [
    "Estimate",
    "Estimates",
    "best_of_betas",
    "best_of_independent",
    "best_of_normals",
    "chances_of_largest",
    "deviations",
    "from_beta",
    "from_weights",
    "guessed",
    "in_unit",
    "of_each",
    "quantile",
    "variance_of_rounds",
]

# Intervals of the quadrature of P(best). For 2 to 101 actions its largest error was 6e-5 with 256 of them, 3e-4 with
# 128 and 2e-5 with 512, against 4,096 or more; 20 actions take 1 ms. The time is in proportion.
_NODES = 256
_REACH = 6  # standard deviations around a mean beyond which a density counts as 0
_NEAR_0 = 1e-6  # the least mean, distance of a mean from 1, and standard deviation that a Beta variable is given
# The largest standard deviation of a Beta variable, as a share of that of a variable that is 0 or 1, which no Beta has.
_MOST_SPREAD = 0.999
_LOG_0 = -1e3  # in place of the logarithm of 0: exp of it is 0, and sums of it stay finite
_MOST_VARIANCE = 0.25  # of a reward between 0 and 1, and of one whose spread is stated (`Graph.span`)
# How many rounds all cells together count for the variance of one cell, beside its own rounds. With 4, 6, 10 and 20 the
# interval of 12 rounds of a cell with three times the spread of the others held in 92, 90, 87 and 82 %, and those of skewed
# rewards in 98.0, 97.9, 97.4 and 96.6 % (docs/explanation/learners.md, "Rewards that are numbers").
_POOLED_ROUNDS = 6
_SAME = 1e-12  # a variance below this share of the mean square is a rounding error: all rewards were the same
_KEEPS = np.ones((1, 1))  # without limits every action keeps them
_KEEPS.setflags(write=False)
_MOST_DEGREES = 1e9  # of freedom: Student's distribution is then the normal one


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
    bounded: bool = True
    """Whether means lie between 0 and 1; otherwise the interval of a mean of which nothing is known is infinite."""
    keeps: Floats = _KEEPS
    """float[L, A]: the probability that each action keeps all limits of the problem; float[1, 1], a 1, where it has none."""
    limits: Limits = NO_LIMITS
    """The limits of the problem."""
    actions: Actions | None = None
    """The actions, in the estimates of a study; None in those of a learner, which numbers them only."""
    best: int | None = None
    """The number of the recommended action, in the estimates of a study; with contexts that of the best single one."""
    words: ContextWords = FOR_EVERYBODY
    """Words that depend on whether the study recommends an action or a rule."""
    retired: tuple[Intervention, ...] = ()
    """The actions that are retired, in the estimates of a study."""

    def __repr__(self) -> str:
        lanes, count = self.mean.shape
        if self.actions is None or self.best is None:
            return f"Estimates({counted(count, 'action')}, {counted(lanes, 'lane')})"
        one = of_each(self, self.actions)[self.best]
        return f"Estimates({counted(count, 'action')}; {self.words.single}{one.in_words})"

    def _repr_html_(self) -> str:
        return display.html(self)

    def plot(self) -> Any:
        """The intervals as a matplotlib figure, that of the recommended action first."""
        return display.plot(self)

    def to_frame(self, library: str | None = None) -> Any:
        """A row for each action, as a data frame of pandas or Polars; see `bestdo.display.to_frame`."""
        return display.to_frame(self, library)

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
        independent = best_of_independent if self.bounded else best_of_normals
        chance[:, among] = independent(self.low[:, among], self.high[:, among])
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
    """Whether the learner no longer considers the action."""
    contender: bool = True
    """Whether the action can be the best by the graph."""
    keeps: float = 1.0
    """The probability that it keeps all limits; 1 where there are none."""
    limits: Limits = NO_LIMITS
    """The limits of the problem."""
    retired: bool = False
    """Whether it is neither played nor recommended any more."""

    def standing(self, written: Callable[[float], str] = chance) -> str:
        """The probability that it is the best, as `written` writes it; or, in words, why there is none."""
        return written(self.p_best) if self.contender else "retired" if self.retired else "cannot be the best"

    @property
    def known(self) -> bool:
        """Whether anything is known of the action's mean."""
        return not math.isnan(self.mean)

    def as_data(self) -> dict[str, Any]:
        """The estimate as data for JSON; null where nothing is known."""
        numbers = {"mean": self.mean, "low": self.low, "high": self.high, "p_best": self.p_best, "seen": self.seen}
        known = {name: number if math.isfinite(number) else None for name, number in numbers.items()}
        keeps = self.limits.fields({"keeps_limits": self.keeps})
        own = {"action": str(self.action), "set": dict(self.action.items()), **known, "played": self.played, **keeps}
        retired = {"retired": True} if self.retired else {}
        return {**own, "dropped": self.dropped, "can_be_best": self.contender, **retired}

    @classmethod
    def of_data(cls, data: Mapping[str, Any], limits: Limits = NO_LIMITS) -> Estimate:
        """The estimate of a problem with these limits from what `as_data` returned."""
        mean, low, high, p_best, seen = (
            math.nan if data[k] is None else float(data[k]) for k in ("mean", "low", "high", "p_best", "seen")
        )
        race = data["dropped"], data["can_be_best"], data.get("keeps_limits", 1.0), limits, "retired" in data
        return cls(Intervention.parse(data["action"]), mean, low, high, p_best, data["played"], seen, *race)

    @property
    def in_words(self) -> str:
        """The action with its mean and 95 % interval, for one line."""
        return f"{self.action}: {with_interval(self.mean, self.low, self.high)}" if self.known else f"{self.action}"

    def __repr__(self) -> str:
        return f"Estimate({self.in_words}; P(best) {chance(self.p_best)}, played {self.played}, seen {self.seen:.0f})"


def in_unit(found: Estimates, actions: Actions) -> tuple[Floats, Floats, Floats]:  # float[L, A] each
    """The means and both ends of their intervals, as learners have them, in the unit of the reward.

    An interval ends where the reward does, also where it has a bound on one side only.
    """
    worst, best = actions.graph.span
    mean, low, high = (worst + part * (best - worst) for part in (found.mean, found.low, found.high))
    if best < worst:
        low, high = high, low
    least, most = actions.graph.rewarded.ends
    low = np.where(np.isfinite(low) & (low < least), np.fmin(least, mean), low)
    high = np.where(np.isfinite(high) & (high > most), np.fmax(most, mean), high)
    return mean, low, high


def guessed(found: Estimates, graph: Graph) -> NDArray[np.bool_]:  # bool[L, A]
    """A mask of means that are the learner's guess: no round tells anything about a reward that is a number."""
    nothing = (found.seen <= 0) & (found.high - found.low >= (1.0 if found.bounded else np.inf))
    return np.asarray(nothing & graph.rewarded.guessed_before)


def of_each(found: Estimates, actions: Actions) -> list[Estimate]:
    """The estimates of the first lane as a list with one entry per action, in the unit of the reward."""
    contenders = np.ones(len(actions), bool) if found.contenders is None else found.contenders
    dropped = contenders & (False if found.dropped is None else found.dropped)
    mean, low, high = in_unit(found, actions)
    mean = np.where(guessed(found, actions.graph), np.nan, mean)
    counts = found.played.astype(np.int64), found.seen
    parts = (mean, low, high, found.p_best, *counts, dropped, contenders, found.keeps)
    columns = (np.broadcast_to(part, found.mean.shape)[0].tolist() for part in parts)
    lines = (Estimate(*row)._replace(limits=found.limits) for row in zip(actions, *columns, strict=True))
    return [one._replace(retired=one.action in found.retired) for one in lines]


def from_beta(good: Floats, rounds: Floats, played: Floats, seen: Floats) -> Estimates:
    """Estimates of independent Beta posteriors with so many successes in so many rounds, those of the prior included."""
    from scipy.special import betaincinv

    mean = good / rounds
    low, high = (betaincinv(good, rounds - good, end) for end in (TAIL, 1 - TAIL))  # very skewed: beside the mean
    return Estimates(mean, np.minimum(low, mean), np.maximum(high, mean), played, seen, worth=rounds)


def deviations(tally: Tally) -> Floats:  # float[L, K]
    """The sum of weight × (reward − mean)² in each cell; 0 where all rewards were the same, up to rounding."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.nan_to_num(tally.squares - tally.reward**2 / tally.weight)
    return np.where(found > _SAME * np.abs(tally.squares), found, 0.0)


def variance_of_rounds(n: Floats, deviation: Floats, graph: Graph) -> tuple[Floats, Floats]:  # float[L, K] twice
    """The variance of one round in each cell, and its degrees of freedom, from sums of squared deviations in n rounds.

    A cell's own variance counts as many rounds as it has, that of all cells together (pooled) as six; the result is the
    larger one of this and the pooled variance. So two rounds do not pretend to know the variance, and neither does a cell
    of a skewed reward in which nothing large happened yet; but a cell with a large variance has it. Where the variance is
    not known (no cell has two rounds, or all rewards in each were the same) it is the largest one possible: 1/4 for a
    reward with bounds or a stated spread, otherwise infinite.
    """
    free = np.maximum(n - 1, 0)
    all_free, pooled = free.sum(axis=1, keepdims=True), deviation.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        pooled = pooled / all_free
        some = np.minimum(_POOLED_ROUNDS, all_free)
        own = (deviation + some * pooled) / (free + some)
        variance, degrees = np.maximum(own, pooled), np.where(own > pooled, free + some, all_free)
    known = (all_free > 0) & (variance > 0)
    variance, degrees = np.where(known, variance, np.inf), np.where(known, degrees, _MOST_DEGREES)
    return np.minimum(variance, graph.rewarded.most_variance), degrees


def quantile(degrees: Floats, level: Level = SHOWN) -> Floats:
    """The quantile of Student's distribution with so many degrees of freedom at the upper end of an interval of a level."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(np.clip(degrees, 1, _MOST_DEGREES), 1 - level.tail))


def from_weights(
    mean: Floats,
    variance: Floats,
    unknown: Floats,
    played: Floats,
    seen: Floats,
    graph: Graph | None = None,
    degrees: Floats | None = None,
    level: Level = SHOWN,
) -> Estimates:
    """Estimates with normal intervals, cut to [0, 1]; `unknown` is added on both sides.

    `unknown` is the probability, under the action, of states whose mean reward is not known and may be anything from 0 to 1.
    With degrees of freedom intervals are Student's, and where the graph's reward has no bounds they are not cut.
    """
    least, most = (0.0, 1.0) if graph is None else graph.rewarded.reach
    half = (level.z if degrees is None else quantile(degrees, level)) * np.sqrt(np.maximum(variance, 0))
    low, high = mean - half - unknown, mean + half + unknown
    low, high = np.clip(low, least, most), np.clip(high, least, most)
    low, high = np.where(np.isnan(low), least, low), np.where(np.isnan(high), most, high)
    return Estimates(mean, low, high, played, seen, bounded=math.isfinite(most))


def best_of_independent(low: Floats, high: Floats) -> Floats:  # float[L, A]
    """The probability that each action is the best, from the 95 % intervals of the means alone.

    Each mean is taken as a Beta variable with the middle of the interval as its mean and a quarter of its length (to be
    exact, 1 / 3.92) as its standard deviation, all of them independent. Then P(a is best) is the integral of a's density
    times the others' distribution functions: by quadrature, so the same data always give the same answer.
    """
    middle = np.clip((low + high) / 2, _NEAR_0, 1 - _NEAR_0)
    spread = np.clip((high - low) / (2 * Z), _NEAR_0, _MOST_SPREAD * np.sqrt(middle * (1 - middle)))
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
    return chances_of_largest(betainc(good[..., None], bad[..., None], edges[:, None, :]))


def best_of_normals(low: Floats, high: Floats) -> Floats:  # float[L, A]
    """The probability that each action is the best, from 95 % intervals of means without bounds.

    Each mean is taken as a normal variable with the middle and the length of its interval, all of them independent. An action
    with an infinite interval is above all others with probability 1/2, and all such actions are alike.
    """
    from scipy.special import ndtr

    known = np.isfinite(low) & np.isfinite(high)
    some = known.any(axis=1, keepdims=True)
    low, high = np.where(known, low, 0.0), np.where(known, high, 0.0)
    middle, spread = (low + high) / 2, (high - low) / (2 * Z)
    apart = np.ptp(np.where(known, middle, middle.mean(axis=1, keepdims=True)), axis=1, keepdims=True)
    length = apart + spread.max(axis=1, keepdims=True)
    spread = np.maximum(spread, _NEAR_0 * np.where(length > 0, length, 1.0))
    first = np.where(some, np.where(known, middle - _REACH * spread, -np.inf).max(axis=1, keepdims=True), 0.0)
    last = np.where(some, np.where(known, middle + _REACH * spread, -np.inf).max(axis=1, keepdims=True), 0.0)
    edges = first + (last - first) * np.linspace(0, 1, _NODES + 1)  # float[L, nodes + 1]
    below = ndtr((edges[:, None, :] - middle[..., None]) / spread[..., None])
    unknown = (~known).sum(axis=1, keepdims=True)
    under = np.where(some, 0.5**unknown, 0.0)  # all unknown ones are below all others
    chance = chances_of_largest(np.where(known[..., None], below, 1.0))
    return np.where(known, chance * under, (1 - under) / np.maximum(unknown, 1))


def chances_of_largest(below: Floats) -> Floats:  # float[L, A]
    """The probability that each variable is the largest, from distribution functions at some points: float[L, A, points]."""
    between = np.sqrt(below[..., 1:] * below[..., :-1])
    with np.errstate(divide="ignore"):
        logs = np.log(between)
    others = np.exp(np.where(np.isfinite(logs), logs, _LOG_0).sum(axis=1, keepdims=True) - np.maximum(logs, _LOG_0))
    chance = (np.diff(below, axis=-1) * others).sum(axis=-1)
    total = chance.sum(axis=1, keepdims=True)
    return np.asarray(np.where(total > 0, chance / np.where(total > 0, total, 1), 1 / below.shape[1]))
