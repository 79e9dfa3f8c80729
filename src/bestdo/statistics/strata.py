"""Counts for each action and stratum, for actions whose means follow from watching by adjusting for a few variables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.identify import identify, minimal
from bestdo.causal.separation import separated
from bestdo.memory_cache import memory_cache
from bestdo.statistics.summing import count_in_parts

__all__ = ["Layout", "Strata"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_MOST_STRATA = 64  # of one action: more would each be seen too rarely; not measured
# How many rounds are counted at once. 200,000 rounds of 61 actions took 0.36 s with 2**12, 0.46 s with 2**14 and 2**16.
_ROUNDS_AT_ONCE = 2**14


class Layout(NamedTuple):
    """The cells of the statistic: first the strata of each action, then the states of each set adjusted for."""

    adjust: tuple[tuple[str, ...], ...]
    """For each action: what is adjusted for."""
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
    """Counts and successes of each action in each stratum of what has to be adjusted for, and counts of the strata.

    mean(a) = Σ_z P(z) · mean(a, z). A round counts towards (a, z) if z and a's values occurred, and what the round's
    action set leaves the reward's law given these as it is; a's own plays do. Where seeing equals doing nothing is
    adjusted for. An action for which no small set is enough counts its plays only.
    """

    problem: Problem

    @property
    def layout(self) -> Layout:
        """The cells of the statistic."""
        return _layout(self.problem.actions)

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """How often each cell occurred, and the successes among those rounds."""
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
def _layout(actions: Actions) -> Layout:
    """The cells for some actions, and which rounds count in which."""
    graph = actions.graph
    leaves = lru_cache(maxsize=None)(partial(_leaves, graph))  # the same for all values that are set
    adjustments = [_adjustment(graph, frozenset(a)) for a in actions]
    adjust = tuple(z or () for _, z in adjustments)
    sets = tuple(dict.fromkeys(z for z in adjust if z))
    size = {z: int(np.prod([graph.size(n) for n in z])) for z in ((), *sets)}
    start = np.concatenate([[0], np.cumsum([size[z] for z in adjust])]).astype(np.int64)
    first = start[-1] + np.concatenate([[0], np.cumsum([size[z] for z in sets])]).astype(np.int64)
    active = actions.codes.copy()
    shows = np.eye(len(actions), dtype=bool)
    for a, (names, z) in enumerate(adjustments):
        for v, name in enumerate(graph.names):
            if name not in names:
                active[a, v] = -1
        if z is not None:
            for b, other in enumerate(actions):
                can = all(actions[a].get(n, value) == value for n, value in other.items())  # else it never occurs
                shows[b, a] = a == b or (can and leaves(frozenset(other), names | frozenset(z)))
    natural = np.array([[graph.descendants(b).isdisjoint(z) for z in sets] for b in actions], bool)
    set_of = np.array([sets.index(z) if z else -1 for z in adjust], np.int64)
    return Layout(adjust, start, sets, first, set_of, active, shows, natural.reshape(len(actions), len(sets)))


@lru_cache(maxsize=4096)
def _adjustment(graph: Graph, names: frozenset[str]) -> tuple[frozenset[str], tuple[str, ...] | None]:
    """Which of the variables set matter, and what to adjust for; None where an action has its own plays only."""
    matter = minimal(graph, names)
    found = identify(graph, do({n: graph.variable(n).values[0] for n in names}))
    small = np.prod([float(graph.size(n)) for n in found.adjust]) <= _MOST_STRATA
    if found.how in ("seeing", "adjusting") and small and _leaves(graph, names, matter | frozenset(found.adjust)):
        return matter, found.adjust
    return names, None


def _leaves(graph: Graph, set_: frozenset[str], given: frozenset[str]) -> bool:
    """Whether setting these variables does not change the law of the reward given others.

    That is so when the reward is separated, given the others, from an added parent of all variables set, which indicates
    whether they are set.
    """
    assert graph.reward is not None
    if not set_:
        return True
    indicator = "set"
    while indicator in graph.names:
        indicator += "_"
    parents = {n: (*ps, indicator) if n in set_ else ps for n, ps in graph.parents.items()}
    larger = Graph((*graph.variables, Variable(indicator)), {**parents, indicator: ()}, graph.reward, graph.success)
    return separated(larger, [indicator], [graph.reward], given)
