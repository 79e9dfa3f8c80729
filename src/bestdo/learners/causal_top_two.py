"""Causal top-two: draws pairs of leader and challenger, and plays the action that tells most about their differences."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.traits import Traits
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.beliefs.belief import Belief, Question
from bestdo.learners.beliefs.count_belief import CountBelief, PlaysOfLanes
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.learners.beliefs.own_causes import own_causes
from bestdo.learners.beliefs.weighed import weighed
from bestdo.learners.count_state import Counts, add_block, as_played, start_counts
from bestdo.memory_cache import memory_cache
from bestdo.statistics.seen import Seen
from bestdo.statistics.strata import Strata

__all__ = ["CausalTopTwo", "believed", "of_rounds", "paid_for", "start_believing"]

_CHECK_IN_STUDIES = 0.1
"""`check` in studies: a missing common cause is then found in 60 to 100 % of studies instead of 10 to 17 %, at no cost in
regret that could be measured (`bestdo figure alarm`, docs/explanation/learners.md)."""


@memory_cache
def believed(problem: Problem, horizon: float | None = None) -> Belief:
    """The strongest belief that is valid for a problem, told rounds by their weight (`of_rounds`, `weighed`)."""
    return weighed(of_rounds(problem, horizon))


def of_rounds(problem: Problem, horizon: float | None = None) -> Belief:
    """The strongest belief that is valid for a problem; the horizon is used by beliefs from counts alone.

    In this order: the tables of the reward and its causes, where all of these are seen and their families are not too
    large (of the reward alone where the law of its parents is known); and counts of what was seen and played of each
    action, in strata where something has to be adjusted for. Counts are valid for every problem: an action that watching
    tells nothing about counts its plays alone. Tables also count rounds in which not every cause of the reward is known.
    Where the graph is in doubt, tables are those of every candidate, and counts are by what holds in all of them.
    """
    try:
        return MissingParentsBelief.of(own_causes(problem))
    except (NotValid, TooLarge):
        pass
    if (strata := Strata(problem)).tells_more:
        return CountBelief(problem, strata)
    return CountBelief(problem, Seen(problem), None if horizon is None else problem.rounds(horizon))


@memory_cache
def _without_law(problem: Problem) -> Problem:
    return replace(problem, law=None)


@memory_cache
def _seen(problem: Problem) -> Belief:
    return weighed(CountBelief(problem, Seen(problem)))


def start_believing(belief: Belief, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
    """The state before the first round of a learner that needs the sums of a belief."""
    nothing = np.zeros(0, np.int64)
    rounds = Rounds(nothing, nothing, np.zeros((0, len(problem.graph.names)), np.int64), np.zeros(0, bool))
    return start_counts(problem, horizon, lanes, rng)._replace(tally=belief.statistic.tally(rounds, lanes))


def paid_for(state: Counts, out: Ints) -> Counts:
    """The state with rounds in flight (int[L, A]) paid for, and nothing known of what they tell."""
    return as_played(state, out)._replace(played=state.played) if out.any() else state


def _alike(rows: Bools) -> list[Ints]:  # int[K] each
    """The numbers of the rows (bool[L, A]) that are alike, for each kind of row."""
    packed = np.packbits(rows, axis=1)
    _, which = np.unique(packed, axis=0, return_inverse=True)
    return np.split(np.argsort(which.reshape(-1), kind="stable"), np.cumsum(np.bincount(which.reshape(-1)))[:-1])


@dataclass(frozen=True)
class CausalTopTwo:
    """Causal top-two: plays the action that is expected to tell most, for its cost, about which of the best is the best.

    It keeps a posterior of every action's mean from all that was seen and played (`believed` says which). In each round
    it draws `pairs` times the means of all actions from it; the best of a draw is the leader, the second best its
    challenger. Every action, do() included, is then rated by which share of the variance of each of these differences one
    round of it is expected to remove, divided by its cost; the best of those that can be afforded is played, of actions
    that are equal by the graph the cheapest, and of these the one that sets least: do(), before what changes nothing. It
    recommends the action with the best posterior mean.
    """

    block: int = 1
    """The number of rounds that are out at once, each by draws of its own."""
    pairs: int = 8
    """The number of leaders and challengers drawn for a round."""
    thrifty: bool = True
    """Whether the information gain of a round is divided by its price."""
    law: bool = True
    """Whether the law of the reward's parents is used where it is known, or the graph alone."""
    seen: bool = False
    """Whether only the rounds seen and played of each action are believed, though tables would tell more: so the learner
    gathers what can prove that one action is the best (`UntilSure`)."""

    check: float | None = None
    """The share of the rounds, or of the money, that must go into playing the action that looks best. What is only seen
    of it rests on the graph; its own plays can contradict it (`evidence/alarm.py`). None: 0.1 in a study, and nothing in
    simulations of a world that has the graph for certain."""

    tell = staticmethod(add_block)

    def in_study(self, until_sure: bool) -> CausalTopTwo:
        """The learner with plays that check the graph; with only seen rounds believed where it must prove the best action."""
        check = _CHECK_IN_STUDIES if self.check is None else self.check
        return replace(self, check=check, seen=self.seen or until_sure)

    def _belief(self, problem: Problem, horizon: float) -> Belief:
        if self.seen:
            return _seen(problem)
        return believed(problem if self.law else _without_law(problem), horizon)

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The statistic of the belief."""
        return self._belief(problem, horizon).statistic

    def counted(self, state: Counts) -> Floats:  # float[L, A]
        """The rounds that are as good as a round of each action by the graph, its plays included."""
        return self._belief(state.problem, state.horizon).counted(state.tally)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        return start_believing(self._belief(problem, horizon), problem, horizon, lanes, rng)

    @property
    def traits(self) -> Traits:
        """Chooses by what rounds tell, among the actions that are allowed and in the race."""
        return Traits(
            any_time=True,
            chooses=True,
            races=True,
            questions=True,
            informs=True,
            believes=True,
            reasons=True,
            in_studies=True,
            block=self.block,
        )

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds; of one round where not every action is allowed.

        Rounds in flight are paid for; what they tell is not known, and pairs are drawn anew for each round. What a round
        tells is rated by the reward alone. So where the best actions of two races differ, the better of them, which may break
        a limit, is played instead: that tells about the limits (docs/decisions/0019-limits.md).
        """
        state = paid_for(state, request.out)
        return self._of_all(state, request, rng) if request.open else self._of_allowed(state, request, rng)

    def plays_of_lanes(self, problem: Problem, horizon: float) -> PlaysOfLanes | None:
        """The plays of `ask` for one round, by one compiled loop over lanes; None where there is none for the problem."""
        belief = self._belief(problem, horizon)
        single = self.block == 1 and not self.check and problem.cost is None and not problem.equals
        if not single or not isinstance(belief, CountBelief):
            return None
        return belief.plays_of_lanes(self.pairs)

    def _of_all(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds, where pairs are drawn among the actions that are in the race."""
        prices, money = state.problem.prices, state.money
        plan = np.zeros(state.played.shape, np.int64)
        for k in range(self.block):
            playing = prices.min() <= money + SLACK
            if not playing.any():
                break
            among = request.race() if request.limited else None
            can = state.problem.without_equals(prices <= money[:, None] + SLACK)
            gain = np.where(can, self._information_gain(state, rng, among), -np.inf)
            chosen = argmax(gain, state.ties, state.block * self.block + k, all_compete=True)
            if among is not None:
                chosen = self._questioned(state, among, request.doubt(), money, chosen)
            if self.check:
                chosen = self._checked(state, plan, money, chosen, self.check, among)
            plan[np.arange(len(plan)), chosen] += playing
            money = money - playing * prices[chosen]
        return Plan(plan) if plan.any() else None

    def _of_allowed(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of one round: in each lane that of the allowed actions that tells most.

        Pairs are drawn among each of the sets of actions in turn that the request is about.
        """
        prices, money = state.problem.prices, state.money
        can = state.problem.without_equals(request.allowed & (prices <= money[:, None] + SLACK))
        about = [np.broadcast_to(some, can.shape) for some in request.about]
        if not can.any():
            return None
        gain = sum(self._information_gain(state, rng, among, max(1, self.pairs // len(about)), can) for among in about)
        chosen = argmax(np.where(can, gain, -np.inf), state.ties, state.block, all_compete=True)
        plan, lanes = np.zeros(state.played.shape, np.int64), np.arange(len(can))
        if self.check:  # of the rounds among the allowed actions, as `_checked` of all
            best = self._best_of(state, can & about[0])
            spent = (state.played * request.allowed * prices).sum(axis=1)
            due = can[lanes, best] & (state.played[lanes, best] * prices[best] < self.check * spent)
            chosen = np.where(due, best, chosen)
        if request.limited:
            one, other = (request.allowed & request.doubt() for _ in range(2))
            chosen = self._questioned(state, one, other, money, chosen)
        plan[lanes, chosen] = can.any(axis=1)
        return Plan(plan)

    def reason(self, state: Counts, action: int) -> str:
        """The action has the most information gain, or looks best and its own plays check the graph."""
        if self.check:
            no = np.full(len(state.played), -1)
            if self._checked(state, np.zeros(state.played.shape, np.int64), state.money, no, self.check)[0] == action:
                return f"it looks best, and {self.check:.0%} of the rounds play what does, to check what the graph says of it"
        if state.problem.contenders.sum() == 1:
            return "no other action can be the best"
        playing = "playing it" if state.problem.actions[action] else "watching"
        thrift = state.problem.unit.thrift if self.thrifty else ""
        return f"{playing} tells most about which of the best actions is the best{thrift}"

    def _questioned(self, state: Counts, one: Bools, other: Bools, money: Floats, chosen: Ints) -> Ints:  # int[L]
        """The better of the best actions of two races, where these differ; else what was chosen."""
        mean, lanes = self.means(state), np.arange(len(one))
        first, second = (self._best_of(state, race) for race in (one, other))
        better = np.where(mean[lanes, first] >= mean[lanes, second], first, second)
        return np.where((first != second) & (state.problem.prices[better] <= money + SLACK), better, chosen)

    def _best_of(self, state: Counts, some: Bools) -> Ints:  # int[L]
        """The action with the best posterior mean of some (bool[L, A])."""
        return argmax(np.where(some, self.means(state), -np.inf), state.ties, state.block, all_compete=True)

    def _checked(
        self, state: Counts, plan: Ints, money: Floats, chosen: Ints, share: float, among: Bools | None = None
    ) -> Ints:
        """The action that looks best, where too little went into its own plays so far; else what was chosen (int[L])."""
        best = self.best(state) if among is None else self._best_of(state, among)
        lanes, prices = np.arange(len(plan)), state.problem.prices
        own = (state.played + plan)[lanes, best] * prices[best]
        due = (own < share * (state.horizon - money)) & (prices[best] <= money + SLACK)
        return np.where(due, best, chosen)

    def _information_gain(
        self,
        state: Counts,
        rng: np.random.Generator,
        among: Bools | None = None,
        pairs: int | None = None,
        of: Bools | None = None,
    ) -> Floats:  # float[L, A]
        """The information gain of a round of each action about the pairs drawn among some (bool[L, A]), for its price.

        With `of` (bool[L, A]) it is wanted for these actions alone.
        """
        belief, pairs = self._belief(state.problem, state.horizon), self.pairs if pairs is None else pairs
        if state.problem.contenders.sum() == 1:
            return np.tile(state.problem.contenders.astype(np.float64), (len(state.played), 1))
        if among is None:
            gain = belief.information_gain(state.tally, state.played, Question(pairs), rng)
        else:
            gain = among.astype(np.float64)  # where only one is in the race, it is played
            wanted = among if of is None else np.concatenate([among, of], axis=1)
            for lanes in _alike(wanted):
                race = among[lanes[0]]
                if race.sum() > 1:
                    some = None if of is None else of[lanes[0]]
                    gain[lanes] = belief.information_gain(
                        state.tally.lanes(lanes), state.played[lanes], Question(pairs, race, some), rng
                    )
        return gain / state.problem.prices if self.thrifty else gain

    def shares_all(self, state: Counts) -> bool:
        """Whether every round teaches about every action, by tables; otherwise means are drawn as if independent."""
        return self._belief(state.problem, state.horizon).shares_all

    def draws(self, state: Counts, lane: int, draws: int) -> Floats:  # float[D, A]
        """Joint draws of all means in one lane, the same for the same sums."""
        return self._belief(state.problem, state.horizon).drawn(state.tally, state.played, lane, draws)

    def means(self, state: Counts) -> Floats:  # float[L, A]
        """The posterior means."""
        return self._belief(state.problem, state.horizon).mean(state.tally, state.played)

    def best(self, state: Counts) -> NDArray[np.int64]:  # int[L]
        """The action with the best posterior mean."""
        return argmax(self.means(state), state.ties, state.block)

    def estimates(self, state: Counts) -> Estimates:
        """The estimates of the belief."""
        found = self._belief(state.problem, state.horizon).estimates(state.tally, state.played)
        return found._replace(contenders=state.problem.contenders)
