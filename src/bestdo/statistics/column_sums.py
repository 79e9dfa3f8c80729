"""The sums of a regression of the reward on columns, and counts of the tables of the reward's causes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import UNKNOWN, Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.summing import count_in_parts, sum_by_lane
from bestdo.statistics.tables import ROUNDS_AT_ONCE, Cells, cells_of_rounds

__all__ = ["ColumnSums"]

_OUTER = 8
"""Rounds of a lane up to which products of columns are formed for each round; more of them are multiplied as matrices."""
_MANY = 8
"""Lanes from which on products are formed row by row, where each has one round: with fewer, taking them all is faster."""


@dataclass(frozen=True)
class ColumnSums:
    """XᵀX, Xᵀy and yᵀy over the rounds in which all causes of the reward were seen, and behind them counts of tables.

    The first D (D + 1) / 2 cells are the upper half of XᵀX, row by row: their weights are its numbers; the first D have the
    sums of reward × column beside them, the first one also that of the squared rewards. The other cells count each value
    of each cause given its own causes, as `Tables`.
    """

    problem: Problem
    columns: Callable[[Ints], Floats] = field(compare=False)
    """The columns (float[R, D]) of states, given by the value of each cause of the reward (int[R, P])."""
    size: int
    """D."""
    cells: Cells = field(compare=False)
    """The cells of the tables; none where the law of the causes is known."""

    @cached_property
    def _half(self) -> tuple[Ints, Ints]:
        return np.triu_indices(self.size)

    @property
    def own(self) -> int:
        """The number of cells of the regression."""
        return self.size * (self.size + 1) // 2

    @cached_property
    def _places(self) -> list[int]:
        graph = self.problem.graph
        return [graph.names.index(n) for n in graph.parents[str(graph.reward)]]

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums over these rounds."""
        first, *others = self.parts(rounds, lanes)
        return first.beside(*others) if others else first

    def parts(self, rounds: Rounds, lanes: int) -> tuple[Tally, ...]:
        """The sums of the regression and the counts of the tables, for whoever puts more beside them: copies take time."""
        regression = self._of_regression(rounds, lanes)
        if not self.cells.total:
            return (regression,)
        tables = count_in_parts(rounds, lanes, self.cells.total, ROUNDS_AT_ONCE, self._cells_of)
        zeros = np.zeros(tables.weight.shape)
        squares = None if regression.square is None else zeros
        return regression, Tally.from_counts(tables.weight, zeros, squares)

    def _cells_of(self, rounds: Rounds) -> tuple[Ints, Ints]:
        return cells_of_rounds(self.problem, self.cells, self.cells.step > 0, rounds)

    def _of_regression(self, rounds: Rounds, lanes: int) -> Tally:
        codes, x = self.problem.actions.codes[rounds.action][:, self._places], rounds.x[:, self._places]
        x = np.where((codes >= 0) & (x != UNKNOWN), codes, x)
        known = (x >= 0).all(axis=1)
        if not known.all():
            some = np.flatnonzero(known)
            rounds, x = rounds.pick(some), x[some]
        columns, y = self.columns(np.asarray(x, np.int64)), rounds.y.astype(np.float64)
        times = np.ones(len(y)) if rounds.times is None else rounds.times.astype(np.float64)
        weight = self._products(rounds.lane, columns, times, lanes)
        reward = np.zeros((lanes, self.own))
        reward[:, : self.size] = sum_by_lane(rounds.lane, columns * (times * y)[:, None], lanes)
        square = None
        if not self.problem.graph.two_values:
            square = np.zeros((lanes, self.own))
            square[:, 0] = np.bincount(rounds.lane, times * y * y, lanes)
        return Tally.from_counts(weight, reward, square)

    def _products(self, lane: Ints, columns: Floats, times: Floats, lanes: int) -> Floats:  # float[L, own]
        """The upper halves of XᵀX."""
        one, two = self._half
        if len(lane) == lanes >= _MANY and (lane == np.arange(lanes)).all():
            return self._of_one_round(columns, times)
        if len(lane) <= _OUTER * lanes:
            return sum_by_lane(lane, columns[:, one] * columns[:, two] * times[:, None], lanes)
        found = np.zeros((lanes, self.own))
        order = np.argsort(lane, kind="stable")
        for some in np.split(order, np.flatnonzero(np.diff(lane[order])) + 1):
            whole = (columns[some] * times[some, None]).T @ columns[some]
            found[lane[some[0]]] = whole[one, two]
        return found

    def _of_one_round(self, columns: Floats, times: Floats) -> Floats:  # float[L, own]
        """The upper halves of XᵀX of one round in each lane, row by row."""
        found, at = np.empty((len(columns), self.own)), 0
        for k in range(self.size):
            np.multiply(columns[:, k : k + 1], columns[:, k:], out=found[:, at : at + self.size - k])
            at += self.size - k
        if (times != 1).any():
            found *= times[:, None]
        return found
