"""Counts for each action and stratum, for actions whose means follow from watching by adjusting for a few variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph
from bestdo.causal.identify import identify, minimal
from bestdo.memory_cache import memory_cache
from bestdo.statistics.seen import Seen
from bestdo.statistics.summing import count_in_parts

__all__ = ["Strata"]


_MOST_STRATA = 64  # of one action: more would each be seen too rarely; not measured
# How many rounds are counted at once. 200,000 rounds of 61 actions took 0.36 s with 2**12, 0.46 s with 2**14 and 2**16.
_ROUNDS_AT_ONCE = 2**14


class _Layout(NamedTuple):
    """The cells of the statistic: first the strata of each action, then the states of each set adjusted for."""

    adjust: tuple[tuple[str, ...], ...]
    """The variables adjusted for, for each action."""
    start: Ints
    """int[A + 1]: the first cell of each action; the last number is where the states of the sets start."""
    sets: tuple[tuple[str, ...], ...]
    """The sets adjusted for, each once."""
    first: Ints
    """int[S + 1]: the first cell of each of them; the last number is how many cells there are."""
    set_of: Ints
    """int[A]: the number of the set that the action adjusts for; -1 where it adjusts for nothing."""
    active: NDArray[np.int16]
    """int16[A, V]: the values that must occur for a round to count, -1 where any value does."""
    shows: Bools
    """bool[A, A]: whether a round of b, in which a's values occurred, is as good as one of a in the same stratum."""
    natural: Bools
    """bool[A, S]: whether a round of b leaves the law of the set as it is when nothing is set."""


@dataclass(frozen=True)
class Strata:
    """Counts and successes of each action in each stratum of the variables adjusted for, and counts of the strata.

    mean(a) = Σ_z P(z) · mean(a, z). A round counts towards (a, z) if z and a's values occurred, and what the round's
    action set leaves the reward's law given these as it is; a's own plays do. Where seeing equals doing nothing is
    adjusted for. An action for which no small set is enough counts its plays only.
    """

    problem: Problem

    @property
    def layout(self) -> _Layout:
        """The cells of the statistic."""
        return _layout(self.problem.actions)

    @property
    def tells_more(self) -> bool:
        """Whether counting by strata takes in more than what was seen of each action; not where arrows are in doubt."""
        if self.problem.graphs.arrows:  # what is adjusted for belongs to one graph
            return False
        return bool(self.layout.sets) or bool((self.layout.shows & ~Seen(self.problem).seen_by).any())

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Counts of each cell, and the successes among those rounds."""
        return count_in_parts(rounds, lanes, int(self.layout.first[-1]), _ROUNDS_AT_ONCE, self._cells_of)

    def _cells_of(self, rounds: Rounds) -> tuple[Ints, Ints]:
        """The round and the cell of every count that the rounds add."""
        graph, layout = self.problem.graph, self.layout
        codes = self.problem.actions.codes[rounds.action]
        x = np.where(codes >= 0, codes, rounds.x).astype(np.int64)  # what was set counts as seen
        code, whole = _states(graph, layout.sets, x)  # int[R, S], bool[R, S]
        counts = layout.shows[rounds.action]  # bool[R, A]
        for v in np.flatnonzero(layout.active.max(axis=0) >= 0):
            those = np.flatnonzero(layout.active[:, v] >= 0)
            counts[:, those] &= x[:, v, None] == layout.active[None, those, v]
        adjusted = np.flatnonzero(layout.set_of >= 0)
        counts[:, adjusted] &= whole[:, layout.set_of[adjusted]]
        cell = np.broadcast_to(layout.start[:-1], counts.shape).copy()
        cell[:, adjusted] += code[:, layout.set_of[adjusted]]
        row, column = np.nonzero(counts)
        lawful, which = np.nonzero(layout.natural[rounds.action] & whole)
        states = layout.first[which] + code[lawful, which]
        return np.concatenate([row, lawful]), np.concatenate([cell[row, column], states])


def _states(graph: Graph, sets: tuple[tuple[str, ...], ...], x: Ints) -> tuple[Ints, Bools]:  # [R, S] twice
    """The state of each set in each round, and whether all of it was seen."""
    code, whole = np.zeros((len(x), len(sets)), np.int64), np.ones((len(x), len(sets)), bool)
    for s, names in enumerate(sets):
        for name in names:
            value = x[:, graph.names.index(name)]
            code[:, s] = code[:, s] * graph.size(name) + value
            whole[:, s] &= value >= 0
    return code, whole


@memory_cache
def _layout(actions: Actions) -> _Layout:
    """The cells for some actions, and which rounds count in which."""
    graph = actions.graph
    which = _adjustments(graph, list(dict.fromkeys(frozenset(a) for a in actions)))
    adjustments = [which[frozenset(a)] for a in actions]
    adjust = tuple(z or () for _, z in adjustments)
    sets = tuple(dict.fromkeys(z for z in adjust if z))
    size = {z: int(np.prod([graph.size(n) for n in z])) for z in ((), *sets)}
    start = np.concatenate([[0], np.cumsum([size[z] for z in adjust])]).astype(np.int64)
    first = start[-1] + np.concatenate([[0], np.cumsum([size[z] for z in sets])]).astype(np.int64)
    active = actions.codes.copy()
    for a, (names, _) in enumerate(adjustments):
        for v in np.flatnonzero(active[a] >= 0):
            if graph.names[v] not in names:
                active[a, v] = -1
    shows = _shown(actions, [names | frozenset(z or ()) for names, z in adjustments])
    shows[:, [z is None for _, z in adjustments]] = False
    np.fill_diagonal(shows, True)
    natural = np.array([[graph.descendants(b).isdisjoint(z) for z in sets] for b in actions], bool)
    set_of = np.array([sets.index(z) if z else -1 for z in adjust], np.int64)
    return _Layout(adjust, start, sets, first, set_of, active, shows, natural.reshape(len(actions), len(sets)))


def _adjustments(
    graph: Graph, sets: list[frozenset[str]]
) -> dict[frozenset[str], tuple[frozenset[str], tuple[str, ...] | None]]:
    """The variables that matter of each set of variables that is set, and those to adjust for.

    All of them, and None, where an action has its own plays only.
    """
    matter = [minimal(graph, names) for names in sets]
    identified = [identify(graph, do({n: graph.variable(n).values[0] for n in names})) for names in sets]
    changes = _changing(graph, [names | frozenset(z.adjust) for names, z in zip(matter, identified, strict=True)])
    column = {name: v for v, name in enumerate(graph.names)}
    made: dict[frozenset[str], tuple[frozenset[str], tuple[str, ...] | None]] = {}
    for i, (names, answer) in enumerate(zip(sets, identified, strict=True)):
        small = np.prod([float(graph.size(n)) for n in answer.adjust]) <= _MOST_STRATA
        leaves = not changes[i, [column[n] for n in names]].any()
        known = answer.how in ("seeing", "adjusting") and small and leaves
        made[names] = (matter[i], answer.adjust) if known else (names, None)
    return made


def _shown(actions: Actions, given: list[frozenset[str]]) -> Bools:  # bool[A, A]
    """Entry [b, a]: whether setting b can leave a's values and does not change the law of the reward given a's variables."""
    different = list(dict.fromkeys(given))
    place = {names: i for i, names in enumerate(different)}
    changes = _changing(actions.graph, different)[[place[names] for names in given]]  # bool[A, V]
    shown = np.ones((len(actions), len(actions)), bool)
    codes = actions.codes
    for v in np.flatnonzero((codes >= 0).any(axis=0)):
        setting = np.flatnonzero(codes[:, v] >= 0)
        shown[setting] &= ~changes[:, v]
        matters = np.flatnonzero((codes[:, v] >= 0) & [actions.graph.names[v] in names for names in given])
        shown[np.ix_(setting, matters)] &= codes[setting, v][:, None] == codes[matters, v]
    return shown


def _changing(graph: Graph, given: list[frozenset[str]]) -> Bools:  # bool[G, V]
    """Whether setting a variable may change the law of the reward given each of some sets of variables.

    That is so when the reward is not separated, given the set, from an added parent of the variable, which indicates whether
    it is set. All paths from the reward are walked for all sets at once: up against arrows, down along them.
    """
    assert graph.reward is not None
    column = {name: v for v, name in enumerate(graph.names)}
    fixed = np.zeros((len(graph.names), len(given)), bool)  # a row for each variable, here and below
    for i, names in enumerate(given):
        for name in names:
            fixed[column[name], i] = True
    opened = fixed.copy()  # a collider opens a path when it or one of its descendants is given
    for name in reversed(graph.order):
        for parent in graph.parents[name]:
            opened[column[parent]] |= opened[column[name]]
    up, down = np.zeros_like(fixed), np.zeros_like(fixed)
    up[column[graph.reward]] = True
    before = -1
    while before < (before := int(up.sum()) + int(down.sum())):
        for name in reversed(graph.order):
            v = column[name]
            if graph.parents[name]:
                passed = (up[v] & ~fixed[v]) | (down[v] & opened[v])
                for parent in graph.parents[name]:
                    up[column[parent]] |= passed
        for name in graph.order:
            v = column[name]
            if graph.children[name]:
                passed = (up[v] | down[v]) & ~fixed[v]
                for child in graph.children[name]:
                    down[column[child]] |= passed
    return np.ascontiguousarray(((up & ~fixed) | (down & opened)).T)
