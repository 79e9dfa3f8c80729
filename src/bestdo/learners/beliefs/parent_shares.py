"""The expected columns of the reward's causes under each action, from the tables of these causes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import networkx as nx
import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.errors import NotValid, TooLarge, shown
from bestdo.learners.beliefs.column_design import Design
from bestdo.statistics.tables import Cells, cells_of

__all__ = ["ParentShares", "cells_of_causes"]

_MOST_STATES = 2**12
"""The most joint states of causes that depend on each other. Not tuned."""
_MOST_CELLS = 2**14


def cells_of_causes(problem: Problem) -> Cells:
    """The cells of the tables of the reward's causes; raises NotValid where one is hidden, TooLarge for too many."""
    graph = problem.graph
    matter = graph.ancestors([str(graph.reward)]) - {graph.reward}
    names = [n for n in graph.order if n in matter]
    unseen = [n for n in names if n in graph.hidden]
    if unseen:
        raise NotValid(f"the shares of all causes of the reward cannot be counted: {shown(unseen[0])} is hidden")
    return cells_of(graph, [(n, graph.parents[n]) for n in names], _MOST_CELLS)


class _Part(NamedTuple):
    """Causes that depend on each other, and on no others."""

    cell: tuple[Ints, ...]
    """int[S] for each variable: the cell of its table in each joint state."""
    settings: tuple[tuple[Ints, Floats], ...]
    """For each way in which actions set some of them: the variables that are left, and a mask of the states (float[S])."""
    of_action: Ints
    """int[A]: the way of each action."""
    values: tuple[tuple[int, Floats], ...]
    """The causes of the reward among them: the number of each, and the states that show each value (float[S, values])."""


@dataclass(frozen=True)
class ParentShares:
    """The law of the reward's causes under each action, by parts that are independent of each other."""

    problem: Problem
    design: Design

    def __post_init__(self) -> None:
        if self.problem.law is None or self.problem.law.listed(_MOST_CELLS) is None:
            _ = self._parts

    @property
    def parents(self) -> tuple[str, ...]:
        """The causes of the reward, in the order of the design."""
        return self.problem.graph.parents[str(self.problem.graph.reward)]

    @cached_property
    def cells(self) -> Cells:
        """The cells of the tables of all causes."""
        return cells_of_causes(self.problem)

    @cached_property
    def _parts(self) -> tuple[_Part, ...]:
        graph, names = self.problem.graph, self.cells.names
        links = nx.Graph([(p, n) for n in names for p in graph.parents[n]])
        links.add_nodes_from(names)
        parts = nx.connected_components(links)
        return tuple(self._part([n for n in names if n in part]) for part in parts)

    def _part(self, names: list[str]) -> _Part:
        graph, cells = self.problem.graph, self.cells
        sizes = [graph.size(n) for n in names]
        states = int(np.prod([float(size) for size in sizes]))
        if states > _MOST_STATES:
            raise TooLarge(
                f"{shown(names[0])} and {len(names) - 1} other causes that depend on each other have {states:,} joint "
                f"states; at most {_MOST_STATES:,} are listed"
            )
        codes = np.indices(sizes).reshape(len(sizes), -1)  # int[variables, S]
        place = [graph.names.index(n) for n in names]
        cell = []
        for name in names:
            column = cells.names.index(name)
            cell.append(codes.T @ cells.step[place, column] + cells.start[column])
        ways, of_action = np.unique(self.problem.actions.codes[:, place], axis=0, return_inverse=True)
        settings = []
        for way in ways:
            free = np.flatnonzero(way < 0)
            agrees = ((way[:, None] < 0) | (codes == way[:, None])).all(axis=0)
            settings.append((free, agrees.astype(np.float64)))
        values = [
            (self.parents.index(n), np.eye(size)[codes[k]])
            for k, (n, size) in enumerate(zip(names, sizes, strict=True))
            if n in self.parents
        ]
        return _Part(tuple(cell), tuple(settings), of_action.reshape(-1), tuple(values))

    @cached_property
    def known(self) -> Floats | None:  # float[1, A, D]
        """The expected columns where the law is known; None where it is counted."""
        law = self.problem.law
        if law is None:
            return None
        if (listed := law.listed(_MOST_CELLS)) is not None:
            codes = np.indices(self.design.sizes).reshape(len(self.design.sizes), -1).T
            return np.asarray(listed @ self.design.columns(codes))[None]
        known, tables = law.tables(), np.zeros((1, self.cells.total))
        for k, name in enumerate(self.cells.names):
            tables[0, self.cells.start[k] : self.cells.start[k + 1]] = known[name].reshape(-1)
        return self._expected(tables)

    @cached_property
    def certain(self) -> bool:
        """Whether no table matters: every action sets all causes, or the law is known."""
        return self.known is not None or not any(len(free) for part in self._parts for free, _ in part.settings)

    def expected(self, tables: Floats) -> Floats:  # float[T, A, D], or float[1, A, D] where no table matters
        """The expected columns under each action, by tables (float[T, cells])."""
        if self.known is not None:
            return self.known
        return self._expected(tables[:1] if self.certain else tables)

    def _expected(self, tables: Floats) -> Floats:  # float[T, A, D]
        shares: list[Floats] = [np.zeros(0)] * len(self.design.sizes)
        joint: dict[tuple[int, int], Floats] = {}
        for part in self._parts:
            law = self._law(part, tables)
            for at, (k, shows) in enumerate(part.values):
                shares[k] = (law @ shows)[:, part.of_action]
                for other, also in part.values[:at]:
                    if (pair := tuple(sorted((other, k)))) in self.design.pairs:
                        one, two = (also, shows) if other < k else (shows, also)
                        products = (
                            one @ self.design.codings[pair[0]],
                            two @ self.design.codings[pair[1]],
                        )
                        both = (products[0][:, :, None] * products[1][:, None, :]).reshape(len(one), -1)
                        joint[pair] = (law @ both)[:, part.of_action]
        found = self.design.expected(shares)
        for pair, first in zip(self.design.pairs, self.design.start_of_pairs, strict=False):
            if pair in joint:
                found[..., first : first + joint[pair].shape[-1]] = joint[pair]
        return found

    @staticmethod
    def _law(part: _Part, tables: Floats) -> Floats:  # float[T, ways, S]
        """The law of the joint states of a part, for each way in which actions set some of its variables."""
        factors = [tables[:, cell] for cell in part.cell]
        found = np.empty((len(tables), len(part.settings), len(part.cell[0])))
        for way, (free, agrees) in enumerate(part.settings):
            found[:, way] = agrees
            for k in free:
                found[:, way] *= factors[k]
        return found
