"""Counts of the tables of all sets of parents of all variables, from those with all possible parents of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.causal.action import Actions, do
from bestdo.causal.graphs import Graphs
from bestdo.causal.parent_sets import MOST_SET_CELLS
from bestdo.memory_cache import memory_cache
from bestdo.statistics.candidate_tables import CandidateFamilies, families_of_sets

__all__ = ["SetTables", "set_tables"]


class SetTables(NamedTuple):
    """The tables of every variable with each of its possible sets of parents, for graphs that are not listed."""

    families: CandidateFamilies
    """Every variable with each set, the sets of a variable one after the other, in the order of the variables."""
    variable: Ints
    """int[F]: the variable of each family."""
    parents: Ints
    """int[F]: its parents, one bit for each variable."""
    number: Ints
    """int[N, 2^N]: the family of each variable and set of parents; -1 where there is none."""
    shapes: tuple[tuple[int, ...], ...]
    """The numbers of values of the possible parents of each variable, and of its own."""
    where: tuple[Ints, ...]
    """The place in each variable's extended table of each cell of its families: along each possible parent such a
    table has one place more, with the sum over this parent."""

    def counts(self, whole: Floats) -> Floats:  # float[L, cells]
        """Counts of each cell of all families, from the counts with all possible parents (float[L, ·])."""
        counts, at, to = np.empty((len(whole), self.families.cells.total)), 0, 0
        for shape, where in zip(self.shapes, self.where, strict=True):
            size = int(np.prod(shape))
            table = np.empty((len(whole), *(each + 1 for each in shape[:-1]), shape[-1]))
            table[:, *map(slice, shape)] = whole[:, at : at + size].reshape(len(whole), *shape)
            for axis, each in enumerate(shape[:-1]):  # axes before it have their sums already
                part = table[:, *([slice(None)] * axis), :, *map(slice, shape[axis + 1 :])]
                rows = [part[(slice(None),) * (axis + 1) + (k,)] for k in range(each + 1)]
                np.copyto(rows[each], rows[0])
                for row in rows[1:each]:
                    rows[each] += row
            np.take(table.reshape(len(whole), -1), where, axis=1, out=counts[:, to : to + len(where)])
            at, to = at + size, to + len(where)
        return counts


@memory_cache
def set_tables(doubts: Graphs) -> SetTables:
    """The tables of all sets of parents that doubts leave, found once."""
    graph = doubts.sure
    families = families_of_sets(doubts, Actions(graph, [do()]), MOST_SET_CELLS)
    place = {n: i for i, n in enumerate(graph.names)}
    variable = np.array([place[f.name] for f in families.families], np.int64)
    parents = np.array([sum(1 << place[p] for p in f.parents) for f in families.families], np.int64)
    number = np.full((len(place), 1 << len(place)), -1, np.int64)
    number[variable, parents] = np.arange(len(variable))
    shapes, where = [], []
    for v, name in enumerate(graph.names):
        may = sorted(doubts.may_cause[name], key=place.__getitem__)
        own = np.flatnonzero(variable == v)
        values = int(families.cells.values[own[0]])
        shape = (*map(graph.size, may), values)
        stride = np.cumprod([1, *reversed([size + 1 for size in shape[1:-1]] + [values] * bool(may))])[::-1]
        parts = []
        for f in own.tolist():
            has = families.families[f].parents
            codes = np.indices([graph.size(p) if p in has else 1 for p in may] + [values]).reshape(len(may) + 1, -1)
            summed = [[0 if p in has else graph.size(p)] for p in may]
            parts.append(stride @ (codes + np.array([*summed, [0]])))
        shapes.append(shape)
        where.append(np.concatenate(parts))
    return SetTables(families, variable, parents, number, tuple(shapes), tuple(where))
