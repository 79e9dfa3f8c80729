"""The limits of a problem in its game: kept by the sums of the limited outcomes, or not at all where there are none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.combinations import ALWAYS_AND_PLAIN_LEARNER, LIMITS_AND_SURE
from bestdo.bandit.confidence import Z
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner, Ties, able, argmax, traits
from bestdo.bandit.limits import NO_LIMITS
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Race, Request
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.statistic import Summing, rests_on_graph, weighs_by_design
from bestdo.bandit.sums import added, of_lanes
from bestdo.errors import NotValid
from bestdo.learners.beliefs.belief import best_among, best_within
from bestdo.learners.beliefs.limit_belief import LimitBeliefs, LimitSums, limit_beliefs
from bestdo.memory_cache import memory_cache
from bestdo.text import chance

__all__ = ["Asked", "Keeping", "Kept", "Tied", "in_one_context", "keeping_of", "refuse_unable"]


_NUMBERS, _STEPS = 2e7, (32, 1000)
"""Steps of the integrals behind the probability of being the best action that keeps the limits: as many as make so many
numbers in all, within bounds. With 1,000 the probabilities of six actions sum to 1 to 0.001."""


class Kept(NamedTuple):
    """The sums of the limited outcomes so far."""

    trusting: bool = True
    """Whether rounds count for the limits of other actions than the one played, where the graph says so."""
    sums: LimitSums = ()


class Asked(NamedTuple):
    """The learner that is asked, with its state."""

    learner: Learner[Any]
    own: Any
    shares: Floats = np.ones((1, 1))
    """float[L or 1, C]: how often each context occurs, where actions are pairs with one."""


class Tied(NamedTuple):
    """The order of equal actions at one time."""

    ties: Ties | None
    block: int
    """The number of blocks told."""


class _LimitedSums(NamedTuple):
    """The sums of a learner, and those of the limited outcomes."""

    own: Any
    limits: LimitSums


class Keeping(Protocol):
    """The limits of a problem in a game; actions may be pairs of a context and an action."""

    @property
    def played(self) -> Problem:
        """The problem as the learner has it."""

    def beside(self, own: Summing) -> Summing:
        """The statistic of a learner, with the sums of the limited outcomes where there are any."""

    def apart(self, sums: Any) -> tuple[Any, LimitSums]:
        """The sums of the learner and those of the limited outcomes."""

    def tally(self, own: Summing, rounds: Rounds, lanes: int) -> LimitSums:
        """The sums of the limited outcomes over rounds."""

    def start(self, own: Summing, lanes: int) -> Kept:
        """The sums before the first round, of a learner with this statistic."""

    def tell(self, kept: Kept, new: LimitSums) -> Kept:
        """The sums after more rounds."""

    def spread(self, kept: Kept, lanes: int) -> Kept:
        """The sums of one lane in so many."""

    def request(self, request: Request, kept: Kept, asked: Asked, rng: np.random.Generator) -> Request:
        """The request to a learner in whose draws only actions that keep all limits are in the race."""

    def keeps(self, kept: Kept) -> Floats:  # float[L or 1, K]
        """The probability that each action keeps all limits, those over everybody aside."""

    def over_everybody(self, kept: Kept, lane: int) -> tuple[tuple[Floats, ...], ...]:
        """For each limit over everybody, joint draws of each action's excess in one lane by each belief (float[D, K])."""

    def p_best(self, drawn: Floats, keeps: Floats, contenders: Bools) -> Floats:  # float[A]
        """The share of draws of the means (float[D, A]) in which each action is the best of those that keep all limits."""

    def for_everybody(self, best: Ints, rule: Ints) -> Ints:  # int[L]
        """The single action for everybody, given the best one by values (int[L]) and the rule (int[L, C])."""

    def reason(self, said: str, learner: Learner[Any]) -> str:
        """The reason of a learner for a round, with what the limits have to do with it."""

    def known(self, keeps: float) -> str:
        """The remark on an action that keeps all limits with this probability in the context seen."""

    def ties(self, lanes: int, rng: np.random.Generator) -> Ties | None:
        """The order of equal actions, drawn where limits decide which action is recommended."""

    def recommended(self, learner: Learner[Any], state: Any, kept: Kept, tied: Tied) -> tuple[Ints, Bools]:
        """The action that is recommended (int[L]), and whether it keeps all limits as surely as asked for (bool[L])."""

    def estimates(self, found: Estimates, kept: Kept) -> Estimates:
        """The estimates of a learner, with the probability that each action keeps all limits."""


def keeping_of(problem: Problem) -> Keeping:
    """The way in which the limits of a problem are kept."""
    return _SomeLimits(problem) if problem.limits else _NoLimits(problem)


@memory_cache
def in_one_context(problem: Problem) -> Problem:
    """The problem with limits as they are where nothing is seen first: everybody is in one context."""
    return replace(problem, limits=problem.kept_limits)


@dataclass(frozen=True)
class _NoLimits:
    """No limits: every action keeps them, nothing is summed and nothing is drawn."""

    played: Problem

    def beside(self, own: Summing) -> Summing:
        """The statistic of the learner."""
        return own

    def apart(self, sums: Any) -> tuple[Any, LimitSums]:
        """The sums of the learner."""
        return sums, ()

    def tally(self, own: Summing, rounds: Rounds, lanes: int) -> LimitSums:
        """No sums."""
        return ()

    def start(self, own: Summing, lanes: int) -> Kept:
        """No sums."""
        return Kept()

    def tell(self, kept: Kept, new: LimitSums) -> Kept:
        """No sums."""
        return kept

    def spread(self, kept: Kept, lanes: int) -> Kept:
        """No sums."""
        return kept

    def request(self, request: Request, kept: Kept, asked: Asked, rng: np.random.Generator) -> Request:
        """The request as it is: everything is in the race."""
        return request

    def keeps(self, kept: Kept) -> Floats:  # float[1, K]
        """Probabilities of 1."""
        return np.ones((1, len(self.played.actions)))

    def over_everybody(self, kept: Kept, lane: int) -> tuple[tuple[Floats, ...], ...]:
        """No limits."""
        return ()

    def p_best(self, drawn: Floats, keeps: Floats, contenders: Bools) -> Floats:
        """The share of draws in which each action is the best of the contenders."""
        return best_among(drawn, contenders)

    def for_everybody(self, best: Ints, rule: Ints) -> Ints:
        """The best action by values."""
        return best

    def reason(self, said: str, learner: Learner[Any]) -> str:
        """The reason of the learner."""
        return said

    def known(self, keeps: float) -> str:
        """An empty remark."""
        return ""

    def ties(self, lanes: int, rng: np.random.Generator) -> Ties | None:
        """No order: nothing is drawn."""
        return None

    def recommended(self, learner: Learner[Any], state: Any, kept: Kept, tied: Tied) -> tuple[Ints, Bools]:
        """The recommendation of the learner."""
        best = learner.best(state)
        return best, np.ones(len(best), bool)

    def estimates(self, found: Estimates, kept: Kept) -> Estimates:
        """The estimates of the learner."""
        return found


@memory_cache
def _without_limits(problem: Problem) -> Problem:
    """The problem as the learner has it: all actions compete, because the best by the graph may break a limit."""
    return replace(problem, limits=NO_LIMITS, all_compete=True)


@dataclass(frozen=True, eq=False)
class _WithLimits:
    """A statistic with a learner's own sums, and those of the limited outcomes."""

    own: Summing
    limits: LimitBeliefs

    @property
    def problem(self) -> Problem:
        """The problem whose rounds are summed."""
        return self.limits.problem

    @property
    def rests_on_graph(self) -> bool:
        """Whether the learner's own sums rest on the graph; those of the limits do only where these do."""
        return rests_on_graph(self.own)

    @property
    def weighs_by_design(self) -> bool:
        """Whether the learner's own sums weigh rounds by a design."""
        return weighs_by_design(self.own)

    def tally(self, rounds: Rounds, lanes: int) -> _LimitedSums:
        """Both sums over the same rounds."""
        return _LimitedSums(self.own.tally(rounds, lanes), self.limits.tally(rounds, lanes))


@dataclass(frozen=True)
class _SomeLimits:
    """Limits that are kept with the probability asked for, by `LimitBeliefs`.

    Thompson sampling, top-two and causal top-two leave an action that breaks a limit in a draw of the limited outcomes out of
    that draw (`Request.race`); other learners play as without limits.
    """

    problem: Problem

    @property
    def played(self) -> Problem:
        """The problem without limits, in which all actions compete."""
        return _without_limits(self.problem)

    def _beliefs(self, own: Summing) -> LimitBeliefs:
        return limit_beliefs(self.problem, rests_on_graph(own))

    def beside(self, own: Summing) -> Summing:
        """The sums of the learner and of the limited outcomes."""
        return _WithLimits(own, self._beliefs(own))

    def apart(self, sums: _LimitedSums) -> tuple[Any, LimitSums]:
        """The two parts, by their names."""
        return sums.own, sums.limits

    def tally(self, own: Summing, rounds: Rounds, lanes: int) -> LimitSums:
        """The sums of all limited outcomes."""
        return self._beliefs(own).tally(rounds, lanes)

    def start(self, own: Summing, lanes: int) -> Kept:
        """The sums over no rounds."""
        beliefs = self._beliefs(own)
        return Kept(beliefs.trusting, beliefs.nothing(lanes))

    def tell(self, kept: Kept, new: LimitSums) -> Kept:
        """The sums over all rounds so far."""
        return kept._replace(sums=added(kept.sums, new))

    def spread(self, kept: Kept, lanes: int) -> Kept:
        """The sums of one lane in so many."""
        return kept._replace(sums=of_lanes(kept.sums, np.zeros(lanes, np.int64)))

    def request(self, request: Request, kept: Kept, asked: Asked, rng: np.random.Generator) -> Request:
        """The request with draws of all limited outcomes: each draw of means has one of them, where every action is allowed.

        Where not, they are drawn once for each set of actions that the request is about, and a learner that does not
        question limits itself plays what is in the first of these races.
        """
        beliefs, always = limit_beliefs(self.problem, kept.trusting), bool(self.problem.limits.always)
        may = beliefs.may(kept.sums)
        race = self._race(kept, may, asked, rng)
        if request.open and (may.all() or not always):
            return request._replace(race=race, doubt=race)
        here = request.allowed & may
        about = tuple(some & race() for some in request.about)
        allowed = here if traits(asked.learner).questions else request.allowed & about[0]
        found = Request(allowed, about, request.out, doubt=race)
        return self._widening(found, request, kept, asked, may, rng) if always else found

    def _widening(
        self, found: Request, request: Request, kept: Kept, asked: Asked, may: Bools, rng: np.random.Generator
    ) -> Request:
        """The request that also serves to learn which other actions may be played, where a limit always holds.

        The request is also about the best of all actions whose limits the allowed ones show. Where the one that looks best in
        a draw of all outcomes may not be played yet, a round shows its outcomes, if one can.
        """
        beliefs = limit_beliefs(self.problem, kept.trusting)
        wide = request.about[0] & self._race(kept, beliefs.shown_by(may), asked, rng)()
        mean = np.where(wide, _known(able(asked.learner).means(asked.own)), -np.inf)
        equal = mean == mean.max(axis=1, keepdims=True)
        target, lanes = np.argmax(equal * (1 + rng.random(mean.shape)), axis=1), np.arange(len(mean))
        shows = request.allowed & may & beliefs.shows[:, target].T
        widen = (~np.broadcast_to(may, mean.shape)[lanes, target] & shows.any(axis=1))[:, None]
        allowed, first = (np.where(widen, shows, some) for some in (found.allowed, found.about[0]))
        doubt = self._race(kept, allowed, asked, rng)
        return Request(allowed, (first, *found.about[1:], wide), found.out, doubt=doubt)

    def _race(self, kept: Kept, may: Bools, asked: Asked, rng: np.random.Generator) -> Race:
        """Draws anew which of the actions that may be played keep all limits; in each context, where there are some."""
        everybody = self.problem.limits.over_everybody
        value = _known(able(asked.learner).means(asked.own)) if everybody else np.zeros((1, 1))
        return partial(limit_beliefs(self.problem, kept.trusting).race, kept.sums, may, rng, asked.shares, value)

    def keeps(self, kept: Kept) -> Floats:  # float[L, K]
        """The probability that each action keeps all limits."""
        return limit_beliefs(self.problem, kept.trusting).keeps(kept.sums)

    def over_everybody(self, kept: Kept, lane: int) -> tuple[tuple[Floats, ...], ...]:
        """Draws of the outcomes that are limited over everybody."""
        return limit_beliefs(self.problem, kept.trusting).over_everybody(kept.sums, lane)

    def p_best(self, drawn: Floats, keeps: Floats, contenders: Bools) -> Floats:
        """The share of draws in which each action is the best of those that keep all limits."""
        return best_within(drawn, keeps)

    def for_everybody(self, best: Ints, rule: Ints) -> Ints:
        """The action of the rule if it is one everywhere; else the best action by values."""
        alike = (rule == rule[:, :1]).all(axis=1)
        return np.where(alike, rule[:, 0], best)

    def reason(self, said: str, learner: Learner[Any]) -> str:
        """The reason of the learner, and among which actions it was chosen."""
        limits = self.problem.limits
        if not said or not (traits(learner).races or limits.always):
            return said
        among = "or to learn whether they do"
        if limits.always:
            among = f"and surely enough to be played: {limits.while_exploring(self.problem.sure, self.problem.retired)}"
        return f"{said} (among actions that may keep all limits, {among})"

    def known(self, keeps: float) -> str:
        """The probability, as part of a sentence."""
        return f"; it keeps {self.problem.limits.all_words} here with probability {chance(keeps)}"

    def ties(self, lanes: int, rng: np.random.Generator) -> Ties | None:
        """A random order in each lane."""
        return Ties(self.problem, lanes, rng)

    def recommended(self, learner: Learner[Any], state: Any, kept: Kept, tied: Tied) -> tuple[Ints, Bools]:
        """The best of the actions that keep all limits with the probability asked for; where none does, the nearest."""
        mean = able(learner).means(state) if traits(learner).chooses else learner.estimates(state).mean
        keeps = self.keeps(kept)
        enough = (keeps >= self.problem.sure) & self.problem.playable
        value = np.where(enough.any(axis=1, keepdims=True), np.where(enough, _known(mean), -np.inf), keeps)
        assert tied.ties is not None
        return argmax(value, tied.ties, tied.block), np.asarray(enough.any(axis=1))

    def estimates(self, found: Estimates, kept: Kept) -> Estimates:
        """The estimates of the learner, with the probability that each action keeps all limits.

        `joint` is how often each action is the best of those that keep them, as if all means and outcomes were independent.
        """
        keeps = self.keeps(kept)
        joint = _best_within(found, keeps)
        return found._replace(keeps=keeps, limits=self.problem.limits, joint=joint, worth=None, dropped=None)


def _known(mean: Floats) -> Floats:  # float[L, A]
    """The means, with the smallest number for those that are not known, so that what keeps the limits comes first."""
    return np.where(np.isnan(mean), np.finfo(np.float64).min, mean)


def refuse_unable(problem: Problem, learner: Learner[Any]) -> None:
    """Raises NotValid where there are limits, and the learner stops because it is sure, or cannot do without some actions."""
    if problem.limits and traits(learner).stops:
        raise NotValid(LIMITS_AND_SURE.why())
    if problem.limits.always and not problem.first and not traits(learner).chooses:
        raise NotValid(ALWAYS_AND_PLAIN_LEARNER.why())


def _best_within(found: Estimates, keeps: Floats) -> Floats:  # float[L, A]
    """The probability that each action is the best of those that keep all limits, as if all means were independent.

    The means are normal as the intervals say; one that may be anything is above all others or below them, alike.
    """
    finite = np.isfinite(found.low) & np.isfinite(found.high)
    low, high = np.where(finite, found.low, 0.0), np.where(finite, found.high, 0.0)
    middle, spread = (low + high) / 2, np.maximum(high - low, 1e-12) / (2 * Z)
    chance = np.empty(keeps.shape)
    for lane, known in enumerate(finite):
        keep = np.minimum(keeps[lane], 1 - 1e-15)
        above, below = np.full(len(keep), 1e300), np.full(len(keep), -1e300)
        first = best_within(
            above[None, ~known], keep[~known] / 2
        )  # those that may be anything and are above all others
        left = 1 - first.sum()
        own = _best_of_normal(middle[lane, known], spread[lane, known], keep[known])
        last = best_within(below[None, ~known], keep[~known] / (2 - keep[~known]))
        chance[lane, known] = left * own
        chance[lane, ~known] = first + left * (1 - own.sum()) * last
    return chance


def _best_of_normal(middle: Floats, spread: Floats, keep: Floats) -> Floats:  # float[A]
    """The probability that each action is the best of those that keep all limits, where its mean is normal.

    An integral over the mean of each action, by quantiles of it.
    """
    from scipy.special import ndtr, ndtri

    steps = int(np.clip(_NUMBERS / max(len(middle) ** 2, 1), _STEPS[0], _STEPS[1]))
    mean = middle[:, None] + spread[:, None] * ndtri((np.arange(steps) + 0.5) / steps)  # float[A, steps]
    best = np.empty(len(middle))
    for a, own in enumerate(mean):
        others = 1 - keep * ndtr((middle - own[:, None]) / spread)  # float[steps, A]: it is worse, or breaks a limit
        others[:, a] = 1.0
        best[a] = keep[a] * others.prod(axis=1).mean()
    return best
