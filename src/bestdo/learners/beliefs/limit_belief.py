"""The belief about the outcomes that a problem limits, and the probability that each action keeps all limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats
from bestdo.bandit.limit import EVERYBODY, Limit
from bestdo.bandit.limits import Limits
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, Intervention
from bestdo.learners.beliefs.limit_evidence import ALL, Asked, Evidence, evidence
from bestdo.learners.rule_within import draw_within
from bestdo.memory_cache import memory_cache

__all__ = ["LimitBeliefs", "LimitSums", "limit_beliefs", "problem_of"]

_WORD = 100.0
"""The weight of a person's word that an action is safe, in odds. Of the actions that keep a limit, one in so many at most
loses the word, however long studies are (`odds_of_bound`)."""

LimitSums = tuple[tuple[Tally, ...], ...]
"""For each limit the sums of its outcome: counts of actions, and those of the strongest belief where it has its own."""


@memory_cache
def problem_of(problem: Problem, limit: Limit) -> Problem:
    """The problem with the limited outcome as its reward, which every action may make largest."""
    graphs = problem.graphs.each(limit.of)
    return Problem(graphs, Actions(graphs.graph, problem.actions), all_compete=True)


@dataclass(frozen=True)
class LimitBeliefs:
    """The beliefs of all limited outcomes of a problem, each with its own sums of the same rounds."""

    problem: Problem
    trusting: bool = True
    """Whether rounds count for other actions than the one played, where the graph says so."""

    @cached_property
    def _evidence(self) -> tuple[Evidence, ...]:
        """The belief about each outcome; two limits on one outcome share it."""
        return tuple(_evidence_of(self.problem, limit, self.trusting) for limit in self.problem.limits)

    def tally(self, rounds: Rounds, lanes: int) -> LimitSums:
        """The sums of each outcome; a round in which an outcome was not seen counts nothing for it."""
        parts = []
        for limit, each in zip(self.problem.limits, self._evidence, strict=True):
            seen = limit.kind.rounds(rounds, problem_of(self.problem, limit).graph)
            own = [each.counted_rounds(seen), seen]  # a belief in tables takes rounds with unknown values
            both = zip(each.statistics, own, strict=False)
            parts.append(tuple(statistic.tally(some, lanes) for statistic, some in both))
        return tuple(parts)

    def nothing(self, lanes: int) -> LimitSums:
        """The sums over no rounds."""
        none = np.zeros(0, np.int64)
        rounds = Rounds(none, none, np.zeros((0, len(self.problem.graph.names)), np.int64), np.zeros(0, bool))
        cells = ([s.tally(rounds, 1).weight.shape[1] for s in each.statistics] for each in self._evidence)
        return tuple(tuple(Tally.zeros(lanes, size) for size in sizes) for sizes in cells)

    def _parts(self, sums: LimitSums) -> Iterator[tuple[Limit, Evidence, Tally, Tally]]:
        """The limits, each with the belief about its outcome, the counts of actions, and the sums of the strongest belief."""
        for limit, each, own in zip(self.problem.limits, self._evidence, sums, strict=True):
            yield limit, each, own[0], own[-1]

    def race(
        self, sums: LimitSums, may: Bools, rng: np.random.Generator, shares: Floats, value: Floats
    ) -> NDArray[np.bool_]:  # bool[L, A]
        """A mask of the actions that keep all limits in one draw of all outcomes; where none does, of those nearest to it.

        Where actions are pairs with one of several contexts, in each context those that are nearest there; how often contexts
        occur (`shares`, float[L or 1, C]) and the means of actions (`value`, float[L, A]) matter where a limit is over
        everybody. Actions that may not be played (`may`) are not in the race.
        """
        excess, everybody = self.excess(sums, rng)
        broken = np.where(may, excess, np.inf)
        size = broken.shape[1]
        broken = broken.reshape(len(broken), shares.shape[1], -1)
        within = np.asarray(broken <= broken.min(axis=2, keepdims=True))
        if len(everybody):
            whole, often = (len(value), *broken.shape[1:]), shares[:, :, None]
            over = np.broadcast_to(everybody, (len(everybody), len(value), size)).reshape(-1, *whole)
            within = draw_within(often * value.reshape(whole), np.broadcast_to(within, whole), often * over)
        return within.reshape(-1, size)

    def excess(self, sums: LimitSums, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The excess of each action over the limits in one draw of all outcomes.

        Over those in each context, summed, 0 where an action keeps them (float[L, A]); and over each of those over everybody,
        below 0 where an action does (float[J, L, A]).
        """
        broken: Floats = np.zeros((1, len(self.problem.actions)))
        everybody = []
        for limit, each, counts, own in self._parts(sums):
            over = _beyond(limit, each, each.draw(counts, own, rng))
            if limit.over == EVERYBODY:
                everybody.append(over)
            else:
                broken = broken + np.maximum(over, 0)
        return np.asarray(broken), np.array(everybody)

    def over_everybody(self, sums: LimitSums, lane: int) -> tuple[tuple[Floats, ...], ...]:
        """For each limit over everybody, joint draws of each action's excess in one lane by each belief (float[D, A])."""
        which = np.array([lane])
        return tuple(
            tuple(_beyond(limit, each, drawn) for drawn in each.draws(counts.lanes(which), own.lanes(which)))
            for limit, each, counts, own in self._parts(sums)
            if limit.over == EVERYBODY
        )

    def keeps(self, sums: LimitSums) -> Floats:  # float[L, A]
        """The probability that each action keeps all limits but those over everybody, as if the outcomes were independent."""
        return self._keep(sums, self.problem.limits.in_each, ALL)

    def may(self, sums: LimitSums) -> Bools:  # bool[L or 1, A]
        """A mask of the actions that a round may play: where limits always hold, those that keep them as surely as asked for.

        The own rounds of an action that is not named as safe must also speak for it so strongly that few studies ever play
        one that breaks a limit: at most the share that is not asked for (1 - sure), however long they are and however near to
        the limit its outcome is. Where rounds speak against every safe action, and for no other one, the safe ones are played
        all the same.
        """
        playable, sure = self.problem.playable, self.problem.sure
        safe = self._safe(self.problem.limits.safe) & playable
        odds: Floats = np.full((1, len(safe)), np.inf)
        for limit, each, counts, _ in self._parts(sums):
            if limit.always:
                odds = np.minimum(odds, each.odds(counts, _on_scale(limit, each), limit.at_least is None))
        among = _none_is_wrong(odds, playable & ~safe, 1 - sure)
        keeps = self._keep(sums, self.problem.limits.always, Asked(sure, among))
        enough = np.where(safe, keeps >= sure, among & (keeps >= sure))
        return np.asarray(np.where(enough.any(axis=1, keepdims=True), enough, safe))

    @cached_property
    def shows(self) -> Bools:  # bool[A, A]
        """Whether a round of each action (first axis) counts for another (second) in all limits that always hold."""
        size = len(self.problem.actions)
        both = (each.shows for limit, each in zip(self.problem.limits, self._evidence, strict=True) if limit.always)
        return np.asarray(np.logical_and.reduce([np.ones((size, size), bool), *both]))

    def shown_by(self, may: Bools) -> Bools:  # bool[L or 1, A]
        """The actions of which rounds of some show whether they keep the limits that always hold, these included."""
        return np.asarray((may | (may @ self.shows)) & self.problem.playable)

    def _keep(self, sums: LimitSums, limits: Limits, asked: Asked) -> Floats:  # float[L or 1, A]
        """The probability that each action keeps some of the limits, as if the outcomes were independent."""
        chance: Floats = np.ones((1, len(self.problem.actions)))
        for limit, each, counts, own in self._parts(sums):
            if limit in limits:
                bound, at_most = _on_scale(limit, each), limit.at_least is None
                keeps = each.keeps(counts, own, bound, at_most, asked)
                chance = chance * np.where(self._known(limit, each, counts), 1.0, keeps)
        return np.asarray(chance)

    def _known(self, limit: Limit, each: Evidence, counts: Tally) -> Bools:  # bool[A] or bool[L, A]
        """A mask of the actions that are named as safe, unless their rounds speak against it."""
        named = self._safe(limit.safe)
        if not named.any():
            return named
        against = each.odds(counts, _on_scale(limit, each), limit.at_least is not None)
        return named & (against <= _WORD)

    def _safe(self, named: Sequence[Intervention]) -> Bools:  # bool[A]
        """A mask of the actions that are named as safe."""
        return np.array([action in named for action in self.problem.actions])


def _none_is_wrong(odds: Floats, which: Bools, wrong: float) -> Bools:  # bool[L, A]
    """A mask of the actions (of bool[A]) with odds so large that none of them is wrong, but with a small probability.

    Holm's step-down: the action with the largest odds has to allow for all of them, the next one for all but one, and so on.
    """
    odds = np.where(which, odds, -np.inf)
    order = np.argsort(-odds, axis=1, kind="stable")
    wanted = np.maximum(which.sum() - np.arange(len(which)), 1) / wrong
    enough = np.logical_and.accumulate(np.take_along_axis(odds, order, axis=1) >= wanted, axis=1)
    found = np.zeros(odds.shape, bool)
    np.put_along_axis(found, order, enough, axis=1)
    return found


def _beyond(limit: Limit, each: Evidence, outcome: Floats) -> Floats:
    """How far an outcome lies beyond the bound of a limit, below 0 within it, on the learners' scale."""
    over = outcome - _on_scale(limit, each)
    return over if limit.at_least is None else -over


def _on_scale(limit: Limit, each: Evidence) -> float:
    """The bound of a limit on the learners' scale."""
    low, high = each.own.counted.statistic.problem.graph.span
    return (limit.compared - low) / (high - low)


@memory_cache
def _evidence_of(problem: Problem, limit: Limit, trusting: bool) -> Evidence:
    return evidence(problem_of(problem, limit), trusting)


@memory_cache
def limit_beliefs(problem: Problem, trusting: bool) -> LimitBeliefs:
    """The beliefs of the limits of a problem, the same object for the same problem."""
    return LimitBeliefs(problem, trusting)
