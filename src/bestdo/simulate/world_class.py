"""A class of worlds: one problem, and random tables for each lane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Progress
from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError
from bestdo.simulate.random_rows import Rows
from bestdo.simulate.world_batch import Worlds

__all__ = ["WorldClass"]


_SAME_MEAN = 1e-12
"""Means that differ by less than this are equal: such differences are rounding errors."""
_TRIES = 200
"""The number of draws of worlds before an action counts as one that is never best."""


@dataclass(frozen=True, eq=False)
class WorldClass:
    """A distribution over worlds of one problem, given by how the rows of each variable's table are drawn."""

    problem: Problem
    rows: Mapping[str, Rows]
    """The functions that draw P(1 | parents) for each two-valued variable whose table is not known.

    Other variables that are not known have rows that are uniform over all distributions.
    """
    known: Mapping[str, Floats] = field(default_factory=dict)
    """The tables that are the same in all worlds."""
    progress: ClassVar[Progress] = Progress()
    """The empty record: nothing was played before."""
    best: Intervention | None = None
    """Only worlds in which this action is a best one are kept."""

    def worlds(self, lanes: int, rng: np.random.Generator) -> Worlds:
        """Draws a world for each lane."""
        parts: list[dict[str, Floats]] = []
        missing = lanes
        for _ in range(_TRIES):
            tables = self._tables(lanes, rng)
            kept = np.arange(lanes)
            if self.best is not None:
                means = Worlds(self.problem, lanes, {**tables, **self.known}).means
                wanted = means[:, self.problem.actions.index(self.best)]
                kept = np.flatnonzero(wanted >= means.max(axis=1) - _SAME_MEAN)
            parts.append({name: table[kept[:missing]] for name, table in tables.items()})
            missing -= min(missing, len(kept))
            if not missing:
                break
        else:
            raise BestdoError(f"{self.best} is best in fewer than {lanes} of {_TRIES * lanes:,} worlds of this class")
        drawn = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        return Worlds(self.problem, lanes, {**drawn, **self.known})

    def _tables(self, lanes: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Draws the tables that are not known."""
        graph, tables = self.problem.graph, {}
        for name in (n for n in graph.names if n not in self.known):
            sizes = tuple(graph.size(parent) for parent in graph.parents[name])
            if name in self.rows:
                p = self.rows[name](sizes, lanes, rng)
                tables[name] = np.stack([1 - p, p], axis=-1)
            else:
                tables[name] = rng.dirichlet(np.ones(graph.size(name)), size=(lanes, *sizes))
        return tables
