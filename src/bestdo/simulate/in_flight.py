"""Simulations of experiments in which several rounds are out at once: a round is planned before all results are known."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arguments import shown_value, whole_number
from bestdo.arrays import Ints
from bestdo.bandit.learner import Learner, traits
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.errors import BestdoError
from bestdo.learners.meanwhile import useful_round
from bestdo.learners.playable import ask_playable, next_playable
from bestdo.simulate.same_chance import SameChance
from bestdo.simulate.samplers import tally
from bestdo.simulate.world import World
from bestdo.simulate.world_batch import Worlds

__all__ = ["play_in_flight", "rounds_in_flight"]


def rounds_in_flight(at_once: int | None, delay: int) -> int:
    """How many rounds are out at any time: each for `delay` more rounds after its own, and no more than `at_once`."""
    delay = whole_number("the delay", delay, 0)
    at_once = None if at_once is None else whole_number("the number of rounds out at once", at_once)
    return delay + 1 if at_once is None else min(at_once, delay + 1) if delay else at_once


class _Out(NamedTuple):
    """One round of each lane that is out, and the sums that its result will bring."""

    counts: Ints
    """int[L, A]: at most one round in each lane."""
    sums: Tally
    planned: bool
    """Whether it belongs to a plan of the learner, not to those offered between two phases."""


@dataclass
class _Flight:
    """The rounds of an experiment in flight: asked for one at a time, told in the order in which they were asked for."""

    world: World | Worlds | SameChance
    learner: Learner[Any]
    statistic: Statistic
    state: Any
    rng: np.random.Generator
    money: NDArray[np.float64]
    """float[L]: what is left of the horizon, rounds that are out included."""
    out: deque[_Out] = field(default_factory=deque)
    told: list[_Out] = field(default_factory=list)
    """Results that came back in the phase that is still open."""
    plan: deque[Ints] = field(default_factory=deque)
    """int[L] each: the action of each lane in the next rounds of the plan; -1 in lanes without one."""

    @property
    def problem(self) -> Problem:
        return self.world.problem

    def next_round(self) -> tuple[Ints, bool] | None:
        """The action of each lane in the next round (-1: none), and whether it is planned; None when all have finished."""
        while not self.plan:
            if traits(self.learner).any_time:
                plan = next_playable(self.learner, self.problem, self.state, Request(out=self._in_flight()), self.rng)
            elif any(one.planned for one in self.out):
                action = useful_round(self.learner, self.statistic, self._so_far())
                return self._paid(action), False
            else:
                self.state, self.told = self._so_far(), []
                plan = ask_playable(self.learner, self.problem, self.state, Request(), self.rng)
            if plan is None or not self._line_up(plan):
                return None
        return self._paid(self.plan.popleft()), True

    def _line_up(self, plan: Plan) -> bool:
        """Lines up the rounds of a plan, in a random order in each lane; whether there is one that can be paid for."""
        if not isinstance(plan, Plan):
            raise BestdoError(f"ask of a learner returned {shown_value(plan)}: it returns a Plan, or None at the end")
        most = int(plan.counts.sum(axis=1).max(initial=0))
        if not most or not (self._price_of_cheapest(plan) <= self.money + SLACK).any():
            return False
        actions = np.arange(plan.counts.shape[1])
        order = np.full((len(plan.counts), most), -1)
        for lane, counts in enumerate(plan.counts):
            listed = np.repeat(actions, counts)
            order[lane, : len(listed)] = self.rng.permutation(listed)
        self.plan = deque(order.T)
        return True

    def _price_of_cheapest(self, plan: Plan) -> NDArray[np.float64]:  # float[L]
        return np.asarray(np.where(plan.counts > 0, self.problem.prices, np.inf).min(axis=1))

    def _paid(self, action: Ints) -> Ints:
        """The actions that their lanes can pay for, -1 instead of others; takes their price from the horizon."""
        prices = np.where(action >= 0, self.problem.prices[action], 0.0)
        action = np.where(prices <= self.money + SLACK, action, -1)
        self.money = self.money - np.where(action >= 0, prices, 0.0)
        return action

    def send_out(self, action: Ints, planned: bool) -> None:
        """Plays one round of each lane, whose result is told later."""
        counts = np.zeros((len(action), len(self.problem.actions)), np.int64)
        lanes = np.flatnonzero(action >= 0)
        counts[lanes, action[lanes]] = 1
        self.out.append(_Out(counts, tally(self.world, self.statistic, Plan(counts), self.rng), planned))

    def bring_back(self) -> None:
        """Tells the result of the round that has been out longest."""
        one = self.out.popleft()
        if traits(self.learner).any_time:
            self.state = self.learner.tell(self.state, Plan(one.counts), one.sums)
        else:
            self.told.append(one)

    def _in_flight(self) -> Ints:  # int[L, A]
        shape = len(self.money), len(self.problem.actions)
        return sum((one.counts for one in self.out), np.zeros(shape, np.int64))

    def _so_far(self) -> Any:
        """The state with the results of the phase that is still open."""
        if not self.told:
            return self.state
        sums = self.told[0].sums
        for one in self.told[1:]:
            sums = sums.plus(one.sums)
        counts = np.sum([one.counts for one in self.told], axis=0)
        return self.learner.tell(self.state, Plan(counts), sums)


def play_in_flight(
    world: World | Worlds | SameChance,
    learner: Learner[Any],
    statistic: Statistic,
    state: Any,
    money: NDArray[np.float64],
    at_once: int,
    rng: np.random.Generator,
    played: Callable[[Plan, Ints | None], None] | None = None,
) -> Any:
    """The state after all rounds, when `at_once` of them are out at any time and results come back in order.

    `played` is called with the rounds that are sent out.
    """
    flight = _Flight(world, learner, statistic, state, rng, money)
    while True:
        if len(flight.out) == at_once:
            flight.bring_back()
        following = flight.next_round()
        if following is None and flight.out:  # perhaps a learner that was about to stop goes on
            flight.bring_back()
            continue
        if following is None:
            return flight.state
        if (following[0] < 0).all():  # nothing that can be paid for: the rest comes back
            if not flight.out:
                return flight.state
            flight.bring_back()
            continue
        flight.send_out(*following)
        if played is not None:
            played(Plan(flight.out[-1].counts), None)
