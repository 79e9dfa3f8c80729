"""Counts of each value of each variable given each state of its parents: the statistic of model-based learners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import UNKNOWN, Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import states
from bestdo.causal.graph import Graph
from bestdo.errors import NotValid, TooLarge, shown
from bestdo.memory_cache import memory_cache
from bestdo.statistics.summing import count_in_parts

__all__ = ["ROUNDS_AT_ONCE", "Cells", "Tables", "cells", "cells_of", "cells_of_rounds"]

_MOST_CELLS = 2**14  # of all tables: each lane keeps a number for each of them, 128 kB; not measured
ROUNDS_AT_ONCE = 2**16
"""The number of rounds counted at once: 300,000 rounds of 31 variables took 0.6 s with 2**12, 1.0 s with 2**16, 1.5 s with
2**18."""


class Cells(NamedTuple):
    """The cells of the tables of the variables that matter, causes before effects, one table after the other.

    A table has a row for each state of the variable's parents (the last of them changes fastest), with a cell for each of
    its values. A reward with a success has two, success and failure, whichever of its other values it takes; a reward that is
    a number has one, whose sums of rewards and of their squares tell the rest.
    """

    names: tuple[str, ...]
    """The reward and its ancestors."""
    start: Ints
    """int[N + 1]: where each table starts; the last number is how many cells there are."""
    values: Ints
    """int[N]: the length of each table's rows."""
    step: Ints
    """int[V, N]: how far one more of the code of a variable of the graph (row) moves the cell in a table (column)."""

    @property
    def total(self) -> int:
        """The number of cells."""
        return int(self.start[-1])


@memory_cache
def cells(graph: Graph) -> Cells:
    """The cells of the tables of the reward and its causes; raises NotValid where one is hidden, TooLarge for too many."""
    assert graph.reward is not None
    matter = graph.ancestors([graph.reward])
    names = tuple(n for n in graph.order if n in matter)
    unseen = [n for n in names if n in graph.hidden]
    if unseen:
        raise NotValid(f"tables of all causes of the reward cannot be counted: {shown(unseen[0])} is hidden")
    return cells_of(graph, [(n, graph.parents[n]) for n in names], _MOST_CELLS)


def cells_of(graph: Graph, families: Sequence[tuple[str, tuple[str, ...]]], most: int) -> Cells:
    """The cells of the tables of families, each a variable and its parents; raises TooLarge for more than `most`."""
    names = tuple(n for n, _ in families)
    values = [graph.rewarded.levels if n == graph.reward else graph.size(n) for n in names]
    sizes = [states(graph, parents) * own for (_, parents), own in zip(families, values, strict=True)]
    if sum(sizes) > most:
        largest, parents = families[int(np.argmax([min(size, 2**62) for size in sizes]))]
        raise TooLarge(
            f"the tables of the reward and its causes have {sum(sizes):,} cells; at most {most:,} are counted. "
            f"The largest is that of {shown(largest)}, with {len(parents)} parents"
        )
    place = {n: i for i, n in enumerate(graph.names)}
    step = np.zeros((len(graph.names), len(names)), np.int64)
    for column, (name, parents) in enumerate(families):
        step[place[name], column] = 1
        far = values[column]
        for axis in reversed(parents):
            step[place[axis], column] = far
            far *= graph.size(axis)
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return Cells(names, start, np.array(values, np.int64), step)


@dataclass(frozen=True)
class Tables:
    """Counts of each cell (variable, state of its parents, value), over the rounds that did not set the variable.

    Given its parents a variable has the same law under all actions that do not set it, so their rounds add. The tables are
    those of the reward and its ancestors, as the others cannot matter. A round counts in the table of each variable that
    was seen together with all its parents; values that the round's action set count as seen.
    """

    problem: Problem

    def __post_init__(self) -> None:
        cells(self.problem.graph)

    @property
    def cells(self) -> Cells:
        """The cells of the statistic."""
        return cells(self.problem.graph)

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Counts of each cell, and the rewards of those rounds."""
        return count_in_parts(rounds, lanes, self.cells.total, ROUNDS_AT_ONCE, self._cells_of)

    def _cells_of(self, rounds: Rounds) -> tuple[Ints, Ints]:
        """The round and the cell of every count that the rounds add."""
        return cells_of_rounds(self.problem, self.cells, self.cells.step > 0, rounds)


def cells_of_rounds(
    problem: Problem,
    cells: Cells,
    needed: Bools,
    rounds: Rounds,
    counted: Bools | None = None,
) -> tuple[Ints, Ints]:
    """The round and the cell of every count that rounds add; a table counts those that know all it needs (bool[V, N]).

    `counted` (bool[A, N]) says for which actions; by default, those that do not set the table's variable.
    """
    graph = problem.graph
    codes = problem.actions.codes[rounds.action]  # int[R, V]
    x = np.where((codes >= 0) & (rounds.x != UNKNOWN), codes, rounds.x).astype(np.int64)
    reward = graph.names.index(str(graph.reward))
    x[:, reward] = graph.rewarded.counted(x[:, reward], rounds.y)
    own = [graph.names.index(n) for n in cells.names]
    counts = codes[:, own] < 0 if counted is None else counted[rounds.action]  # bool[R, N]
    if (x < 0).any():
        counts &= (x < 0) @ needed == 0
    cell = x @ cells.step + cells.start[:-1]
    row, column = np.nonzero(counts)
    return row, cell[row, column]
