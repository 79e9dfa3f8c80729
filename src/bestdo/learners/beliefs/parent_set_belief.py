"""A belief where each arrow is in doubt by itself, as with an order in time alone: an average over all sets of parents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.learners.beliefs.families import Families, families, work_of
from bestdo.learners.beliefs.graph_belief import UNLIKELY, GraphBelief, drawn_places
from bestdo.learners.beliefs.graph_layout import Layout, sorted_graph
from bestdo.learners.beliefs.graph_scores import family_weights
from bestdo.learners.beliefs.passes import Passes, passes_of
from bestdo.learners.kernels import family_lanes
from bestdo.statistics.tables import Cells
from bestdo.statistics.tables import cells as cells_of

__all__ = ["ParentSetBelief"]


_MOST_WORK = 2**16
"""Steps of one pass over all members of all families; where there are more, all parents in a set matter. Eight variables of
two values in an order are in, nine are out. Limits the time of a round."""


@dataclass(frozen=True)
class ParentSetBelief(GraphBelief):
    """The belief of `GraphBelief` where no arrow depends on another, for any number of graphs, none of which is listed.

    The prior of a graph and its marginal likelihood are then products over variables, and so is the posterior: each variable
    has one of its sets of parents, by its own probabilities, whatever the others have. An action's mean is linear in each
    table. So its expectation is its value at tables averaged over sets of parents, exactly; draws take a set for each
    variable by itself, and then its table.
    """

    def __post_init__(self) -> None:
        _ = self._passes

    @cached_property
    def _whole(self) -> tuple[Cells, list[Ints]]:
        """The cells of the tables with all possible parents, and for each of these tables which cells they are with fewer.

        That is int[sets, cells]: the cell of the family with each set of parents.
        """
        graph, found = sorted_graph(self.problem.graph), self._candidates
        cells, place = cells_of(graph), {n: i for i, n in enumerate(graph.names)}
        maps = []
        for v, name in enumerate(cells.names):
            axes = (*graph.parents[name], name)
            codes = np.indices([*map(graph.size, axes[:-1]), int(cells.values[v])]).reshape(len(axes), -1)
            step = found.cells.step[[place[n] for n in axes]][:, self._sets[name]]
            maps.append(found.cells.start[self._sets[name], None] + step.T @ codes)
        return cells, maps

    @cached_property
    def _sets(self) -> dict[str, slice]:
        """The families of each variable."""
        names = [family.name for family in self._candidates.families]
        return {n: slice(names.index(n), names.index(n) + names.count(n)) for n in self._candidates.names}

    @cached_property
    def _passes(self) -> Passes:
        return passes_of(Actions(sorted_graph(self.problem.graph), self.problem.actions))

    @cached_property
    def _all_matter(self) -> bool:
        return sum(work_of(parents) for parents, _ in self._shapes) > _MOST_WORK

    @cached_property
    def _families(self) -> Families:
        return families(self._shapes, all_matter=self._all_matter)

    @cached_property
    def _layout(self) -> Layout:
        return self._layout_of(np.array([[own.start for own in self._sets.values()]]))  # with all arrows

    def _layout_of(self, of: Ints) -> Layout:
        """The layout of some graphs, given by the family of each variable (int[K, N])."""
        graph, found = self.problem.graph, self._candidates
        number = {n: i for i, n in enumerate(found.names)}
        cells, maps = self._whole
        own = [each[of[:, number[n]] - self._sets[n].start] for n, each in zip(cells.names, maps, strict=True)]
        each = np.arange(len(of))
        return Layout(
            np.ascontiguousarray(of),
            np.tile(np.array([number[n] for n in graph.order], np.int64), (len(of), 1)),
            each,
            np.zeros_like(each),
            each,
            (self._passes,),
            (np.ascontiguousarray(np.concatenate(own, axis=1)),),
            *self._parents,
            np.ascontiguousarray(self.problem.actions.codes, np.int16),
        )

    @cached_property
    def _parents(self) -> tuple[Ints, Ints, Ints]:
        """The first parent of each family, all parents, and the distance that one more of each moves the cell."""
        found = self._candidates
        number = {n: i for i, n in enumerate(found.names)}
        parents = [[number[p] for p in family.parents] for family in found.families]
        stride = [found.cells.step[p, f] for f, own in enumerate(parents) for p in own]
        at = np.cumsum([0, *map(len, parents)]).astype(np.int64)
        return at, np.array([p for own in parents for p in own], np.int64), np.array(stride, np.int64)

    def weights(self, tally: Tally) -> Floats:  # float[L, F]
        """The probability of each set of parents of each variable."""
        return family_weights(self._candidates, self._own(tally).weight)

    def _closed(self, weights: Floats) -> tuple[Floats, Floats]:
        return weights, np.zeros((len(weights), 1))

    def _class_weights(self, weights: Floats) -> Floats:  # float[L, F]
        return weights

    def _averaged(self, tables: Floats, weights: Floats) -> Floats:  # float[L, A]
        """The means under tables of all families (float[L, cells]), averaged by the weights of sets of parents."""
        cells, maps = self._whole
        whole = np.empty((len(tables), cells.total))
        for v, name in enumerate(cells.names):
            own = weights[:, self._sets[name]]
            for lane in range(len(tables)):
                some = np.flatnonzero(own[lane] > UNLIKELY)
                share = own[lane, some] / own[lane, some].sum()
                whole[lane, cells.start[v] : cells.start[v + 1]] = share @ tables[lane][maps[v][some]]
        return self._by_circuit(whole)

    def _by_circuit(self, tables: Floats) -> Floats:  # float[L, A]
        out = np.empty((len(tables), len(self.problem.actions)))
        family_lanes.means_by_circuit(self._passes, tables, out)
        return out

    def _new(self, counts: Floats, weights: Floats) -> Bools:  # bool[L]
        """In which lanes a row of a table with the likeliest parents was not counted yet."""
        start = np.searchsorted(self._rows, self._families.start[:-1])
        whole = np.logical_and.reduceat(self._counted(counts), start, axis=1)  # bool[L, F]
        lanes = np.arange(len(counts))
        likeliest = [own.start + weights[:, own].argmax(axis=1) for own in self._sets.values()]
        return np.asarray(~np.all([whole[lanes, f] for f in likeliest], axis=0))

    def _drawn_sets(self, weights: Floats, draws: int, rng: np.random.Generator) -> Ints:  # int[L, draws, N]
        """A family for each variable, drawn in each lane by their probabilities."""
        each = [own.start + drawn_places(weights[:, own], draws, rng) for own in self._sets.values()]
        return np.stack(each, axis=2)

    def _drawn_graphs(
        self, weights: Floats, draws: int, rng: np.random.Generator
    ) -> tuple[Layout, Ints]:  # int[L, draws]
        of = self._drawn_sets(weights, draws, rng)
        graphs, which = np.unique(of.reshape(-1, of.shape[2]), axis=0, return_inverse=True)
        return self._layout_of(graphs), np.ascontiguousarray(which.reshape(of.shape[:2]), np.int64)

    def draw_tables(self, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """The means of all actions in one lane, under sets of parents and tables drawn from the posterior."""
        own = tally.lanes(np.array([lane]))
        of, counts = self._drawn_sets(self.weights(own), draws, rng)[0], self._counts(self._own(own))[0]
        start, number = self._families.start, {n: i for i, n in enumerate(self._candidates.names)}
        cells, maps = self._whole
        whole = np.empty((draws, cells.total))
        for v, name in enumerate(cells.names):
            chosen = of[:, number[name]]
            for f in np.unique(chosen).tolist():
                some = np.flatnonzero(chosen == f)
                table = np.empty((len(some), int(start[f + 1] - start[f])))
                family = _alone(*self._shapes[f], self._all_matter)
                family_lanes.drawn_tables(family, np.ascontiguousarray(counts[start[f] : start[f + 1]]), rng, table)
                whole[some, cells.start[v] : cells.start[v + 1]] = table[
                    :, maps[v][f - self._sets[name].start] - start[f]
                ]
        return self._by_circuit(whole)

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions in each lane, under one draw of its graph and tables from the posterior."""
        return np.concatenate([self.draw(tally, lane, 1, rng) for lane in range(len(played))])


@lru_cache(maxsize=256)
def _alone(parents: tuple[int, ...], values: int, all_matter: bool) -> Families:
    """The layout of one family."""
    return families([(parents, values)], all_matter=all_matter)
