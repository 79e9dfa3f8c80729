"""A belief where directions are in doubt and graphs are too many for a list: an average over graphs drawn exactly."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.tally import Tally
from bestdo.causal.doubts import Doubts
from bestdo.learners.beliefs.graph_layout import Layout
from bestdo.learners.beliefs.graph_scores import predicted, set_weights, sums_of
from bestdo.learners.beliefs.parent_set_belief import ParentSetBelief
from bestdo.learners.beliefs.passes import Passes, passes_in
from bestdo.statistics.candidate_tables import CandidateFamilies, CandidateTables
from bestdo.statistics.set_tables import SetTables, set_tables
from bestdo.statistics.tables import Cells, cells_of

if TYPE_CHECKING:
    from bestdo.causal import dag_kernels

__all__ = ["GRAPHS", "UnorderedBelief"]


_T = TypeVar("_T")

GRAPHS = 1000
"""Graphs drawn for an average: its standard error is a thirtieth of the standard deviation of a mean between graphs. It was
0.001 on average and at most 0.005 in eight worlds of 7 to 10 variables (docs/explanation/doubts.md)."""
_MOST_CELLS = 2**16  # of the tables with all possible parents, through which means are found
_FEW = 64  # graphs of which the likeliest one says whether rows of its tables were counted
_KEPT = 4  # sums over graphs that are remembered: those of ten variables take 6 MB each


class _Drawn(NamedTuple):
    """The graphs of an average."""

    graphs: Ints
    """int[G, N]: the different graphs among those drawn for averages, by the family of each variable."""
    share: Floats
    """float[G]: how often each was drawn."""


@dataclass(frozen=True)
class UnorderedBelief(ParentSetBelief):
    """The belief of `GraphBelief` where arrows can make cycles, over all acyclic graphs, none of which is listed.

    The prior of a graph and its marginal likelihood are products over variables, but for cycles. Sums over all acyclic graphs
    give the probabilities of arrows exactly, and graphs are drawn exactly by their probabilities (`DagSums`). Means are
    averages over a fixed number of such draws, the same for the same sums.
    """

    _weighed: OrderedDict[bytes, Floats] = field(default_factory=OrderedDict, compare=False, repr=False)
    _summed: OrderedDict[bytes, dag_kernels.DagSums] = field(default_factory=OrderedDict, compare=False, repr=False)
    _averages: OrderedDict[bytes, _Drawn] = field(default_factory=OrderedDict, compare=False, repr=False)

    @property
    def _doubts(self) -> Doubts:
        assert self.problem.doubts is not None
        return self.problem.doubts

    @property
    def _tables(self) -> SetTables:
        return set_tables(self._doubts)

    @property
    def _candidates(self) -> CandidateFamilies:
        return self._tables.families

    @cached_property
    def _reach(self) -> dict[str, tuple[str, ...]]:
        """The variables that may cause the reward, each with its possible parents but the reward; the reward last.

        The effects of the reward have no effect on its mean, so that their tables may take any value of it.
        """
        names, reward = self._candidates.names, str(self.problem.graph.reward)
        above = self._doubts.above([reward])
        order = [n for n in names if n in above and n != reward] + [reward]
        return {n: tuple(p for p in names if p in self._doubts.may_cause[n] and p != reward) for n in order}

    @cached_property
    def _whole(self) -> tuple[Cells, list[Ints]]:
        graph, found = self.problem.graph, self._candidates
        cells, place = (
            cells_of(graph, list(self._reach.items()), _MOST_CELLS),
            {n: i for i, n in enumerate(graph.names)},
        )
        maps = []
        for v, (name, parents) in enumerate(self._reach.items()):
            codes = np.indices([*map(graph.size, parents), int(cells.values[v])]).reshape(len(parents) + 1, -1)
            step = found.cells.step[[place[n] for n in (*parents, name)]][:, self._sets[name]]
            maps.append(found.cells.start[self._sets[name], None] + step.T @ codes)
        return cells, maps

    @cached_property
    def _passes(self) -> Passes:
        return passes_in(self.problem.actions, self._whole[0], self._reach)

    @cached_property
    def _layout(self) -> Layout:
        return self._layout_of(np.array([[own.stop - 1 for own in self._sets.values()]]))  # with no doubtful arrow

    def _layout_of(self, of: Ints) -> Layout:
        parents = self._tables.parents[of]  # int[K, N]: bits
        order, done, rows = np.empty_like(of), np.zeros(len(of), np.int64), np.arange(len(of))
        bit = 1 << np.arange(of.shape[1])
        for place in range(of.shape[1]):
            free = (parents & ~done[:, None] == 0) & (done[:, None] & bit == 0)
            order[:, place] = free.argmax(axis=1)
            done[rows] |= bit[order[:, place]]
        return super()._layout_of(of)._replace(order=order)

    @property
    def _cells(self) -> int:
        return CandidateTables(self.problem).cells.total

    def _counts(self, own: Tally) -> Floats:  # float[L, cells]
        return self._tables.counts(own.weight)

    def _ahead(self, own: Tally, counts: Floats) -> Floats:  # float[L, cells]
        return predicted(self._candidates.cells, counts)

    def weights(self, tally: Tally) -> Floats:  # float[L, F]
        """The logarithm of the weight of each set of parents of each variable."""
        found = []
        for own in self._own(tally).weight:
            found.append(_remembered(self._weighed, own, lambda: set_weights(self._doubts, own[None])[0]))  # noqa: B023
        return np.array(found)

    def _drawn(self, weights: Floats) -> _Drawn:
        """The graphs of an average in one lane, from the weights of sets of parents (float[F])."""
        return _remembered(self._averages, weights, lambda: self._draw_anew(weights))

    def _draw_anew(self, weights: Floats) -> _Drawn:
        drawn = self._families_of(weights, GRAPHS, np.random.default_rng(0))
        graphs, times = np.unique(drawn, axis=0, return_counts=True)
        return _Drawn(graphs, times / GRAPHS)

    def _families_of(self, weights: Floats, draws: int, rng: np.random.Generator) -> Ints:  # int[D, N]
        """The family of each variable in graphs drawn by their probabilities."""
        sums = _remembered(self._summed, weights, lambda: sums_of(self._doubts, weights))
        return self._tables.number[np.arange(sums.variables), sums.draw(draws, rng)]

    def _averaged(self, tables: Floats, weights: Floats) -> Floats:  # float[L, A]
        """The means under tables of all families (float[L, cells]), averaged over graphs that are drawn."""
        out = np.empty((len(tables), len(self.problem.actions)))
        for lane, own in enumerate(weights):
            found = self._drawn(own)
            out[lane] = found.share @ self._by_circuit(tables[lane][self._layout_of(found.graphs).maps[0]])
        return out

    def _new(self, counts: Floats, weights: Floats) -> Bools:  # bool[L]
        """In which lanes a row of a table of the likeliest of some graphs drawn was not counted yet."""
        start = np.searchsorted(self._rows, self._families.start[:-1])
        whole = np.logical_and.reduceat(self._counted(counts), start, axis=1)  # bool[L, F]
        graphs = [self._families_of(own, _FEW, np.random.default_rng(0)) for own in weights]
        likeliest = [some[own[some].sum(axis=1).argmax()] for own, some in zip(weights, graphs, strict=True)]
        return np.array([not all(own[of]) for own, of in zip(whole, likeliest, strict=True)])

    def _drawn_sets(self, weights: Floats, draws: int, rng: np.random.Generator) -> Ints:  # int[L, draws, N]
        return np.stack([self._families_of(own, draws, rng) for own in weights])


def _remembered(kept: OrderedDict[bytes, _T], numbers: Floats, make: Callable[[], _T]) -> _T:
    """The result for these numbers, which is remembered for the last few."""
    key = numbers.tobytes()
    found = kept.get(key)
    if found is None:
        kept[key] = found = make()
        while len(kept) > _KEPT:
            kept.popitem(last=False)
    return found
