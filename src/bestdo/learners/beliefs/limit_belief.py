"""The belief about the outcomes that a problem limits, and the probability that each action keeps all limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.limit import EVERYBODY, Limit
from bestdo.bandit.limits import Limits
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import UNKNOWN, Rounds
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, Intervention
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.beliefs.belief import DRAWS
from bestdo.learners.beliefs.column_belief import ColumnBelief
from bestdo.learners.beliefs.limit_columns import ByColumns
from bestdo.learners.beliefs.limit_counts import ByCounts, by_counts
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.learners.beliefs.own_causes import own_causes
from bestdo.learners.rule_within import draw_within
from bestdo.memory_cache import memory_cache
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen
from bestdo.statistics.strata import Strata

__all__ = ["LimitBeliefs", "LimitSums", "limit_beliefs", "problem_of"]

_WORD = 100.0
"""The weight of a person's word that an action is safe, in odds. Of the actions that keep a limit, as the prior has them, one
in so many at most loses the word, however long studies are (Ville's inequality)."""

_LEAST = 1e-300  # in place of a probability of 0

LimitSums = tuple[tuple[Tally, ...], ...]
"""For each limit the sums of its outcome: counts of actions, and those of the strongest belief where it has its own."""


class _Of(NamedTuple):
    """The actions of which it is asked whether they keep a limit."""

    least: float
    """The probability that is asked for."""
    among: Bools
    """bool[L or 1, A]"""


_ALL = _Of(0.0, np.ones((1, 1), bool))
"""All actions, each with its probability, whatever that is."""


class _Outcome(Protocol):
    """A posterior of a limited outcome under each action, on the learners' scale (`Graph.span`)."""

    @property
    def statistic(self) -> Statistic:
        """The statistic whose sums it is a function of."""
        ...

    @property
    def careful(self) -> bool:
        """Whether it decides alone: its probabilities begin from a prior that no rounds have set."""
        ...

    def below(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The probability that the outcome is at most the bound."""
        ...

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A draw of each action's outcome in each lane."""
        ...


@dataclass(frozen=True)
class _ByTables:
    """The belief in the tables of the limited variable and its causes, by which every round tells about every action.

    As in `FamilyBelief.estimates`, a share of an action's draws is from its own rounds: the probability that it needs a row
    of a table that nobody saw.
    """

    belief: MissingParentsBelief
    own: ByCounts
    """The posterior from the rounds of each action alone."""
    careful: ClassVar[bool] = False

    @property
    def statistic(self) -> Statistic:
        """The statistic of the belief."""
        return self.belief.statistic

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A joint draw in each lane."""
        return self.belief.draw_by_lane(tally, np.zeros((len(tally.weight), len(self.belief.whole.problem.actions))), rng)

    def below(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The share of joint draws that are at most the bound, the same for the same sums."""
        return np.array([(drawn <= bound).mean(axis=0) for drawn in self.draws(tally)])

    def draws(self, tally: Tally) -> Iterator[Floats]:  # float[D, A] each
        """Joint draws of the outcome in each lane, the same for the same sums."""
        family = self.belief.whole
        whole, _ = self.belief.statistic.apart(tally)
        seen, unseen = family.beside.seen(whole), family.unseen(whole)
        nothing = np.zeros(unseen.shape)
        for lane in range(len(unseen)):
            rng = np.random.default_rng(0)
            drawn = self.belief.drawn(tally, nothing, lane, DRAWS)
            own = self.own.draw(seen.lanes(np.full(len(drawn), lane)), rng)
            yield np.where(rng.random(drawn.shape) < unseen[lane], own, drawn)


@dataclass(frozen=True)
class _Evidence:
    """The belief about a limited outcome, and the evidence of the rounds that count for each action by themselves."""

    believed: _Outcome
    """The strongest belief that is valid."""
    counted: ByCounts
    """Races are drawn from counts: what is played is what an action still lacks to be said to keep the limit. Measured on
    168 random worlds, what is kept loses 0.005 to 0.008 less than with draws from tables, and 0.002 more in one of seven
    kinds (standard errors 0.002 to 0.004)."""
    kind: Ints
    """int[A]: the action, of those that are counted, that each action is for the outcome: they set the same of its causes."""

    @property
    def statistics(self) -> list[Statistic]:
        """The statistics of both, each once."""
        return [self.counted.statistic, *([] if self.believed is self.counted else [self.believed.statistic])]

    def keeps(self, counts: Tally, sums: Tally, bound: float, at_most: bool, of: _Of) -> Floats:  # float[L, A]
        """The probability that each action's outcome stays within the bound: that of a careful belief, or the least of three.

        Only what decides whether some of the actions asked about (`of`) reach a probability is worked out.

        By its own rounds and a uniform prior, which no other action's luck makes better; by the same rounds and a prior that
        all actions share, so that the luckiest of many is not believed; and by the strongest belief. The rounds themselves
        set the prior of that one, so it alone would be sure of a rare event's absence after a few rounds.
        """

        if self.believed.careful:
            below = self.believed.below(sums, bound)
            return below if at_most else 1 - below

        def with_others(lanes: Ints) -> Floats:
            return self.counted.below_with_others(counts.lanes(lanes), bound)[:, self.kind]

        def by_tables(lanes: Ints) -> Floats:
            return self.believed.below(sums.lanes(lanes), bound)

        found = self._by_own(counts, bound, at_most)
        for below in (with_others,) if self.believed is self.counted else (with_others, by_tables):
            lanes = np.flatnonzero((of.among & (found >= of.least)).any(axis=1))
            if len(lanes):
                found[lanes] = np.minimum(found[lanes], below(lanes) if at_most else 1 - below(lanes))
        return found

    def _by_own(self, counts: Tally, bound: float, at_most: bool) -> Floats:  # float[L, A]
        """The probability that each action's outcome stays within the bound, by its own rounds."""
        below = self.counted.below(counts, bound)[:, self.kind]
        return below if at_most else 1 - below

    def learned(self, counts: Tally, bound: float, at_most: bool) -> Floats:  # float[L, A]
        """The factor by which the own rounds of each action have multiplied the odds that it stays within the bound."""
        before = Tally.zeros(1, counts.weight.shape[1])
        after, at_first = (self._by_own(tally, bound, at_most) for tally in (counts, before))
        return after * (1 - at_first) / np.maximum((1 - after) * at_first, _LEAST)

    def draw(self, counts: Tally, sums: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A draw of each action's outcome in each lane, by a careful belief or by counts."""
        if self.believed.careful:
            return self.believed.draw(sums, rng)
        return self.counted.draw(counts, rng)[:, self.kind]

    def draws(self, counts: Tally, sums: Tally) -> tuple[Floats, ...]:  # float[D, A] each
        """Joint draws of the outcome in one lane by each of the beliefs behind `keeps`, the same for the same sums."""
        if self.believed.careful:
            return tuple(self.believed.draws(sums))
        rng = np.random.default_rng(0)
        own = self.counted.draw(counts.lanes(np.zeros(DRAWS, np.int64)), rng)
        both = (each[:, self.kind] for each in (own, self.counted.draws_with_others(counts, DRAWS, rng)))
        return (*both, *(() if self.believed is self.counted else self.believed.draws(sums)))

    @property
    def shows(self) -> Bools:  # bool[A, A]
        """Whether a round of each action (first axis) counts for another one (second)."""
        return self.counted.shows[np.ix_(self.kind, self.kind)]

    def counted_rounds(self, rounds: Rounds) -> Rounds:
        """The rounds as those of the actions that are counted; values of what does not cause the outcome may be unknown."""
        graph = self.counted.statistic.problem.graph
        causes = np.array([n in graph.ancestors([str(graph.reward)]) for n in graph.names])
        x = np.where(~causes & (rounds.x == UNKNOWN), -1, rounds.x)
        known = np.flatnonzero((x != UNKNOWN).all(axis=1))
        return rounds._replace(action=self.kind[rounds.action], x=x).pick(known)


@memory_cache
def problem_of(problem: Problem, limit: Limit) -> Problem:
    """The problem with the limited outcome as its reward, which every action may make largest."""
    return Problem(problem.graphs.each(limit.of), list(problem.actions), all_compete=True)


def _evidence(problem: Problem, trusting: bool) -> _Evidence:
    """The strongest belief of the outcome that is valid, and counts; by plays alone where the graph is not to be trusted."""
    if not trusting:
        played = by_counts(Played(problem))
        return _Evidence(played, played, np.arange(len(problem.actions)))
    narrow, kind = _narrowed(problem)
    counted = by_counts(Seen(narrow))
    if (strata := Strata(narrow)).tells_more:
        counted = by_counts(strata)
    try:
        belief = MissingParentsBelief.of(own_causes(problem))
    except (NotValid, TooLarge):
        return _Evidence(counted, counted, kind)
    if isinstance(belief.whole, ColumnBelief):
        return _Evidence(ByColumns(belief, belief.whole), counted, kind)
    return _Evidence(_ByTables(belief, by_counts(Seen(problem))), counted, kind)


def _narrowed(problem: Problem) -> tuple[Problem, Ints]:
    """The problem whose actions set nothing but causes of the outcome, and which of these each action is (int[A]).

    What else an action sets changes nothing, so rounds of actions that differ in it alone count together. Where arrows are
    in doubt it may, and the problem stays as it is.
    """
    if problem.graphs.arrows:
        return problem, np.arange(len(problem.actions))
    causes = problem.graph.ancestors([str(problem.graph.reward)])
    own = [Intervention({n: v for n, v in action.items() if n in causes}) for action in problem.actions]
    different = list(dict.fromkeys(own))
    narrow = Problem(problem.graph, Actions(problem.graph, different), all_compete=True)
    return narrow, np.array([narrow.actions.index(each) for each in own], np.int64)


@dataclass(frozen=True)
class LimitBeliefs:
    """The beliefs of all limited outcomes of a problem, each with its own sums of the same rounds."""

    problem: Problem
    trusting: bool = True
    """Whether rounds count for other actions than the one played, where the graph says so."""

    @cached_property
    def _evidence(self) -> tuple[_Evidence, ...]:
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

    def _parts(self, sums: LimitSums) -> Iterator[tuple[Limit, _Evidence, Tally, Tally]]:
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
        return self._keep(sums, self.problem.limits.in_each, _ALL)

    def may(self, sums: LimitSums) -> Bools:  # bool[L or 1, A]
        """A mask of the actions that a round may play: where limits always hold, those that keep them as surely as asked for.

        The own rounds of an action that is not named as safe must also have multiplied its odds by so much that few studies
        ever play one that breaks a limit: at most the share that is not asked for (1 - sure), however long they are (Ville's
        inequality, and a sum over actions). Where rounds speak against every safe action, and for no other one, the safe ones
        are played all the same.
        """
        playable, sure = self.problem.playable, self.problem.sure
        safe = self._safe(self.problem.limits.safe) & playable
        wanted = (playable & ~safe).sum() / (1 - sure)
        among: Bools = (playable & ~safe)[None]
        for limit, each, counts, _ in self._parts(sums):
            if limit.always:
                among = among & (each.learned(counts, _on_scale(limit, each), limit.at_least is None) >= wanted)
        keeps = self._keep(sums, self.problem.limits.always, _Of(sure, among))
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

    def _keep(self, sums: LimitSums, limits: Limits, of: _Of) -> Floats:  # float[L or 1, A]
        """The probability that each action keeps some of the limits, as if the outcomes were independent."""
        chance: Floats = np.ones((1, len(self.problem.actions)))
        for limit, each, counts, own in self._parts(sums):
            if limit in limits:
                bound, at_most = _on_scale(limit, each), limit.at_least is None
                keeps = each.keeps(counts, own, bound, at_most, of)
                chance = chance * np.where(self._known(limit, each, counts), 1.0, keeps)
        return np.asarray(chance)

    def _known(self, limit: Limit, each: _Evidence, counts: Tally) -> Bools:  # bool[A] or bool[L, A]
        """A mask of the actions that are named as safe, unless their rounds speak against it."""
        named = self._safe(limit.safe)
        if not named.any():
            return named
        return named & (each.learned(counts, _on_scale(limit, each), limit.at_least is None) * _WORD >= 1)

    def _safe(self, named: Sequence[Intervention]) -> Bools:  # bool[A]
        """A mask of the actions that are named as safe."""
        return np.array([action in named for action in self.problem.actions])


def _beyond(limit: Limit, evidence: _Evidence, outcome: Floats) -> Floats:
    """How far an outcome lies beyond the bound of a limit, below 0 within it, on the learners' scale."""
    over = outcome - _on_scale(limit, evidence)
    return over if limit.at_least is None else -over


def _on_scale(limit: Limit, evidence: _Evidence) -> float:
    """The bound of a limit on the learners' scale."""
    low, high = evidence.counted.statistic.problem.graph.span
    return (limit.compared - low) / (high - low)


@memory_cache
def _evidence_of(problem: Problem, limit: Limit, trusting: bool) -> _Evidence:
    return _evidence(problem_of(problem, limit), trusting)


@memory_cache
def limit_beliefs(problem: Problem, trusting: bool) -> LimitBeliefs:
    """The beliefs of the limits of a problem, the same object for the same problem."""
    return LimitBeliefs(problem, trusting)
