"""The expected columns of the reward's causes under each action, from the tables of these causes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.causal.law import MOST_LISTED
from bestdo.errors import NotValid, TooLarge, shown
from bestdo.learners.beliefs.column_design import Design
from bestdo.statistics.tables import Cells, cells_of

__all__ = ["ParentShares"]

_MOST_STATES = 2**12
"""The most joint states of a cause of the reward, or of two that depend on each other, and of their own causes. Not tuned."""
_MOST_CELLS = 2**14
"""The most cells of the tables of all causes. Not tuned."""
_MOST_WORK = 2**20
"""The most states of all causes together, times the ways in which actions set them. Not tuned."""
_FEW = 2**11
"""The numbers in one array operation up to which the chances of all variables are multiplied for each way by itself."""


class _Pattern(NamedTuple):
    """The ways in which the same variables are set."""

    ways: Ints
    """The numbers of the ways."""
    free: Ints
    """The variables that are left to chance."""
    shows: Floats
    """float[S, ways × columns]: the values of the columns in each joint state, 0 where a state has not what a way sets."""


@dataclass(frozen=True, eq=False)
class _Part:
    """Some columns, which follow from the joint law of a few variables: one or two causes, and their own causes."""

    at: slice
    """The columns."""
    shows: Floats
    """float[S, columns]: their values in each joint state."""
    cells: Ints
    """int[variables, S]: the cell of each variable's table in each joint state."""
    ways: Ints
    """int[W, variables]: the ways in which actions set some of the variables; -1 where one is left."""
    agrees: Floats
    """float[W, S]: 1 where a state has the values that are set."""
    of_action: Ints
    """int[A]: the way of each action."""

    @cached_property
    def _patterns(self) -> list[_Pattern]:
        """The ways by which variables they set."""
        free, which = np.unique(self.ways < 0, axis=0, return_inverse=True)
        found = []
        for k, left in enumerate(free):
            ways = np.flatnonzero(which.reshape(-1) == k)
            shows = (self.agrees[ways].T[:, :, None] * self.shows[:, None, :]).reshape(len(self.shows), -1)
            found.append(_Pattern(ways, np.flatnonzero(left), shows))
        return found

    def numbers(self, tables: Floats) -> Floats:  # float[T, W, columns]
        """The expected columns for each way, by tables (float[T, cells])."""
        if self.agrees.size * len(self.cells) <= _FEW:
            chances = tables[:, None, self.cells]  # float[T, 1, variables, S]
            law = np.where((self.ways < 0)[:, :, None], chances, 1.0).prod(axis=2) * self.agrees
            return np.asarray(law @ self.shows)
        found = np.empty((len(tables), len(self.ways), self.shows.shape[1]))
        factors = [tables[:, cells] for cells in self.cells]  # float[T, S] each
        before, after = _products(factors), _products(factors[::-1])[::-1]
        for ways, free, shows in self._patterns:
            if len(free) == len(factors) - 1:
                (left_out,) = set(range(len(factors))).difference(free.tolist())
                law = before[left_out] * after[left_out + 1]
            else:
                law = _products([factors[k] for k in free.tolist()])[-1] if len(free) else np.ones((len(tables), 1))
            found[:, ways] = (np.broadcast_to(law, (len(tables), len(shows))) @ shows).reshape(
                len(tables), len(ways), -1
            )
        return found

    def places(self, start: int) -> Ints:  # int[A, columns]
        """Where the columns of each action are, if the numbers of all ways begin there."""
        width = self.shows.shape[1]
        return np.asarray(start + self.of_action[:, None] * width + np.arange(width))

    def of(self, which: Ints) -> _Part:
        """The part for some actions alone."""
        ways, of_action = np.unique(self.of_action[which], return_inverse=True)
        return replace(self, ways=self.ways[ways], agrees=self.agrees[ways], of_action=of_action)


def _products(factors: list[Floats]) -> list[Floats]:
    """The products of no factor, of the first one, of the first two, and so on: float[1, 1] or float[T, S] each."""
    found: list[Floats] = [np.ones((1, 1))]
    for factor in factors:
        found.append(found[-1] * factor)
    return found


class _Layout(NamedTuple):
    """Which numbers the columns of actions are products of: of 1, and of what follows from each part in all its ways."""

    parts: tuple[_Part, ...]
    one: Ints
    """int[A, D]"""
    two: Ints | None
    """int[A, D]; None where the other factor is 1 everywhere."""

    def expected(self, tables: Floats) -> Floats:  # float[T, A, D]
        """The expected columns by tables (float[T, cells])."""
        numbers = [part.numbers(tables).reshape(len(tables), -1) for part in self.parts]
        known = np.concatenate([np.ones((len(tables), 1)), *numbers], axis=1)
        found = np.take(known, self.one, axis=1)
        return np.asarray(found if self.two is None else found * np.take(known, self.two, axis=1))


@dataclass(frozen=True)
class ParentShares:
    """The expected columns under each action; raises NotValid or TooLarge where tables do not give them."""

    problem: Problem
    design: Design

    def __post_init__(self) -> None:
        _ = self.fixed

    @cached_property
    def _parents(self) -> tuple[str, ...]:
        return self.problem.graph.parents[str(self.problem.graph.reward)]

    @cached_property
    def cells(self) -> Cells:
        """The cells of the tables of all causes; none where the law of the reward's causes is known."""
        nothing = np.zeros(0, np.int64)
        empty = Cells((), np.zeros(1, np.int64), nothing, np.zeros((len(self.problem.graph.names), 0), np.int64))
        return self._cells if self.problem.law is None else empty

    @cached_property
    def _cells(self) -> Cells:
        graph = self.problem.graph
        matter = graph.ancestors(self._parents)
        names = [n for n in graph.order if n in matter]
        unseen = [n for n in names if n in graph.hidden]
        if unseen:
            raise NotValid(f"the shares of all causes of the reward cannot be counted: {shown(unseen[0])} is hidden")
        return cells_of(graph, [(n, graph.parents[n]) for n in names], _MOST_CELLS)

    @cached_property
    def _above(self) -> dict[str, frozenset[str]]:
        """Each cause of the reward and its own causes, but for those of variables that every action sets."""
        graph = self.problem.graph
        always = {n for k, n in enumerate(graph.names) if (self.problem.actions.codes[:, k] >= 0).all()}
        above: dict[str, frozenset[str]] = {}
        for name in self._cells.names:
            causes = () if name in always else graph.parents[name]
            above[name] = frozenset((name,)).union(*(above[cause] for cause in causes))
        return above

    @cached_property
    def _parts(self) -> tuple[_Part, ...]:
        parts = tuple(self._all_parts())
        if (work := sum(part.agrees.size for part in parts)) > _MOST_WORK:
            raise TooLarge(f"the causes of the reward have {work:,} states; at most {_MOST_WORK:,} are listed")
        return parts

    def _all_parts(self) -> Iterator[_Part]:
        design = self.design
        for k, name in enumerate(self._parents):
            at = slice(int(design.start[k]), int(design.start[k + 1]))
            yield self._part(at, (k,), self._above[name])
        for (i, j), (first, last) in zip(design.pairs, itertools.pairwise(design.start_of_pairs), strict=True):
            one, two = (self._above[self._parents[k]] for k in (i, j))
            if one & two:
                yield self._part(slice(int(first), int(last)), (i, j), one | two)

    def _part(self, at: slice, causes: tuple[int, ...], variables: frozenset[str]) -> _Part:
        graph, cells = self.problem.graph, self._cells
        names = [n for n in cells.names if n in variables]
        sizes = [graph.size(n) for n in names]
        if (states := float(np.prod(np.array(sizes, np.float64)))) > _MOST_STATES:
            raise TooLarge(
                f"{shown(self._parents[causes[0]])} and its causes have {states:,.0f} joint states; at most "
                f"{_MOST_STATES:,} are listed"
            )
        codes = np.indices(sizes).reshape(len(sizes), -1)  # int[variables, S]
        place = [graph.names.index(n) for n in names]
        columns = [cells.names.index(n) for n in names]
        cell = np.stack([codes.T @ cells.step[place, c] + cells.start[c] for c in columns])
        ways, of_action = np.unique(self.problem.actions.codes[:, place], axis=0, return_inverse=True)
        agrees = np.stack([((way[:, None] < 0) | (codes == way[:, None])).all(axis=0) for way in ways])
        shows = np.ones((codes.shape[1], 1))
        for k in causes:
            coding = self.design.codings[k][codes[names.index(self._parents[k])]]
            shows = (shows[:, :, None] * coding[:, None, :]).reshape(len(shows), -1)
        return _Part(at, shows, cell, ways.astype(np.int64), agrees.astype(np.float64), of_action.reshape(-1))

    @cached_property
    def varying(self) -> Ints:  # int[V]
        """The actions whose columns depend on counts: those that leave a cause to chance, whose law is not known."""
        free = np.zeros(len(self.problem.actions), bool)
        if self.problem.law is None:
            for part in self._parts:
                free |= np.asarray((part.ways < 0).any(axis=1))[part.of_action]
        return np.flatnonzero(free)

    @cached_property
    def fixed(self) -> Floats:  # float[A, D]
        """The columns of all actions; anything for those that vary."""
        law, every = self.problem.law, self.problem.actions
        if law is None:
            return np.asarray(self._layout(self._parts, len(every)).expected(np.ones((1, self._cells.total)))[0])
        if (listed := law.listed(MOST_LISTED)) is not None:
            codes = np.indices(self.design.sizes).reshape(len(self.design.sizes), -1).T
            return np.asarray(listed @ self.design.columns(codes))
        known = law.tables()
        tables = np.concatenate([known[name].reshape(-1) for name in self._cells.names])
        return np.asarray(self._layout(self._parts, len(every)).expected(tables[None])[0])

    def expected(self, tables: Floats) -> Floats:  # float[T, V, D]
        """The expected columns of the actions that vary, by tables (float[T, cells])."""
        return self._layout_of_varying.expected(tables)

    @cached_property
    def _layout_of_varying(self) -> _Layout:
        return self._layout(tuple(part.of(self.varying) for part in self._parts), len(self.varying))

    def _layout(self, parts: tuple[_Part, ...], actions: int) -> _Layout:
        """Where the columns of some actions are among the numbers of all ways of all parts."""
        starts = np.cumsum([1, *(len(part.ways) * part.shows.shape[1] for part in parts)])
        one, two = np.zeros((2, actions, self.design.size), np.int64)
        single, main = len(self._parents), self.design.main
        for part, start in zip(parts[:single], starts, strict=False):
            one[:, part.at] = part.places(start)
        one[:, main:], two[:, main:] = (one[:, own] for own in self.design.of_pair)
        for part, start in zip(parts[single:], starts[single:], strict=False):
            one[:, part.at], two[:, part.at] = part.places(start), 0
        return _Layout(parts, one, two if two.any() else None)
