"""What is believed of the outcomes that a problem limits, and with which probability each action keeps all limits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import deviations, variance_of_rounds
from bestdo.bandit.limit import Limit
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import UNKNOWN, Rounds, rewards
from bestdo.bandit.statistic import Statistic, takes_unknown
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.beliefs.belief import DRAWS
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.memory_cache import memory_cache
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen
from bestdo.statistics.strata import Strata

__all__ = ["LimitBeliefs", "limit_beliefs", "problem_of"]

Floats = NDArray[np.float64]
_LEAST_ROUNDS = 1e-9  # in place of 0 rounds, to divide by: the outcome may then be anything


class _Outcome(Protocol):
    """A posterior of a limited outcome under each action, on the learners' scale (`Graph.span`)."""

    @property
    def statistic(self) -> Statistic:
        """The statistic whose sums it is a function of."""
        ...

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """One draw in each lane."""
        ...

    def below(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The probability that the outcome is at most the bound."""
        ...


@dataclass(frozen=True)
class _Chance:
    """A uniform prior for the chance of the value under each action, and counts: so Beta(1 + with it, 1 + without it).

    The prior shares nothing between actions: what was not tried is not taken to keep a limit because others do.
    """

    statistic: Seen | Played

    def draw(
        self, tally: Tally, rng: np.random.Generator, size: tuple[int, int] | None = None
    ) -> Floats:  # float[L, A]
        """Draws from the posterior of each action; of one lane, so many as `size` says."""
        return np.asarray(rng.beta(1 + tally.reward, 1 + tally.weight - tally.reward, size))

    def below(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The distribution functions of the posteriors."""
        from scipy.special import betainc

        return np.asarray(betainc(1 + tally.reward, 1 + tally.weight - tally.reward, bound))


@dataclass(frozen=True)
class _Mean:
    """Student's posterior of the mean of a number under each action, with the spread of `variance_of_rounds`."""

    statistic: Seen | Played

    def _student(self, tally: Tally) -> tuple[Floats, Floats, Floats]:
        """The mean, the standard error and the degrees of freedom of each action."""
        n = tally.weight
        variance, degrees = variance_of_rounds(n, deviations(tally), self.statistic.problem.graph)
        if isinstance(self.statistic, Seen):  # a round can count for several actions: there are at least so many rounds
            degrees = np.minimum(degrees, np.maximum(n.max(axis=1, keepdims=True) - 1, 1))
        mean = tally.reward / np.maximum(n, _LEAST_ROUNDS)
        return mean, np.sqrt(variance / np.maximum(n, _LEAST_ROUNDS)), degrees

    def draw(
        self, tally: Tally, rng: np.random.Generator, size: tuple[int, int] | None = None
    ) -> Floats:  # float[L, A]
        """Draws from the posterior of each action, as for a chance; far from every bound where nothing is known."""
        mean, error, degrees = self._student(tally)
        return np.asarray(mean + np.minimum(error, 1e100) * rng.standard_t(degrees, size))

    def below(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The distribution functions of the posteriors; 1/2 where nothing is known."""
        from scipy.special import stdtr

        mean, error, degrees = self._student(tally)
        return np.asarray(stdtr(degrees, (bound - mean) / error))


@dataclass(frozen=True)
class _ByTables:
    """The belief in the tables of the limited variable and its causes, by which every round tells about every action.

    As in `FamilyBelief.estimates`, a share of an action's draws is from its own rounds: the probability that it needs a row
    of a table that nobody saw.
    """

    belief: MissingParentsBelief
    own: _Chance | _Mean
    """The posterior from the rounds of each action alone."""

    @property
    def statistic(self) -> Statistic:
        """The statistic of the belief."""
        return self.belief.statistic

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """One draw of all tables in each lane; from its own rounds where most rounds lack a cause of the variable."""
        family = self.belief.whole
        whole, alone = self.belief.statistic.apart(tally)
        seen = family.seen(whole)
        drawn = family.draw_by_lane(whole, seen.weight, rng)
        by_own = rng.random(drawn.shape) < family.unseen(whole)
        by_own |= 2 * alone.weight.sum(axis=1, keepdims=True) > seen.weight.sum(axis=1, keepdims=True)
        return np.where(by_own, self.own.draw(seen, rng), drawn)

    def below(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The share of joint draws that are at most the bound, the same for the same sums."""
        family = self.belief.whole
        whole, _ = self.belief.statistic.apart(tally)
        seen, unseen = family.seen(whole), family.unseen(whole)
        found, nothing = np.empty(unseen.shape), np.zeros(unseen.shape)
        for lane in range(len(found)):
            rng = np.random.default_rng(0)
            drawn = self.belief.drawn(tally, nothing, lane, DRAWS)
            own = self.own.draw(seen.lanes(np.array([lane])), rng, (len(drawn), drawn.shape[1]))
            found[lane] = (np.where(rng.random(drawn.shape) < unseen[lane], own, drawn) <= bound).mean(axis=0)
        return found


@dataclass(frozen=True)
class _ByStrata:
    """The chance of the value under each action where causes are hidden and something has to be adjusted for.

    As `_Chance` in each stratum z, with a prior worth two rounds of the action in all, divided by P(z); the prior shares
    nothing between actions.
    """

    belief: CountBelief

    @property
    def statistic(self) -> Statistic:
        """The statistic of the belief."""
        return self.belief.statistic

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """One draw of all strata in each lane, and of how often each occurs."""
        weight = self.belief.weight_of_strata(tally)
        cells = weight.shape[1]
        good, rounds = tally.reward[:, :cells], tally.weight[:, :cells]
        chance = rng.beta(weight + good, weight + rounds - good)
        return self.belief.summed(self.belief.weight_of_strata(tally, rng) * chance)

    def below(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The share of draws that are at most the bound, the same for the same sums."""
        lanes = (tally.lanes(np.full(DRAWS, lane)) for lane in range(len(tally.weight)))
        return np.array([(self.draw(one, np.random.default_rng(0)) <= bound).mean(axis=0) for one in lanes])


@memory_cache
def problem_of(problem: Problem, limit: Limit) -> Problem:
    """The problem with the limited outcome as its reward, which every action may make largest."""
    if problem.doubts is not None:
        return Problem(problem.doubts.each(limit.of), list(problem.actions), all_compete=True)
    graph = limit.of(problem.graph)
    return Problem(graph, Actions(graph, problem.actions), all_compete=True)


def _believed(problem: Problem, trusting: bool) -> _Outcome:
    """The strongest belief of the outcome that is valid; by plays alone where the graph is not to be trusted."""
    statistic = Seen(problem) if trusting else Played(problem)
    own = _Mean(statistic) if problem.graph.success is None else _Chance(statistic)
    if trusting:
        try:
            return _ByTables(MissingParentsBelief.of(problem), own)
        except (NotValid, TooLarge):
            pass
        if problem.doubts is None and problem.graph.success is not None and (strata := Strata(problem)).tells_more:
            return _ByStrata(CountBelief(problem, strata))
    return own


@dataclass(frozen=True)
class LimitBeliefs:
    """The beliefs of all limited outcomes of a problem, each with its own sums of the same rounds."""

    problem: Problem
    trusting: bool = True
    """Whether rounds count for other actions than the one played, where the graph says so."""

    @cached_property
    def _outcomes(self) -> tuple[_Outcome, ...]:
        """What is believed of each outcome; two limits on the same outcome share one."""
        return tuple(_outcome(self.problem, limit, self.trusting) for limit in self.problem.limits)

    @cached_property
    def _cells(self) -> tuple[int, ...]:
        """How many cells the sums of each outcome have."""
        nothing = np.zeros(0, np.int64)
        rounds = Rounds(nothing, nothing, np.zeros((0, len(self.problem.graph.names)), np.int64), np.zeros(0, bool))
        return tuple(outcome.statistic.tally(rounds, 1).weight.shape[1] for outcome in self._outcomes)

    @property
    def cells(self) -> int:
        """How many cells the sums of all outcomes have."""
        return sum(self._cells)

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums of all outcomes, side by side; a round in which an outcome was not seen counts nothing for it."""
        known = rounds.pick(np.flatnonzero((rounds.x != UNKNOWN).all(axis=1)))
        parts = [
            outcome.statistic.tally(
                _rounds_of(rounds if takes_unknown(outcome.statistic) else known, self.problem, place), lanes
            )
            for place, outcome in enumerate(self._outcomes)
        ]
        return parts[0].beside(*parts[1:])

    def _parts(self, tally: Tally) -> list[Tally]:
        """The sums of each outcome."""
        ends = np.cumsum(self._cells).tolist()
        return [tally.cells(slice(end - size, end)) for end, size in zip(ends, self._cells, strict=True)]

    def race(self, tally: Tally, rng: np.random.Generator) -> NDArray[np.bool_]:  # bool[L, A]
        """Which actions keep all limits in one draw of all outcomes; where none does, those that are nearest to it."""
        broken = self.excess(tally, rng)
        return np.asarray(broken <= broken.min(axis=1, keepdims=True))

    def excess(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """By how much each action breaks the limits in one draw of all outcomes; 0 where it keeps them."""
        broken = np.zeros(1)
        for limit, outcome, part in zip(self.problem.limits, self._outcomes, self._parts(tally), strict=True):
            over = outcome.draw(part, rng) - _on_scale(limit, outcome)
            broken = broken + np.maximum(over if limit.at_least is None else -over, 0)
        return np.asarray(broken)

    def keeps(self, tally: Tally) -> Floats:  # float[L, A]
        """The probability that each action keeps all limits, as if the outcomes were independent."""
        chance = np.ones(1)
        for limit, outcome, part in zip(self.problem.limits, self._outcomes, self._parts(tally), strict=True):
            below = outcome.below(part, _on_scale(limit, outcome))
            chance = chance * (below if limit.at_least is None else 1 - below)
        return np.asarray(chance)


def _on_scale(limit: Limit, outcome: _Outcome) -> float:
    """The bound of a limit on the learners' scale."""
    low, high = outcome.statistic.problem.graph.span
    return (limit.bound - low) / (high - low)


@memory_cache
def _outcome(problem: Problem, limit: Limit, trusting: bool) -> _Outcome:
    return _believed(problem_of(problem, limit), trusting)


def _rounds_of(rounds: Rounds, problem: Problem, place: int) -> Rounds:
    """The rounds with a limited outcome in the place of the reward, without those in which it was not seen."""
    limit = problem.limits[place]
    graph = problem_of(problem, limit).graph
    numbers = None
    known = rounds.x[:, graph.names.index(limit.variable)] >= 0
    if limit.value is None:
        numbers = np.full(len(known), np.nan) if rounds.limited is None else rounds.limited[:, place]
        known = known & ~np.isnan(numbers)
    if not known.all():
        which = np.flatnonzero(known)
        rounds, numbers = rounds.pick(which), None if numbers is None else numbers[which]
    return rounds._replace(y=rewards(graph, rounds.x, numbers))


@memory_cache
def limit_beliefs(problem: Problem, trusting: bool) -> LimitBeliefs:
    """The beliefs of the limits of a problem, the same object for the same problem."""
    return LimitBeliefs(problem, trusting)
