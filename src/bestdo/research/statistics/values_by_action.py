"""Counts of each value of each variable under each action: what tells which variables an action changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.played import Played
from bestdo.statistics.summing import count_in_parts

__all__ = ["ValuesByAction"]

_ROUNDS_AT_ONCE = 2**16
"""The number of rounds counted at once, as in `Tables`."""


@dataclass(frozen=True)
class ValuesByAction:
    """Counts of each value of each variable under each action, and behind these cells those of `Played`."""

    problem: Problem
    rests_on_graph: ClassVar[bool] = False

    @cached_property
    def start(self) -> Ints:  # int[V + 1]
        """The first cell of the values of each variable of the graph among the cells of an action; the reward has none."""
        graph = self.problem.graph
        sizes = [0 if n == graph.reward or n in graph.hidden else graph.size(n) for n in graph.names]
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The counts of values, side by side with plays and their rewards."""
        cells = int(self.start[-1])

        def cells_of(part: Rounds) -> tuple[Ints, Ints]:
            counts = (part.x >= 0) & (np.diff(self.start) > 0)
            row, variable = np.nonzero(counts)
            return row, part.action[row] * cells + self.start[variable] + part.x[row, variable]

        values = count_in_parts(rounds, lanes, cells * len(self.problem.actions), _ROUNDS_AT_ONCE, cells_of)
        return values.beside(Played(self.problem).tally(rounds, lanes))

    def apart(self, tally: Tally) -> tuple[Floats, Tally]:
        """The counts of values float[L, A, cells], and the sums of plays."""
        actions = len(self.problem.actions)
        at = tally.weight.shape[1] - actions
        return tally.weight[:, :at].reshape(-1, actions, int(self.start[-1])), tally.cells(slice(at, None))
