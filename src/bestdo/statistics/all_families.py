"""Counts of every variable with every small set of other variables as its parents: for learners that know no graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.causal.variable import Variable
from bestdo.errors import NotValid, TooLarge, shown
from bestdo.memory_cache import memory_cache
from bestdo.statistics.played import Played
from bestdo.statistics.tables import Cells, cells_of

__all__ = ["AllFamilies", "FamilyList"]

_MOST_CELLS = 2**20
"""Cells of all families: 8 MB for each lane. Twenty variables of two values with three parents each have 410,000."""

_ROUNDS_AT_ONCE = 64
"""Rounds that are counted at once: with 23,000 families their cells take 12 MB."""


class _StrataCells(NamedTuple):
    """The cells that count each value of a variable together with each state of a set of parents, for some sets."""

    which: Ints
    """int[K]: the places of these sets among all sets of the variable."""
    cell: Ints
    """int[K, values, states]"""


class FamilyList(NamedTuple):
    """All families of the variables that are seen, and where their counts stand."""

    names: tuple[str, ...]
    """The variables that are seen, in the order of the graph."""
    sets: Ints
    """int[N, S]: the possible sets of parents of each variable, as bits; the empty one comes first."""
    families: Cells
    """The cells of all families, those of the first variable first, in the order of `sets`."""
    joint: Cells
    """The cells of all sets of variables but the reward, up to one more than a family has parents."""
    strata: tuple[tuple[_StrataCells, ...], ...]
    """The cells of `joint` that count each variable together with each set of parents without the reward; none for
    the reward."""
    family: Ints
    """int[cells]: the family of each cell of `families`."""
    row: Ints
    """int[R]: the first cell of each row of their tables."""
    row_family: Ints
    """int[R]: the family of each row."""
    free: Bools
    """bool[A, N · S]: whether the rounds of each action count in each family: those that do not set its variable."""
    watched: Bools
    """bool[A]: which actions set nothing."""


@memory_cache
def _family_list(problem: Problem, most_parents: int) -> FamilyList:
    """All families of a problem; raises NotValid where a variable is hidden, TooLarge where there are too many cells."""
    graph = problem.graph
    if graph.hidden:
        raise NotValid(
            f"this learner averages over graphs in which nothing is hidden, and {shown(graph.hidden[0])} is: take top-two or "
            "thompson"
        )
    if not graph.two_values:
        raise NotValid("this learner is for rewards of two values: take top-two or thompson")
    if graph.success is not None:  # its failures are one value, as a parent too
        two = Variable(str(graph.reward), ("0", "1"))
        variables = tuple(two if v.name == graph.reward else v for v in graph.variables)
        graph = Graph(variables, {}, reward=graph.reward, success="1")
    names = graph.names
    most = min(most_parents, len(names) - 1)
    own = [[s for k in range(most + 1) for s in combinations([m for m in names if m != n], k)] for n in names]
    others = [n for n in names if n != graph.reward]
    together = [s for k in range(1, min(most + 1, len(others)) + 1) for s in combinations(others, k)]
    try:
        families = cells_of(graph, [(n, s) for n, each in zip(names, own, strict=True) for s in each], _MOST_CELLS)
        joint = cells_of(graph, [(s[-1], s[:-1]) for s in together], _MOST_CELLS)
    except TooLarge:
        raise TooLarge(
            f"{len(names)} variables with up to {most} parents each have too many tables to count (at most {_MOST_CELLS:,} "
            "cells): let the learner take fewer parents (most_parents), or take top-two or thompson"
        ) from None
    bit = {n: 1 << i for i, n in enumerate(names)}
    place = {s: i for i, s in enumerate(together)}
    index = {n: i for i, n in enumerate(names)}
    strata = []
    for name, sets in zip(names, own, strict=True):
        by_states: dict[int, list[tuple[int, Ints]]] = {}
        for k, s in enumerate(sets if name != graph.reward else []):
            if graph.reward in s:
                continue
            whole = tuple(sorted((name, *s), key=index.__getitem__))
            at = place[whole]
            codes = np.indices([graph.size(n) for n in (name, *s)]).reshape(1 + len(s), -1)
            cell = joint.start[at] + joint.step[[index[n] for n in (name, *s)], at] @ codes
            by_states.setdefault(cell.size // graph.size(name), []).append((k, cell.reshape(graph.size(name), -1)))
        strata.append(
            tuple(
                _StrataCells(np.array([k for k, _ in each]), np.stack([cell for _, cell in each]))
                for each in by_states.values()
            )
        )
    bits = np.array([[sum(bit[p] for p in s) for s in each] for each in own], np.int64)
    free = [[n not in action for n in families.names] for action in problem.actions]
    watched = np.array([not action for action in problem.actions])
    each = np.arange(len(families.names))
    family = np.repeat(each, np.diff(families.start))
    first = np.flatnonzero((np.arange(families.total) - families.start[family]) % families.values[family] == 0)
    return FamilyList(
        names, bits, families, joint, tuple(strata), family, first, family[first], np.array(free, bool), watched
    )


@dataclass(frozen=True)
class AllFamilies:
    """Counts of every family with up to `most` parents, then of sets of variables while nothing is set, then plays.

    A family is a variable and a set of others as its parents; it is counted over the rounds that do not set the variable. The
    sets of variables are counted with the rewards of their rounds, over rounds of do() alone.
    """

    problem: Problem
    most_parents: int
    rests_on_graph: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _ = self.list

    @cached_property
    def list(self) -> FamilyList:
        """The families and where their counts stand."""
        return _family_list(self.problem, self.most_parents)

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Counts of each cell, and for sets of variables the rewards of those rounds.

        A round counts in the families of which it shows all variables, and for sets of variables if it shows every one.
        """
        layout, problem = self.list, self.problem
        codes = problem.actions.codes[rounds.action]  # int[R, V]
        x = np.where(codes >= 0, codes, rounds.x).astype(float)
        at = problem.graph.names.index(str(problem.graph.reward))
        x[:, at] = problem.graph.rewarded.counted(x[:, at], rounds.y)
        missing: Bools = np.asarray(x < 0)
        whole: Bools = np.asarray(~missing.any(axis=1))
        needed = layout.families.step != 0
        families = np.zeros((lanes, layout.families.total))
        weight, reward = np.zeros((lanes, layout.joint.total)), np.zeros((lanes, layout.joint.total))
        for lane in np.unique(rounds.lane):
            own = np.flatnonzero(rounds.lane == lane)
            for part in np.split(own, range(_ROUNDS_AT_ONCE, len(own), _ROUNDS_AT_ONCE)):
                free = layout.free[rounds.action[part]]
                if not whole[part].all():
                    free = free & ~(missing[part] @ needed)
                times = None if rounds.times is None else np.repeat(rounds.times[part], free.sum(axis=1))
                families[lane] += np.bincount(_cells(x[part], layout.families)[free], times, families.shape[1])
                watched = part[layout.watched[rounds.action[part]] & whole[part]]
                if len(watched):
                    cell = _cells(x[watched], layout.joint)
                    many = np.ones(len(watched)) if rounds.times is None else rounds.times[watched]
                    times, y = (np.repeat(v, cell.shape[1]) for v in (many, many * rounds.y[watched]))
                    weight[lane] += np.bincount(cell.reshape(-1), times, weight.shape[1])
                    reward[lane] += np.bincount(cell.reshape(-1), y, weight.shape[1])
        return Tally.from_counts(families, np.zeros_like(families)).beside(
            Tally.from_counts(weight, reward), Played(problem).tally(rounds, lanes)
        )

    def apart(self, tally: Tally) -> tuple[Tally, Tally, Tally]:
        """The sums of families, of sets of variables, and of plays."""
        first, second = self.list.families.total, self.list.families.total + self.list.joint.total
        return tally.cells(slice(0, first)), tally.cells(slice(first, second)), tally.cells(slice(second, None))


def _cells(x: Floats, cells: Cells) -> Ints:  # int[R, F]
    """The cell of each round in each table."""
    return np.asarray(x @ cells.step.astype(float) + cells.start[:-1]).astype(np.int64)
