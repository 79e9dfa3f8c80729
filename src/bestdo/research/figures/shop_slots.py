"""A shop that is played slot by slot: visitors come, actions are chosen by what was known when the slot began."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.learner import Learner, next_plan
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds, rewards
from bestdo.learners.game import game_of
from bestdo.learners.rule_game import pairs_in
from bestdo.research.worlds.shop import SEGMENT
from bestdo.simulate.world import World, seen_rounds

__all__ = ["OLD", "SLOTS", "VISITORS", "WAYS", "Ended", "play_slots"]

SLOTS, VISITORS, OLD = 60, 500, 20_000
"""The number of slots, of visitors in each, and of old visits."""
_ALIKE = 10
"""The number of visitors, all of one context, who get the action of one question: a question for each takes ten times as
long. Each of them is a round of their own when the results are told."""


class Ended(NamedTuple):
    """The end of studies; L are studies, C contexts."""

    rule: Ints
    """int[L, C]: the action that is kept in each context."""
    within: Bools
    """bool[L, C]: whether the study says that this action keeps the limit."""
    earned: Floats
    """float[L]: the true mean of what was played, over all visitors."""
    broken: Floats
    """float[L]: the share of visitors, while learning, whose action breaks the limit in truth."""


@dataclass
class _Play:
    """Studies in play; `shop` are single visitors, `problem` is what learners are asked."""

    shop: World
    breaks: Bools
    """bool[C, A]: the actions that break the limit in truth."""
    problem: Problem
    learner: Learner[Any]
    horizon: int
    lanes: int
    rng: np.random.Generator
    old: bool
    slots: int = SLOTS
    out: deque[tuple[Plan, Any, Ints]] = field(default_factory=deque)
    """The slots whose results are still to come: plans, sums and pairs (int[L, K])."""

    def __post_init__(self) -> None:
        self.game = game_of(self.learner, self.problem)
        if self.old:
            self.game = self.game.with_old(float(OLD))
        self.statistic = self.game.statistic(self.horizon)
        self.state = self.game.start(self.horizon, self.lanes, self.rng)
        self.means, self.shares = self.shop.means_by_context
        self.earned, self.broken, self.slot = np.zeros(self.lanes), np.zeros(self.lanes), 0
        self.pairs = np.zeros((self.lanes, len(self.problem.contexts) * len(self.problem.actions)), np.int64)

    def ask(self, contexts: Ints, alike: int) -> Ints:  # int[L]
        """The action of each study for a visitor, or a segment, of its context (int[L]); `alike` rounds are played of it."""
        out = self.pairs + sum((pairs for _, _, pairs in self.out), np.zeros((1, 1), np.int64))
        request = Request(pairs_in(self.problem, contexts), out=out) if self.problem.first else Request(out=out)
        plan = next_plan(self.game, self.state, request, self.rng)
        assert plan is not None
        action: Ints = plan.counts.argmax(axis=1)
        where = contexts if self.problem.first else np.zeros(self.lanes, np.int64)
        self.pairs[np.arange(self.lanes), where * len(self.problem.actions) + action] += alike
        return action

    def visits(self, lane: Ints, contexts: Ints, action: Ints) -> Rounds:
        """A visit in each of some studies, contexts and actions."""
        graph = self.shop.problem.graph
        codes = self.shop.problem.actions.codes[action].copy()
        columns = [graph.names.index(name) for name in self.shop.problem.first]
        codes[:, columns] = np.stack(np.unravel_index(contexts, self.shop.problem.contexts.sizes), axis=1)
        if "hour" in graph.names:  # a slot has six hours
            codes[:, graph.names.index("hour")] = self.slot % 4
        x, numbers = self.shop.sample_given(codes, lane, self.rng)
        np.add.at(self.earned, lane, self.means[contexts, action] / (self.slots * VISITORS))
        np.add.at(self.broken, lane, self.breaks[contexts, action] / (self.slots * VISITORS))
        return self._seen(lane, action, x, numbers)

    def _seen(self, lane: Ints, action: Ints, x: Any, numbers: Mapping[str, Floats]) -> Rounds:
        """The rounds with these values, and the revenue in euros beside them."""
        graph = self.shop.problem.graph
        return seen_rounds(graph, lane, action, x, numbers)._replace(numbers={"revenue": numbers["revenue"]})

    def slot_ends(self, rounds: Rounds, late: int) -> None:
        """Sends the results of a slot off, and tells those that are due."""
        counts = np.zeros((self.lanes, len(self.problem.actions)), np.int64)
        np.add.at(counts, (rounds.lane, rounds.action), 1)
        self.out.append((Plan(counts), self.statistic.tally(rounds, self.lanes), self.pairs))
        self.pairs, self.slot = np.zeros_like(self.pairs), self.slot + 1
        self.tell(late)

    def tell(self, late: int) -> None:
        """Tells the results of all but the last so many slots."""
        while len(self.out) > late:
            plan, sums, _ = self.out.popleft()
            self.state = self.game.tell(self.state, plan, sums)

    def tell_old(self, rounds: Rounds) -> None:
        """Tells old visits, which are rounds of do()."""
        nothing = Plan(np.zeros((self.lanes, len(self.problem.actions)), np.int64))
        self.state = self.game.tell(self.state, nothing, self.statistic.tally(rounds, self.lanes))

    def old_visits(self) -> Rounds:
        """Old visits, others in each study."""
        lane = np.repeat(np.arange(self.lanes), OLD)
        nothing = np.full((len(lane), len(self.shop.problem.graph.names)), -1, np.int16)
        x, numbers = self.shop.sample_given(nothing, lane, self.rng)
        return self._seen(lane, np.zeros(len(lane), np.int64), x, numbers)

    def means_of(self, rounds: Rounds, group: Ints) -> Rounds:
        """The means of groups of visits (int[R], the number of each visit's group), each as one round."""
        names, own = self.shop.problem.graph.names, self.problem.graph.names
        count = np.bincount(group)
        revenue, support = (
            np.bincount(group, numbers) / np.maximum(count, 1)
            for numbers in (rounds.numbers["revenue"], rounds.x[:, names.index("support")])
        )
        one = np.full(len(count), -1)
        one[group] = np.arange(len(group))
        some = np.flatnonzero(count)
        x = rounds.x[one[some]][:, [names.index(name) for name in own]].copy()
        x[:, [own.index("support"), own.index("revenue")]] = 0
        numbers = {"revenue": revenue[some], "support": support[some]}
        y = rewards(self.problem.graph, x, numbers)
        return Rounds(rounds.lane[one[some]], rounds.action[one[some]], x, y, None, self.problem.numbers(numbers))


def _by_visitor(play: _Play, late: int) -> None:
    """Visitor by visitor."""
    if play.old:
        play.tell_old(play.old_visits())
    for _ in range(play.slots):
        asked = []
        for _ in range(VISITORS // _ALIKE):
            contexts = _drawn(play.shares, play.lanes, play.rng)
            asked.append((contexts, play.ask(contexts, _ALIKE)))
        contexts, action = (np.repeat(np.concatenate(part), _ALIKE) for part in zip(*asked, strict=True))
        lane = np.repeat(np.tile(np.arange(play.lanes), len(asked)), _ALIKE)
        play.slot_ends(play.visits(lane, contexts, action), late)


def _by_segment(play: _Play, late: int) -> None:
    """By segment: one action for each context and slot, told as the mean of its visitors."""
    contexts = len(play.shares)
    if play.old:
        visits = play.old_visits()
        names = play.shop.problem.graph.names
        hidden = play.shop.problem.graph.hidden
        columns = [names.index(n) for n in names if n not in ("support", "revenue", *hidden)]
        sizes = [play.shop.problem.graph.size(names[c]) for c in columns]
        cell = np.ravel_multi_index((visits.lane, *visits.x[:, columns].T), (play.lanes, *sizes))
        order = np.argsort(cell, kind="stable")
        starts = np.concatenate([[0], np.flatnonzero(np.diff(cell[order])) + 1])
        size = np.diff([*starts, len(order)])
        within = np.arange(len(order)) - np.repeat(starts, size)
        parts = np.maximum(1, np.rint(size / SEGMENT)).astype(np.int64)  # so many means of each cell
        group = np.empty(len(order), np.int64)
        offset = np.repeat(np.concatenate([[0], np.cumsum(parts)[:-1]]), size)
        group[order] = offset + within * np.repeat(parts, size) // np.repeat(size, size)
        large = np.bincount(group)[group] >= SEGMENT // 2
        play.tell_old(play.means_of(visits.pick(np.flatnonzero(large)), group[large]))
    for _ in range(play.slots):
        visitors = play.rng.multinomial(VISITORS, play.shares, size=play.lanes)  # int[L, C]
        visitors = np.maximum(visitors, 1)
        chosen = np.stack([play.ask(np.full(play.lanes, c), 1) for c in range(contexts)], axis=1)
        lane, context = (np.repeat(part.reshape(-1), visitors.reshape(-1)) for part in np.indices(visitors.shape))
        visits = play.visits(lane, context, chosen[lane, context])
        play.slot_ends(play.means_of(visits, lane * contexts + context), late)


def _by_slot(play: _Play, late: int) -> None:
    """One action for all visitors of a slot, told as their mean; old visits, which are confounded, are left out."""
    for _ in range(play.slots):
        chosen = play.ask(np.zeros(play.lanes, np.int64), 1)
        lane = np.repeat(np.arange(play.lanes), VISITORS)
        contexts = _drawn(play.shares, len(lane), play.rng)
        play.slot_ends(play.means_of(play.visits(lane, contexts, chosen[lane]), lane), late)


def _drawn(shares: Floats, size: int, rng: np.random.Generator) -> Ints:
    return rng.choice(len(shares), size, p=shares)


WAYS: dict[str, tuple[Callable[[_Play, int], None], int]] = {
    "visitor by visitor": (_by_visitor, SLOTS * VISITORS),
    "by segment": (_by_segment, SLOTS * 6),
    "one action a slot": (_by_slot, SLOTS),
}
"""The ways to play a shop, each with the number of its rounds."""


def play_slots(
    shop: World,
    breaks: Bools,
    problem: Problem,
    way: str,
    learner: Learner[Any],
    lanes: int,
    rng: np.random.Generator,
    *,
    late: int = 0,
    horizon: float | None = None,
) -> Ended:
    """The ends of so many studies of a shop, played in one of `WAYS`; results are told so many slots late.

    horizon: the number of rounds, in whole slots; all `SLOTS` of them when not given.

    Old visits are told where something is seen first; elsewhere they are confounded. `breaks` (bool[C, A]) says
    which actions break the limit in truth.
    """
    follow, rounds = WAYS[way]
    slots = SLOTS if horizon is None else max(1, int(horizon * SLOTS // rounds))
    play = _Play(shop, breaks, problem, learner, slots * rounds // SLOTS, lanes, rng, bool(problem.first), slots)
    follow(play, late)
    play.tell(0)
    rule, within = play.game.recommended(play.state)
    if not problem.first:
        each = (lanes, len(play.shares))
        rule, within = np.broadcast_to(rule.reshape(lanes, 1), each), np.broadcast_to(within.reshape(lanes, 1), each)
    return Ended(rule, within, play.earned, play.broken)
