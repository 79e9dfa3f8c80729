"""The sets of parents of each variable, where graphs are not listed: means and draws of tables through one circuit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import final

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.causal.graph import Graph
from bestdo.learners.beliefs.families import Families, families, work_of
from bestdo.learners.beliefs.graph_layout import Layout
from bestdo.learners.beliefs.graphs_in_doubt import shapes_of
from bestdo.learners.beliefs.passes import Passes
from bestdo.learners.kernels import family_lanes
from bestdo.statistics.candidate_tables import CandidateFamilies
from bestdo.statistics.tables import Cells

__all__ = ["ParentSets", "distinct_graphs", "maps_of"]


_MOST_WORK = 2**16
"""Steps of one pass over all members of all families; where there are more, all parents in a set matter. Eight variables of
two values in an order are in, nine are out. Limits the time of a round."""


def _slices_of(candidates: CandidateFamilies) -> dict[str, slice]:
    """The families of each variable."""
    names = [family.name for family in candidates.families]
    return {n: slice(names.index(n), names.index(n) + names.count(n)) for n in candidates.names}


def maps_of(
    graph: Graph, candidates: CandidateFamilies, cells: Cells, parents: dict[str, tuple[str, ...]]
) -> list[Ints]:  # int[sets, cells] each
    """The cell of the family with each set of parents, for each cell of the tables with all possible parents (`parents`)."""
    place, slices = {n: i for i, n in enumerate(graph.names)}, _slices_of(candidates)
    maps = []
    for v, name in enumerate(cells.names):
        axes = (*parents[name], name)
        codes = np.indices([*map(graph.size, axes[:-1]), int(cells.values[v])]).reshape(len(axes), -1)
        step = candidates.cells.step[[place[n] for n in axes]][:, slices[name]]
        maps.append(candidates.cells.start[slices[name], None] + step.T @ codes)
    return maps


@final
@dataclass(frozen=True, eq=False)
class ParentSets:
    """The families of each variable, one for each set of its parents, and the tables with all possible parents."""

    problem: Problem
    candidates: CandidateFamilies
    cells: Cells
    """The cells of the tables with all possible parents."""
    maps: list[Ints]
    """int[sets, cells] for each of these tables: the cell of the family with each set of parents."""
    passes: Passes
    """The passes by which means follow from these tables."""

    @cached_property
    def slices(self) -> dict[str, slice]:
        """The families of each variable."""
        return _slices_of(self.candidates)

    @cached_property
    def _shapes(self) -> list[tuple[tuple[int, ...], int]]:
        return shapes_of(self.problem.graph, self.candidates)

    @cached_property
    def _all_matter(self) -> bool:
        return sum(work_of(parents) for parents, _ in self._shapes) > _MOST_WORK

    @cached_property
    def families(self) -> Families:
        """The members of all families."""
        return families(self._shapes, all_matter=self._all_matter)

    @cached_property
    def _number(self) -> dict[str, int]:
        return {n: i for i, n in enumerate(self.candidates.names)}

    @cached_property
    def _parents(self) -> tuple[Ints, Ints, Ints]:
        """The first parent of each family, all parents, and the distance that one more of each moves the cell."""
        found = self.candidates
        parents = [[self._number[p] for p in family.parents] for family in found.families]
        stride = [found.cells.step[p, f] for f, own in enumerate(parents) for p in own]
        at = np.cumsum([0, *map(len, parents)]).astype(np.int64)
        return at, np.array([p for own in parents for p in own], np.int64), np.array(stride, np.int64)

    def layout_of(self, of: Ints, order: Ints) -> Layout:
        """The layout of some graphs, given by the family of each variable and by their orders (int[K, N] each)."""
        slices, number = self.slices, self._number
        rows = zip(self.cells.names, self.maps, strict=True)
        own = [each[of[:, number[n]] - slices[n].start] for n, each in rows]
        each = np.arange(len(of))
        return Layout(
            np.ascontiguousarray(of),
            order,
            each,
            np.zeros_like(each),
            each,
            (self.passes,),
            (np.ascontiguousarray(np.concatenate(own, axis=1)),),
            *self._parents,
            np.ascontiguousarray(self.problem.actions.codes, np.int16),
        )

    def means_of(self, tables: Floats) -> Floats:  # float[L, A]
        """The means of all actions under tables with all possible parents (float[L, cells])."""
        out = np.empty((len(tables), len(self.problem.actions)))
        family_lanes.means_by_circuit(self.passes, tables, out)
        return out

    def draw(self, of: Ints, counts: Floats, rng: np.random.Generator) -> Floats:  # float[D, A]
        """The means of all actions under drawn tables, for a family of each variable in each draw (int[D, N])."""
        start, whole = self.families.start, np.empty((len(of), self.cells.total))
        for v, name in enumerate(self.cells.names):
            chosen, first = of[:, self._number[name]], self.slices[name].start
            for f in np.unique(chosen).tolist():
                some = np.flatnonzero(chosen == f)
                table = np.empty((len(some), int(start[f + 1] - start[f])))
                family = _alone(*self._shapes[f], self._all_matter)
                family_lanes.drawn_tables(family, np.ascontiguousarray(counts[start[f] : start[f + 1]]), rng, table)
                own = table[:, self.maps[v][f - first] - start[f]]
                whole[some, self.cells.start[v] : self.cells.start[v + 1]] = own
        return self.means_of(whole)


def distinct_graphs(of: Ints) -> tuple[Ints, Ints]:  # int[K, N] and int[L, draws]
    """The distinct graphs among those drawn (int[L, draws, N]), and the place of each draw among them."""
    graphs, which = np.unique(of.reshape(-1, of.shape[2]), axis=0, return_inverse=True)
    return graphs, np.ascontiguousarray(which.reshape(of.shape[:2]), np.int64)


@lru_cache(maxsize=256)
def _alone(parents: tuple[int, ...], values: int, all_matter: bool) -> Families:
    """The layout of one family."""
    return families([(parents, values)], all_matter=all_matter)
