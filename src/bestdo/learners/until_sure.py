"""A wrapper that stops any learner as soon as one action is the best with a given confidence."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner, able, reason, traits, with_old
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.statistic import Summing, rests_on_graph, weighs_by_design
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import Intervention
from bestdo.causal.graph import Graph
from bestdo.errors import BestdoError
from bestdo.evidence.confidence_sequences import bounds
from bestdo.learners.kernels import until_sure_kernels
from bestdo.learners.older_learners import current
from bestdo.statistics.pair_counts import Pairs
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen
from bestdo.text import decimals_of

__all__ = ["UntilSure", "UntilSureState", "WithPairs"]


_SHORT = 16
"""Most rounds of a block of which one may be replaced by `push`: longer blocks are planned as a whole, as by designs and
schedules, and stay as they are. Not measured."""
_MOST_SEEN = 1e-12
"""Breaks ties of means in favour of the action seen most often; too small to change the order of unequal means."""


class _SumsWithPairs(NamedTuple):
    """The sums of a learner, and those of `Pairs` over the same rounds."""

    own: Any
    pairs: Tally


@dataclass(frozen=True, eq=False)
class WithPairs:
    """A statistic with a learner's own sums, and those of `Pairs` over the same rounds."""

    own: Summing
    pairs: Pairs

    @property
    def problem(self) -> Problem:
        """The problem whose rounds are summed."""
        return self.pairs.problem

    @property
    def rests_on_graph(self) -> bool:
        """Whether the learner's own sums, or those of `Pairs`, rest on the graph."""
        return self.pairs.trusting or rests_on_graph(self.own)

    @property
    def weighs_by_design(self) -> bool:
        """Whether the learner's own sums weigh rounds by a design."""
        return weighs_by_design(self.own)

    def tally(self, rounds: Rounds, lanes: int) -> _SumsWithPairs:
        """Both sums."""
        return _SumsWithPairs(self.own.tally(rounds, lanes), self.pairs.tally(rounds, lanes))


class UntilSureState(NamedTuple):
    """The state of the inner learner, the counts that prove which action is the best, and the verdict."""

    problem: Problem
    pairs_only: bool
    """Whether the sums of the inner learner are among those of `Pairs`, which then are the whole statistic."""
    inner: Any
    pairs: Tally
    """[L, C]: rounds and successes that counted for each pair of actions."""
    verdict: Ints
    """int[L]: the action that is the best with the confidence asked for; -1 while there is none."""
    wanted: Ints
    """int[L]: the leader or a rival that it does not beat yet, whichever has fewer rounds; -1 where there is no rival.

    Of several rivals it is the one listed first: plans, not verdicts, depend on the order of actions."""


@dataclass(frozen=True)
class UntilSure:
    """Plays another learner, and stops as soon as one action is the best with the confidence asked for.

    **Theorem.** With probability at least the confidence, at all times together, no action is called the best that is
    more than `within` worse than the best one: whatever the inner learner plays and however often one looks.

    Proof. Let delta = 1 − confidence and K the number of contenders (`Problem.contenders`), one of which is the best. A round
    counts towards a (C_a = 1) as `Seen` says; then, given the past, it is a success with probability mu_a, whatever else is
    known before the round. Take a, a rival b that is better by more than `within`, and any theta with mu_a ≤ theta and
    theta + within ≤ mu_b. Someone who stakes x, y ≥ 0 of his money on a and against b multiplies it in each round by

        1 + x C_a (Y − theta) − y C_b (Y − theta − within).

    The expectation of this given the past is 1 + x P(C_a) (mu_a − theta) − y P(C_b) (mu_b − theta − within) ≤ 1, also when
    one round counts for both, by the same reward. So his money, and the average over several pairs of stakes, is a
    supermartingale that begins at 1, and by Ville's inequality it ever reaches (K − 1) / delta with probability at most
    delta / (K − 1). Action a is called the best when against every rival this is reached at *every* theta, at the right one
    too. For a given best action there are K − 1 others that may wrongly be called the best: together at most delta.

    The money depends on how many rounds, with and without success, counted for a alone, for b alone, and for both: the sums
    `Pairs`. For each pair of stakes its logarithm is concave in theta, so between two thetas it is at least what it is at one
    of them; that is how all thetas are looked at (`kernels/until_sure_kernels.pyx`).

    **Numbers, and values that are worth numbers.** Let the reward lie between bounds, as Y in [0, 1] on the scale of
    learners (`Graph.span`; with the aim to minimise Y is 1 at the lower bound). Line by line: a round that counts towards a
    has, given the past, the law of the reward under a, so its mean is mu_a. The factor above is linear in Y, so its
    expectation is as above; no stake exceeds 0.7, so it is above 0 for Y = 0 and Y = 1, hence for all Y between. So the money
    is a supermartingale as before. What is computed is not the money of a pair of stakes, but less: each round counts as Y
    of a success and 1 − Y of a failure, and Y log F(1) + (1 − Y) log F(0) ≤ log F(Y), as F is linear in Y and the logarithm
    concave. These sums are concave in theta too, since no count is negative. So a verdict is reached later than the money
    allows, never earlier, and the theorem holds. Nothing like it holds without bounds: whatever was seen, a larger number may
    follow, rarely enough not to have been seen. Such rewards are refused.

    The assumptions are those of `Seen`: the graph is right about where seeing equals doing, and values are missing at
    random. The rule is checked after every block: a learner that plans all its rounds at once cannot be stopped early.
    """

    inner: Learner[Any]
    confidence: float = 0.95
    within: float = 0.0
    """The largest loss of an action that is called the best, in the reward's unit; with 0 and two equal best means it
    never stops."""
    push: float = 0.5
    """The share of blocks in which one round is replaced by one of `UntilSureState.wanted`: the inner learner may be certain
    long before that can be proved. With 1/2 it took 1,107, 761, 2,027 and 1,635 rounds on the four kinds of worlds of
    docs/explanation/learners.md; with 1/4, before that, 1,252, 761, 2,432 and 1,741 (`bestdo figure until-sure`)."""
    trusting: bool = True
    """Whether rounds in which an action was only seen count where the graph says that seeing equals doing."""

    def __post_init__(self) -> None:
        if not 0 < self.confidence < 1:
            raise BestdoError(f"a confidence of {self.confidence:g}: it must lie between 0 and 1, as 0.95 does")
        if not 0 <= self.within < math.inf:
            raise BestdoError(f"within {self.within:g} of the best: it must be at least 0")

    @property
    def traits(self) -> Traits:
        """The traits of a learner that stops; asked at any time where the inner learner is."""
        any_time = traits(self._played).any_time
        return Traits(any_time=any_time, believes=True, reasons=True, stops=True, knows_old=True)

    def shares_all(self, state: UntilSureState) -> bool:
        """Whether every round teaches about every action, by what the inner learner believes."""
        return traits(self._played).believes and able(self._played).shares_all(state.inner)

    def counted(self, state: UntilSureState) -> Floats:  # float[L, A]
        """The rounds that are as good as a round of each action, for the inner learner."""
        believes = traits(self._played).believes
        return able(self._played).counted(state.inner) if believes else self.inner.estimates(state.inner).seen

    @property
    def _played(self) -> Learner[Any]:
        """The inner learner, as one whose `ask` takes a request."""
        return current(self.inner)

    def with_old(self, rounds: float) -> UntilSure:
        """The learner with the inner one for a given number of old rounds."""
        return replace(self, inner=with_old(self._played, rounds))

    def _pairs_only(self, problem: Problem, horizon: float) -> bool:
        return type(self.inner.statistic(problem, horizon)) is (Seen if self.trusting else Played)

    def statistic(self, problem: Problem, horizon: float) -> Summing:
        """The sums of the inner learner and the counts for each pair of actions."""
        pairs = Pairs(problem, self.trusting)
        return pairs if self._pairs_only(problem, horizon) else WithPairs(self.inner.statistic(problem, horizon), pairs)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> UntilSureState:
        """The state before the first round."""
        require_bounds(problem, "being sure at a chosen confidence")
        self._within(problem)
        inner, actions = self.inner.start(problem, horizon, lanes, rng), len(problem.actions)
        nothing = Tally.zeros(lanes, actions * (actions + 1) // 2)
        verdict = np.full(lanes, problem.contenders.argmax() if problem.contenders.sum() == 1 else -1)
        return UntilSureState(problem, self._pairs_only(problem, horizon), inner, nothing, verdict, np.full(lanes, -1))

    def ask(self, state: UntilSureState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the inner learner in the lanes that have not stopped, with a round replaced now and then (`push`)."""
        unsure = state.verdict < 0
        plan = self._played.ask(state.inner, request, rng) if unsure.any() else None
        if plan is None:
            return None
        counts = plan.counts * unsure[:, None]
        self._push(state, counts, rng)
        return Plan(counts) if counts.any() else None

    def _within(self, problem: Problem) -> float:
        """`within` on the scale of learners; raises BestdoError where it is as large as the bounds are apart."""
        worst, best = problem.graph.span
        if self.within >= abs(best - worst):
            raise BestdoError(
                f"within {self.within:g} of the best: the reward's bounds are {abs(best - worst):g} apart, so that every "
                "action is"
            )
        return self.within / abs(best - worst)

    def _push(self, state: UntilSureState, counts: Ints, rng: np.random.Generator) -> None:
        """Replaces one round of a short block, with probability `push`, by one of `state.wanted` if that costs no more."""
        rounds, prices = counts.sum(axis=1), state.problem.prices
        instead = counts.argmax(axis=1)
        push = (state.wanted >= 0) & (rounds > 0) & (rounds <= _SHORT) & (rng.random(len(counts)) < self.push)
        lanes = np.flatnonzero(push & (prices[state.wanted] <= prices[instead]))
        counts[lanes, instead[lanes]] -= 1
        counts[lanes, state.wanted[lanes]] += 1

    def tell(self, state: UntilSureState, plan: Plan, tally: Any) -> UntilSureState:
        """The state after a block: the inner learner's own, and the verdict."""
        own, new = (self._by_action(state.problem, tally), tally) if state.pairs_only else tally
        pairs = state.pairs.plus(new)
        verdict, wanted = self.decided(state.problem, pairs, state.verdict)
        return state._replace(
            inner=self.inner.tell(state.inner, plan, own), pairs=pairs, verdict=verdict, wanted=wanted
        )

    def decided(self, problem: Problem, pairs: Tally, before: Ints) -> tuple[Ints, Ints]:  # int[L] twice
        """The verdicts by counts of pairs, where there was none before, and what is wanted where there is none yet."""
        verdict, wanted = before.copy(), np.full(len(before), -1)
        open_ = np.flatnonzero(verdict < 0)
        leader, unbeaten = self._unbeaten(problem, pairs.lanes(open_), first=True)
        blocked = unbeaten.any(axis=1)
        verdict[open_] = np.where(blocked, -1, leader)
        rival, known = unbeaten.argmax(axis=1), self._by_action(problem, pairs).weight[open_]
        fewer = np.take_along_axis(known, np.stack([leader, rival], axis=1), axis=1)
        wanted[open_] = np.where(blocked, np.where(fewer[:, 0] <= fewer[:, 1], leader, rival), -1)
        return verdict, wanted

    @staticmethod
    def _by_action(problem: Problem, pairs: Tally) -> Tally:  # [L, A]
        """The sums of each action alone, from those of pairs."""
        itself = Pairs(problem).place.diagonal()
        return pairs.cells(itself)

    def reason(self, state: UntilSureState, action: int) -> str:
        """The evidence that is missing for the proof, or the reason of the inner learner."""
        if action == state.wanted[0]:
            return "what is missing to be sure: rounds of the leader, or of a rival that it does not beat yet"
        return reason(self._played, state.inner, action)

    def best(self, state: UntilSureState) -> Ints:
        """The verdict; until there is one, the recommendation of the inner learner."""
        return np.where(state.verdict >= 0, state.verdict, self.inner.best(state.inner))

    def estimates(self, state: UntilSureState) -> Estimates:
        """The estimates of the inner learner; where there is a verdict, all other actions are dropped."""
        found = self.inner.estimates(state.inner)
        before = np.zeros(found.mean.shape, bool) if found.dropped is None else found.dropped
        others = np.arange(found.mean.shape[1]) != state.verdict[:, None]
        return found._replace(dropped=np.where(state.verdict[:, None] >= 0, others, before))

    def bounds(self, state: UntilSureState) -> tuple[Floats, Floats]:  # float[L, A] twice
        """Confidence intervals of all means that hold together, at all times."""
        each = self._by_action(state.problem, state.pairs)
        return bounds(each.weight, each.reward, math.log(len(state.problem.actions) / (1 - self.confidence)))

    def sure(self, state: UntilSureState) -> NDArray[np.bool_]:  # bool[L]
        """A mask of the lanes that have stopped because there is a verdict."""
        return np.asarray(state.verdict >= 0)

    def certainty(self, state: UntilSureState, lane: int = 0) -> str:
        """A sentence for people: the verdict, or which action cannot be ruled out yet."""
        actions, percent = state.problem.actions, f"{100 * self.confidence:g} %"
        if not state.pairs.weight[lane].any() and state.verdict[lane] < 0:
            return f"not sure at {percent} yet: it is too early to say which action is ahead"
        about = f" (or within {self.within:g} of it)" if self.within else ""
        if state.verdict[lane] >= 0:
            return f"sure at {percent}: {actions[int(state.verdict[lane])]} is the best{about}"
        leader, found = self._unbeaten(state.problem, state.pairs.lanes(np.array([lane])), first=False)
        graph, (low, high) = state.problem.graph, (end[lane] for end in self.bounds(state))
        unbeaten, ahead = found[0], int(leader[0])
        rival = int(np.where(unbeaten, high, -1).argmax())
        more = f", and {unbeaten.sum() - 1} more" if unbeaten.sum() > 1 else ""
        return (
            f"not sure at {percent} yet: {_with_bounds(graph, actions[ahead], low[ahead], high[ahead])} is ahead; "
            f"{_with_bounds(graph, actions[rival], low[rival], high[rival])} cannot be ruled out yet{more}"
        )

    def _unbeaten(self, problem: Problem, pairs: Tally, first: bool) -> tuple[Ints, NDArray[np.bool_]]:
        """The leader (int[L]), and the rivals (bool[L, A]) that it does not beat yet; with `first`, only one of them."""
        each = self._by_action(problem, pairs)
        leader = _leaders(each, problem)
        shared = Pairs(problem).place[leader]  # int[L, A]
        n, s = (np.take_along_axis(part, shared, axis=1) for part in (pairs.weight, pairs.reward))
        limit = math.log(max(1, int(problem.contenders.sum()) - 1) / (1 - self.confidence))
        among = np.flatnonzero(problem.contenders)
        n, s = n[:, among], s[:, among]
        found, unbeaten = np.zeros((len(n), len(among)), bool), np.zeros(each.weight.shape, bool)
        place = np.searchsorted(among, leader)
        own = each.weight[:, among], each.reward[:, among]
        until_sure_kernels.unbeaten_rivals(*own, n, s, place, limit, self._within(problem), first, found)
        unbeaten[:, among] = found
        return leader, unbeaten


def _with_bounds(graph: Graph, action: Intervention, low: float, high: float) -> str:
    """An action with its bounds, in the reward's unit, in parentheses."""
    least, most = sorted((graph.in_unit(low), graph.in_unit(high)))
    decimals = max(decimals_of((most - least) / 2), graph.rewarded.least_decimals)
    return f"{action} ({least:.{decimals}f} to {most:.{decimals}f})"


def _leaders(seen: Tally, problem: Problem) -> Ints:  # int[L]
    """The contender with the best mean in each lane; of equal ones the one with most rounds."""
    mean = np.where(seen.weight > 0, seen.reward / np.maximum(seen.weight, 1), -1)
    return np.asarray(np.where(problem.contenders, mean + _MOST_SEEN * seen.weight, -np.inf).argmax(axis=1))
