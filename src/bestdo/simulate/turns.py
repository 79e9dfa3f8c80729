"""The turns of a simulation: what is played next, as whole blocks, one round at a time, or in a context that was seen."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from bestdo.arguments import shown_value
from bestdo.arrays import Floats, Ints
from bestdo.bandit.learner import next_plan
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Summing
from bestdo.bandit.sums import added
from bestdo.errors import BestdoError
from bestdo.learners.game import Game
from bestdo.learners.meanwhile import useful_round
from bestdo.learners.older_learners import called
from bestdo.learners.rule_game import pairs_in
from bestdo.simulate.encounters import before_acting, rounds_after
from bestdo.simulate.same_chance import SameChance
from bestdo.simulate.samplers import tally
from bestdo.simulate.world import World
from bestdo.simulate.world_batch import Worlds

__all__ = ["Table", "Turns", "turns_at"]


_OPEN = Request()
"""The request that allows everything."""


class _Turn(NamedTuple):
    """Rounds that are sent out together, and the sums that their results will bring."""

    plan: Plan
    """The rounds of each lane and action."""
    sums: Any
    pairs: Ints
    """int[L, K]: the same rounds by pairs of a context and an action."""
    context: Ints | None = None
    """int[L]: the context of each lane, where there are contexts."""
    planned: bool = True
    """Whether it belongs to a plan of the learner, not to those offered between two phases."""


@dataclass
class Table:
    """A simulation in play."""

    world: World | Worlds | SameChance
    game: Game
    statistic: Summing
    state: Any
    money: Floats
    """float[L]: what is left of the horizon, rounds that are out included."""
    rng: np.random.Generator
    out: deque[_Turn] = field(default_factory=deque)
    """The turns whose results are still to come."""

    @property
    def problem(self) -> Problem:
        """The problem that is played."""
        return self.game.problem

    def tell(self, turn: _Turn) -> None:
        """Tells the game the results of a turn."""
        self.state = self.game.tell(self.state, turn.plan, turn.sums)

    def pairs_out(self) -> Ints:  # int[L or 1, K or 1]
        """The number of rounds of each pair that are out."""
        return sum((turn.pairs for turn in self.out), np.zeros((1, 1), np.int64))


class Turns(Protocol):
    """A way to take turns."""

    def following(self) -> _Turn | None:
        """The next turn; None if there is none for now, and at the end."""

    def come_back(self, turn: _Turn) -> None:
        """Takes the results of a turn."""


def turns_at(table: Table, in_flight: int) -> Turns:
    """The way in which turns are taken at a table, so many of them in flight at any time.

    Whole blocks need no order of their rounds, and so draw other random numbers than rounds that are sent out one by one.
    """
    if table.problem.first:
        return _InContexts(table)
    return _Blocks(table) if in_flight == 1 else _OneByOne(table)


@dataclass
class _Blocks:
    """Whole blocks: each is planned when the results of the last one are known. A learner that would not end is an error."""

    table: Table
    blocks: int = 0

    def __post_init__(self) -> None:
        money = self.table.money
        self.open = bool(money.any())  # with nothing left, learners may plan their next phase all the same
        self.horizon = float(money.max(initial=0.0))
        self.left = float(money.sum()) * (1 + SLACK) + SLACK

    def following(self) -> _Turn | None:
        """The next block."""
        table = self.table
        plan = table.game.ask(table.state, _OPEN, table.rng) if self.open else None
        if plan is None:
            return None
        self.blocks, self.left = self.blocks + 1, self.left - _price(plan, table.game, len(table.money))
        if self.left < 0 and table.game.problem.retired:
            return None  # what is left pays for a round of an action that is retired, and for no other
        if self.left < 0:
            raise BestdoError(
                f"{_called(table.game)} spends more than the horizon of {self.horizon:g}, in its block {self.blocks}: ask "
                "returns None when nothing is left; bestdo.check_learner says what is wrong with a learner"
            )
        return _Turn(plan, tally(table.world, table.statistic, plan, table.rng), plan.counts)

    def come_back(self, turn: _Turn) -> None:
        """Tells the block."""
        self.table.tell(turn)


def _price(plan: Any, game: Game, lanes: int) -> float:
    """The part of the horizons of all lanes that a plan takes; a plan of no round, or of another shape, is an error."""
    problem = game.problem
    if not isinstance(plan, Plan):
        raise BestdoError(f"ask of {_called(game)} returned {shown_value(plan)}: it returns a Plan, or None at the end")
    shape, due = np.shape(plan.counts), (lanes, len(problem.actions))
    if shape != due:
        raise BestdoError(
            f"ask of {_called(game)} returned a plan of the shape {shape}: it is int[lanes, actions], here {due}"
        )
    price = float(problem.price(plan.counts).sum())
    if math.isnan(price):
        raise BestdoError(f"ask of {_called(game)} returned a plan with NaN: it holds numbers of rounds, 0 or more")
    if price <= 0:
        raise BestdoError(
            f"{_called(game)} plans no round and does not end: ask returns None when all lanes have finished; "
            "bestdo.check_learner says what is wrong with a learner"
        )
    return price


def _called(game: Game) -> str:
    return f"the learner {called(game.learner)}"


@dataclass
class _OneByOne:
    """One round of each lane at a time, told in the order in which they were asked for."""

    table: Table
    told: list[_Turn] = field(default_factory=list)
    """Results that came back in the phase that is still open."""
    line: deque[Ints] = field(default_factory=deque)
    """int[L] each: the action of each lane in the next rounds of the plan; -1 in lanes without one."""

    def following(self) -> _Turn | None:
        """The next round of a plan, or a useful one between two phases, in lanes that can pay for it."""
        action, planned = self._next()
        if (action < 0).all():
            return None
        table = self.table
        counts = np.zeros((len(action), len(table.problem.actions)), np.int64)
        lanes = np.flatnonzero(action >= 0)
        counts[lanes, action[lanes]] = 1
        plan = Plan(counts)
        return _Turn(plan, tally(table.world, table.statistic, plan, table.rng), counts, planned=planned)

    def _next(self) -> tuple[Ints, bool]:
        """The action of each lane in the next round (-1: none), and whether it is planned."""
        table = self.table
        while not self.line:
            if table.game.any_time:
                plan = next_plan(table.game, table.state, Request(out=table.pairs_out()), table.rng)
            elif any(turn.planned for turn in table.out):
                return self._paid(useful_round(table.game, table.statistic, self._so_far())), False
            else:
                table.state, self.told = self._so_far(), []
                plan = table.game.ask(table.state, _OPEN, table.rng)
            if plan is None or not self._line_up(plan):
                return np.full(len(table.money), -1), False
        return self._paid(self.line.popleft()), True

    def _line_up(self, plan: Plan) -> bool:
        """Lines up the rounds of a plan, in a random order in each lane; whether there is one that can be paid for."""
        if not isinstance(plan, Plan):
            raise BestdoError(f"ask of a learner returned {shown_value(plan)}: it returns a Plan, or None at the end")
        most = int(plan.counts.sum(axis=1).max(initial=0))
        cheapest = np.where(plan.counts > 0, self.table.problem.prices, np.inf).min(axis=1)
        if not most or not (cheapest <= self.table.money + SLACK).any():
            return False
        actions = np.arange(plan.counts.shape[1])
        order = np.full((len(plan.counts), most), -1)
        for lane, counts in enumerate(plan.counts):
            listed = np.repeat(actions, counts)
            order[lane, : len(listed)] = self.table.rng.permutation(listed)
        self.line = deque(order.T)
        return True

    def _paid(self, action: Ints) -> Ints:
        """The actions that their lanes can pay for, -1 instead of others; takes their price from the horizon."""
        table = self.table
        prices = np.where(action >= 0, table.problem.prices[action], 0.0)
        action = np.where(prices <= table.money + SLACK, action, -1)
        table.money = table.money - np.where(action >= 0, prices, 0.0)
        return action

    def come_back(self, turn: _Turn) -> None:
        """Tells the round, or keeps its result until the phase is over."""
        if self.table.game.any_time:
            self.table.tell(turn)
        else:
            self.told.append(turn)

    def _so_far(self) -> Any:
        """The state with the results of the phase that is still open."""
        if not self.told:
            return self.table.state
        sums = self.told[0].sums
        for turn in self.told[1:]:
            sums = added(sums, turn.sums)
        counts = np.sum([turn.plan.counts for turn in self.told], axis=0)
        return self.table.game.tell(self.table.state, Plan(counts), sums)


@dataclass
class _InContexts:
    """One round of each lane at a time, in a context that is drawn before the action is chosen."""

    table: Table

    def following(self) -> _Turn | None:
        """The next round."""
        table, problem = self.table, self.table.problem
        lanes = len(table.money)
        before = before_acting(table.world, lanes, table.rng)
        contexts = problem.contexts.numbers(before)
        request = Request(pairs_in(problem, contexts), out=table.pairs_out())
        plan = table.game.ask(table.state, request, table.rng)
        if plan is None:
            return None
        some = np.flatnonzero(plan.counts.any(axis=1))
        rounds = rounds_after(table.world, some, plan.counts[some].argmax(axis=1), before[some], table.rng)
        pairs = np.zeros((lanes, len(problem.contexts), len(problem.actions)), np.int64)
        pairs[np.arange(lanes), contexts] = plan.counts
        return _Turn(plan, table.statistic.tally(rounds, lanes), pairs.reshape(lanes, -1), contexts)

    def come_back(self, turn: _Turn) -> None:
        """Tells the round."""
        self.table.tell(turn)
