"""A wrapper that makes any learner recommend the best of the actions that keep all limits of a problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.combinations import LIMITS_AND_SURE
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner, Ties, able, argmax, in_study, reason, traits, with_old
from bestdo.bandit.limits import NO_LIMITS
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.statistic import Statistic, rests_on_graph, weighs_by_design
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.errors import NotValid
from bestdo.learners.beliefs.belief import best_within
from bestdo.learners.beliefs.limit_belief import LimitBeliefs, limit_beliefs
from bestdo.learners.older_learners import current
from bestdo.memory_cache import memory_cache

__all__ = ["Limited", "LimitedState", "within_limits"]


_DRAWS = 1000
"""Draws of all means behind the probability of being the best action that keeps the limits. Chosen, not measured."""
_Z = 1.959963984540054  # the 97.5 % quantile of the normal distribution, for intervals of 95 %


def within_limits(learner: Learner[Any], problem: Problem) -> Learner[Any]:
    """The learner for a problem: itself where there are no limits, otherwise inside `Limited`.

    Where variables are seen first, `Contextual` keeps the limits in each context.
    """
    learner = current(learner)
    return learner if not problem.limits or problem.first or isinstance(learner, Limited) else Limited(learner)


@memory_cache
def _without_limits(problem: Problem) -> Problem:
    """The problem as the inner learner has it: all actions compete, because the best by the graph may break a limit."""
    return replace(problem, limits=NO_LIMITS, all_compete=True)


@dataclass(frozen=True, eq=False)
class _WithLimits:
    """A statistic with a learner's own sums first, and those of the limited outcomes in the last cells."""

    own: Statistic
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

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The tallies side by side."""
        return self.own.tally(rounds, lanes).beside(self.limits.tally(rounds, lanes))


class LimitedState(NamedTuple):
    """The state of the inner learner, and the sums of the limited outcomes."""

    problem: Problem
    trusting: bool
    """Whether rounds count for the limits of other actions than the one played, where the graph says so."""
    ties: Ties
    block: int
    """How many blocks have been told."""
    inner: Any
    limits: Tally
    """[L, C]: the sums of all limited outcomes."""


@dataclass(frozen=True)
class Limited:
    """Another learner, which recommends the best of the actions that keep all limits with the probability asked for.

    The probability that an action keeps all limits is that of `LimitBeliefs`. Where no action has `Problem.sure`, the one
    with the largest is recommended: the nearest. Thompson sampling, top-two and causal top-two leave an action that breaks a
    limit in a draw of the limited outcomes out of that draw (`Request.race`); other learners play as without limits.
    """

    inner: Learner[Any]

    @property
    def traits(self) -> Traits:
        """Asked at any time where the inner learner is; nothing is expected of the limits of rounds that are out."""
        return Traits(any_time=traits(self.inner).any_time, reasons=True, knows_old=True, in_studies=True)

    def with_old(self, rounds: float) -> Limited:
        """The same with the inner learner for a given number of old rounds."""
        return replace(self, inner=with_old(self.inner, rounds))

    def in_study(self, until_sure: bool) -> Limited:
        """The same with the inner learner as studies play it."""
        return replace(self, inner=in_study(self.inner, until_sure))

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The sums of the inner learner and of the limited outcomes."""
        own = self.inner.statistic(_without_limits(problem), horizon)
        return _WithLimits(own, limit_beliefs(problem, rests_on_graph(own)))

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> LimitedState:
        """The state before the first round; raises NotValid where the inner learner stops because it is sure."""
        if traits(self.inner).stops:
            raise NotValid(LIMITS_AND_SURE.why())
        trusting = rests_on_graph(self.inner.statistic(_without_limits(problem), horizon))
        inner = self.inner.start(_without_limits(problem), horizon, lanes, rng)
        nothing = Tally.zeros(lanes, limit_beliefs(problem, trusting).cells)
        return LimitedState(problem, trusting, Ties(problem, lanes, rng), 0, inner, nothing)

    def ask(self, state: LimitedState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the inner learner, in whose draws only actions that keep all limits are in the race."""
        beliefs = limit_beliefs(state.problem, state.trusting)

        def race() -> Bools:
            return beliefs.race(state.limits, rng)

        return self.inner.ask(state.inner, request._replace(race=race, doubt=race), rng)

    def tell(self, state: LimitedState, plan: Plan, tally: Tally) -> LimitedState:
        """The state after a block."""
        cells = state.limits.weight.shape[1]
        own = Tally.each(lambda part: np.ascontiguousarray(part[:, :-cells]), tally)
        if state.problem.graph.success is not None:  # squares are of the limits alone
            own = own._replace(square=None, square2=None)
        new = tally.cells(slice(-cells, None))
        return state._replace(
            inner=self.inner.tell(state.inner, plan, own), limits=state.limits.plus(new), block=state.block + 1
        )

    def reason(self, state: LimitedState, action: int) -> str:
        """The reason of the inner learner."""
        said = reason(self.inner, state.inner, action)
        races = said and traits(self.inner).races
        return f"{said} (among actions that may keep all limits, or to learn whether they do)" if races else said

    def keeps(self, state: LimitedState) -> Floats:  # float[L, A]
        """The probability that each action keeps all limits."""
        return limit_beliefs(state.problem, state.trusting).keeps(state.limits)

    def best(self, state: LimitedState) -> Ints:  # int[L]
        """The best of the actions that keep all limits with the probability asked for; where none does, the nearest."""
        return self.recommended(state)[0]

    def recommended(self, state: LimitedState) -> tuple[Ints, Bools]:  # int[L] and bool[L]
        """The action that is recommended, and whether it keeps all limits with the probability asked for."""
        chooses = traits(self.inner).chooses
        mean = able(self.inner).means(state.inner) if chooses else self.inner.estimates(state.inner).mean
        keeps = self.keeps(state)
        can = state.problem.contenders
        enough = (keeps >= state.problem.sure) & can
        known = np.where(
            np.isnan(mean), np.finfo(np.float64).min, mean
        )  # what keeps the limits comes before what does not
        value = np.where(enough.any(axis=1, keepdims=True), np.where(enough, known, -np.inf), keeps)
        return argmax(value, state.ties, state.block), np.asarray(enough.any(axis=1))

    def estimates(self, state: LimitedState) -> Estimates:
        """The estimates of the inner learner, with the probability that each action keeps all limits.

        `joint` is how often each action is the best of those that keep them, as if all means and outcomes were independent.
        """
        found, keeps = self.inner.estimates(state.inner), self.keeps(state)
        return found._replace(
            keeps=keeps, limits=state.problem.limits, joint=_best_within(found, keeps), worth=None, dropped=None
        )


def _best_within(found: Estimates, keeps: Floats) -> Floats:  # float[L, A]
    """The probability that each action is the best of those that keep all limits, by draws under a fixed seed."""
    rng = np.random.default_rng(0)
    finite = np.isfinite(found.low) & np.isfinite(found.high)
    low, high = np.where(finite, found.low, 0.0), np.where(finite, found.high, 0.0)
    chance = np.empty(keeps.shape)
    for lane in range(len(keeps)):
        shape = _DRAWS, keeps.shape[1]
        mean = rng.normal((low[lane] + high[lane]) / 2, (high[lane] - low[lane]) / (2 * _Z), shape)
        mean = np.where(finite[lane], mean, np.where(rng.random(shape) < 0.5, 1, -1) * 1e300)  # it may be anything
        chance[lane] = best_within(mean, keeps[lane], rng)
    return chance
