"""A belief where directions are in doubt and graphs are too many for a list: an average over graphs drawn exactly."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeVar, final

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.tally import Tally
from bestdo.causal.doubts import Doubts
from bestdo.learners.beliefs import graphs_in_doubt, table_belief
from bestdo.learners.beliefs.beside_counts import BesideCounts
from bestdo.learners.beliefs.graph_layout import Layout
from bestdo.learners.beliefs.graph_scores import predicted, set_weights, sums_of
from bestdo.learners.beliefs.graphs_in_doubt import rows_of
from bestdo.learners.beliefs.joint_estimates import joint_estimates
from bestdo.learners.beliefs.parent_set_tables import ParentSets, distinct_graphs, maps_of
from bestdo.learners.beliefs.passes import passes_in
from bestdo.learners.beliefs.table_rows import TableRows
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.candidate_tables import CandidateFamilies, CandidateTables
from bestdo.statistics.set_tables import SetTables, set_tables
from bestdo.statistics.tables import cells_of

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


@final
@dataclass(frozen=True)
class UnorderedBelief:
    """The belief of `GraphBelief` where arrows can make cycles, over all acyclic graphs, none of which is listed.

    The prior of a graph and its marginal likelihood are products over variables, but for cycles. Sums over all acyclic graphs
    give the probabilities of arrows exactly, and graphs are drawn exactly by their probabilities (`DagSums`). Means are
    averages over a fixed number of such draws, the same for the same sums.
    """

    problem: Problem
    shares_all: ClassVar[bool] = True
    counted = table_belief.counted
    mean = table_belief.mean
    draw = table_belief.draw
    drawn = table_belief.drawn
    estimates = joint_estimates
    mean_by_tables = graphs_in_doubt.mean_by_tables
    by_counts = graphs_in_doubt.by_counts
    unseen = graphs_in_doubt.unseen
    rounds_counted = graphs_in_doubt.rounds_counted
    information_gain = graphs_in_doubt.information_gain
    _weighed: OrderedDict[bytes, Floats] = field(default_factory=OrderedDict, compare=False, repr=False)
    _summed: OrderedDict[bytes, dag_kernels.DagSums] = field(default_factory=OrderedDict, compare=False, repr=False)
    _averages: OrderedDict[bytes, _Drawn] = field(default_factory=OrderedDict, compare=False, repr=False)

    def __post_init__(self) -> None:
        _ = self._sets

    @cached_property
    def statistic(self) -> BesideSeen:
        """Counts of the tables of all sets of parents, and of each action."""
        return BesideSeen(CandidateTables(self.problem))

    @cached_property
    def beside(self) -> BesideCounts:
        """The belief by counts of each action."""
        return BesideCounts(self.statistic)

    @cached_property
    def worth_before(self) -> Floats:  # float[A]
        """The rounds of each action that the prior is worth."""
        return table_belief.worth_before(self)

    @property
    def cells(self) -> int:
        """The number of cells of the tables' own sums."""
        return CandidateTables(self.problem).cells.total

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
    def _sets(self) -> ParentSets:
        graph, found = self.problem.graph, self._candidates
        cells = cells_of(graph, list(self._reach.items()), _MOST_CELLS)
        passes = passes_in(self.problem.actions, cells, self._reach)
        return ParentSets(self.problem, found, cells, maps_of(graph, found, cells, self._reach), passes)

    @cached_property
    def _rows(self) -> TableRows:
        bare = np.array([[own.stop - 1 for own in self._sets.slices.values()]])  # with no doubtful arrow
        return rows_of(self._sets.families, self._layout_of(bare), self._candidates)

    def _layout_of(self, of: Ints) -> Layout:
        """The layout of some graphs, given by the family of each variable (int[K, N])."""
        parents = self._tables.parents[of]  # int[K, N]: bits
        order, done, rows = np.empty_like(of), np.zeros(len(of), np.int64), np.arange(len(of))
        bit = 1 << np.arange(of.shape[1])
        for place in range(of.shape[1]):
            free = (parents & ~done[:, None] == 0) & (done[:, None] & bit == 0)
            order[:, place] = free.argmax(axis=1)
            done[rows] |= bit[order[:, place]]
        return self._sets.layout_of(of, order)

    def _counts(self, own: Tally) -> Floats:  # float[L, cells]
        return self._tables.counts(own.weight)

    def _ahead(self, own: Tally, counts: Floats) -> Floats:  # float[L, cells]
        return predicted(self._candidates.cells, counts)

    def weights(self, tally: Tally) -> Floats:  # float[L, F]
        """The logarithm of the weight of each set of parents of each variable."""
        found = []
        for own in self.beside.own(tally).weight:
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
            out[lane] = found.share @ self._sets.means_of(tables[lane][self._layout_of(found.graphs).maps[0]])
        return out

    def _new(self, counts: Floats, weights: Floats) -> Bools:  # bool[L]
        """A mask of the lanes in which a row of a table of the likeliest of some graphs drawn was not counted yet."""
        whole = self._rows.counted_whole(counts)
        graphs = [self._families_of(own, _FEW, np.random.default_rng(0)) for own in weights]
        likeliest = [some[own[some].sum(axis=1).argmax()] for own, some in zip(weights, graphs, strict=True)]
        return np.array([not all(own[of]) for own, of in zip(whole, likeliest, strict=True)])

    def _drawn_sets(self, weights: Floats, draws: int, rng: np.random.Generator) -> Ints:  # int[L, draws, N]
        """A family for each variable, in graphs drawn in each lane by their probabilities."""
        return np.stack([self._families_of(own, draws, rng) for own in weights])

    def _closed(self, weights: Floats) -> tuple[Floats, Floats]:  # float[L, F] and float[L, 1]
        return weights, np.zeros((len(weights), 1))

    def _drawn_graphs(
        self, weights: Floats, draws: int, rng: np.random.Generator
    ) -> tuple[Layout, Ints]:  # int[L, draws]
        graphs, which = distinct_graphs(self._drawn_sets(weights, draws, rng))
        return self._layout_of(graphs), which

    def draw_tables(self, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """The means of all actions in one lane, under sets of parents and tables drawn from the posterior."""
        own = tally.lanes(np.array([lane]))
        of = self._drawn_sets(self.weights(own), draws, rng)[0]
        return self._sets.draw(of, self._counts(self.beside.own(own))[0], rng)

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions in each lane, under one draw of its graph and tables from the posterior."""
        return np.concatenate([self.draw(tally, lane, 1, rng) for lane in range(len(played))])


def _remembered(kept: OrderedDict[bytes, _T], numbers: Floats, make: Callable[[], _T]) -> _T:
    """The result for these numbers, which is remembered for the last few."""
    key = numbers.tobytes()
    found = kept.get(key)
    if found is None:
        kept[key] = found = make()
        while len(kept) > _KEPT:
            kept.popitem(last=False)
    return found
