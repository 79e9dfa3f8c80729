"""The rows of the tables of families: their expectations, and in which of them something was counted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.learners.beliefs.families import Families
from bestdo.learners.kernels import family_lanes

__all__ = ["TableRows"]


@final
@dataclass(frozen=True, eq=False)
class TableRows:
    """The rows of the tables of some families, of which some are never needed."""

    families: Families
    always_set: Bools
    """bool[N]: the families of variables that every action sets, as what is seen first in a problem with contexts."""

    @cached_property
    def first(self) -> Ints:  # int[R]
        """The first cell of each row of all tables."""
        start, values = self.families.start, self.families.values
        return np.concatenate([np.arange(start[v], start[v + 1], n) for v, n in enumerate(values)])

    @cached_property
    def _never_needed(self) -> Bools:  # bool[R]
        return np.repeat(self.always_set, np.diff(self.families.start) // self.families.values)

    @cached_property
    def _first_row(self) -> Ints:  # int[N]
        return np.searchsorted(self.first, self.families.start[:-1])

    def means(self, counts: Floats) -> Floats:  # float[L, cells]
        """The expectations of all cells of all tables."""
        tables = np.empty((len(counts), int(self.families.start[-1])))
        family_lanes.tables_of_lanes(self.families, counts, tables)
        return tables

    def drawn(self, counts: Floats, draws: int, rng: np.random.Generator) -> Floats:  # float[D, cells]
        """Draws of all tables in one lane, given its counts."""
        tables = np.empty((draws, int(self.families.start[-1])))
        family_lanes.drawn_tables(self.families, counts, rng, tables)
        return tables

    def drawn_by_lane(self, counts: Floats, rng: np.random.Generator) -> Floats:  # float[L, cells]
        """One draw of all tables in each lane."""
        tables = np.empty((len(counts), int(self.families.start[-1])))
        family_lanes.drawn_by_lane(self.families, counts, rng, tables)
        return tables

    def counted(self, counts: Floats) -> Bools:  # bool[L, R]
        """A mask of the rows of all tables in which something was counted, or which are never needed."""
        some = np.add.reduceat(counts[:, : self.families.start[-1]], self.first, axis=1) > 0
        return np.asarray(some | self._never_needed)

    def counted_whole(self, counts: Floats) -> Bools:  # bool[L, N]
        """A mask of the families in all of whose rows something was counted, or which are never needed."""
        return np.asarray(np.logical_and.reduceat(self.counted(counts), self._first_row, axis=1))

    def counted_cells(self, counts: Floats) -> Bools:  # bool[L, cells]
        """A mask of the cells of all rows in which something was counted, or which are never needed."""
        return np.repeat(self.counted(counts), np.diff(self.first, append=self.families.start[-1]), axis=1)
