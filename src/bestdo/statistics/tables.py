"""The statistic of model-based learners: counts of each value of each variable, given each state of its parents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import states
from bestdo.causal.graph import Graph
from bestdo.errors import NotValid, TooLarge, shown
from bestdo.statistics.summing import count_in_parts

__all__ = ["Cells", "Tables", "cells"]

_MOST_CELLS = 2**14  # each lane keeps a number for each of them
_ROUNDS_AT_ONCE = 2**16

Ints = NDArray[np.int64]


class Cells(NamedTuple):
    """Where the counts of each table stand: variables that matter, causes before effects, each a table of rows.

    A row is a state of the variable's parents (the last of them changes fastest), with a cell for each of its values.
    """

    names: tuple[str, ...]
    """The reward and its ancestors."""
    start: Ints
    """int[N + 1]: where each table starts; the last number is how many cells there are."""
    values: Ints
    """int[N]: the length of each table's rows."""
    step: Ints
    """int[V, N]: how far a value of one variable of the graph moves the cell in the table of another, or its own."""

    @property
    def total(self) -> int:
        """How many cells there are."""
        return int(self.start[-1])


@lru_cache(maxsize=128)
def cells(graph: Graph) -> Cells:
    """The cells of the tables that decide the reward; refused where one of its causes is hidden, or there are too many."""
    assert graph.reward is not None
    matter = graph.ancestors([graph.reward])
    names = tuple(n for n in graph.order if n in matter)
    unseen = [n for n in names if n in graph.hidden]
    if unseen:
        raise NotValid(f"tables of all causes of the reward cannot be counted: {shown(unseen[0])} is hidden")
    sizes = [states(graph, (*graph.parents[n], n)) for n in names]
    if sum(sizes) > _MOST_CELLS:
        largest = names[int(np.argmax([min(size, 2**62) for size in sizes]))]
        raise TooLarge(
            f"the tables of the reward and its causes have {sum(sizes):,} cells; at most {_MOST_CELLS:,} are counted. "
            f"The largest is that of {shown(largest)}, with {len(graph.parents[largest])} parents"
        )
    place = {n: i for i, n in enumerate(graph.names)}
    step = np.zeros((len(graph.names), len(names)), np.int64)
    for column, name in enumerate(names):
        far = 1
        for axis in (name, *reversed(graph.parents[name])):
            step[place[axis], column] = far
            far *= graph.size(axis)
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Cells(names, start, np.array([graph.size(n) for n in names], np.int64), step)


@dataclass(frozen=True)
class Tables:
    """Counts of each (variable, parents, value) cell, over the rounds that did not set the variable.

    A variable follows its parents in the same way whatever was set, unless it was set itself: so rounds of all actions
    add. Counted are the tables of the reward and its ancestors, the others cannot matter. A round counts in the table
    of each variable that was seen together with all its parents; what the round's action set counts as seen.
    """

    problem: Problem

    def __post_init__(self) -> None:
        cells(self.problem.graph)

    @property
    def cells(self) -> Cells:
        """Where each count stands."""
        return cells(self.problem.graph)

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """How often each cell was seen, and the successes among those rounds."""
        return count_in_parts(rounds, lanes, self.cells.total, _ROUNDS_AT_ONCE, self._found)

    def _found(self, rounds: Rounds) -> tuple[Ints, Ints]:
        """The round and the cell of every count that the rounds add."""
        graph, cells = self.problem.graph, self.cells
        assert graph.reward is not None
        codes = self.problem.actions.codes[rounds.action]  # int[R, V]
        x = np.where(codes >= 0, codes, rounds.x).astype(np.int64)
        success = graph.variable(graph.reward).code(graph.success)
        x[:, graph.names.index(graph.reward)] = np.where(rounds.y, success, 1 - success)
        own = [graph.names.index(n) for n in cells.names]
        counts = codes[:, own] < 0  # bool[R, N]
        if (x < 0).any():
            counts &= (x < 0) @ (cells.step > 0) == 0
        cell = x @ cells.step + cells.start[:-1]
        row, column = np.nonzero(counts)
        return row, cell[row, column]
