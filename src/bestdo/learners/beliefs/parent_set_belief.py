"""A belief where each arrow is in doubt by itself, as with an order in time alone: an average over all sets of parents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.learners.beliefs import graphs_in_doubt, table_belief
from bestdo.learners.beliefs.beside_counts import BesideCounts
from bestdo.learners.beliefs.graph_belief import UNLIKELY
from bestdo.learners.beliefs.graph_layout import Layout, sorted_graph
from bestdo.learners.beliefs.graph_scores import family_weights, predicted
from bestdo.learners.beliefs.graphs_in_doubt import drawn_places, reward_family, rows_of
from bestdo.learners.beliefs.joint_estimates import joint_estimates
from bestdo.learners.beliefs.parent_set_tables import ParentSets, distinct_graphs, maps_of
from bestdo.learners.beliefs.passes import passes_of
from bestdo.learners.beliefs.reward_rows import reward_rows
from bestdo.learners.beliefs.table_rows import TableRows
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.candidate_tables import CandidateFamilies, CandidateTables
from bestdo.statistics.tables import cells as cells_of

__all__ = ["ParentSetBelief"]


@final
@dataclass(frozen=True)
class ParentSetBelief:
    """The belief of `GraphBelief` where no arrow depends on another, for any number of graphs, none of which is listed.

    The prior of a graph and its marginal likelihood are then products over variables, and so is the posterior: each variable
    has one of its sets of parents, by its own probabilities, whatever the others have. An action's mean is linear in each
    table. So its expectation is its value at tables averaged over sets of parents, exactly; draws take a set for each
    variable by itself, and then its table.
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
    def _candidates(self) -> CandidateFamilies:
        return CandidateTables(self.problem).families

    @cached_property
    def _sets(self) -> ParentSets:
        graph, found = sorted_graph(self.problem.graph), self._candidates
        passes, cells = passes_of(Actions(graph, self.problem.actions)), cells_of(graph)
        return ParentSets(self.problem, found, cells, maps_of(graph, found, cells, dict(graph.parents)), passes)

    @cached_property
    def _rows(self) -> TableRows:
        layout = self._layout_of(np.array([[own.start for own in self._sets.slices.values()]]))  # with all arrows
        return rows_of(self._sets.families, layout, self._candidates)

    @cached_property
    def _reward(self) -> int:
        return reward_family(self.problem.graph, self._candidates)

    def _layout_of(self, of: Ints) -> Layout:
        """The layout of some graphs, given by the family of each variable (int[K, N])."""
        names = self._candidates.names
        order = np.array([names.index(n) for n in self.problem.graph.order], np.int64)
        return self._sets.layout_of(of, np.tile(order, (len(of), 1)))

    def _counts(self, own: Tally) -> Floats:  # float[L, told]
        return reward_rows(self.problem.graph).counts(own, self._sets.families, self._reward)

    def _ahead(self, own: Tally, counts: Floats) -> Floats:  # float[L, cells]
        return np.ascontiguousarray(predicted(self._candidates.cells, own.weight)[:, : self._sets.families.start[-1]])

    def weights(self, tally: Tally) -> Floats:  # float[L, F]
        """The probability of each set of parents of each variable."""
        return family_weights(self._candidates, self.beside.own(tally).weight)

    def _averaged(self, tables: Floats, weights: Floats) -> Floats:  # float[L, A]
        """The means under tables of all families (float[L, cells]), averaged by the weights of sets of parents."""
        sets, cells = self._sets, self._sets.cells
        whole = np.empty((len(tables), cells.total))
        for v, name in enumerate(cells.names):
            own = weights[:, sets.slices[name]]
            for lane in range(len(tables)):
                some = np.flatnonzero(own[lane] > UNLIKELY)
                share = own[lane, some] / own[lane, some].sum()
                whole[lane, cells.start[v] : cells.start[v + 1]] = share @ tables[lane][sets.maps[v][some]]
        return sets.means_of(whole)

    def _new(self, counts: Floats, weights: Floats) -> Bools:  # bool[L]
        """A mask of the lanes in which a row of a table with the likeliest parents was not counted yet."""
        whole, lanes = self._rows.counted_whole(counts), np.arange(len(counts))
        likeliest = [own.start + weights[:, own].argmax(axis=1) for own in self._sets.slices.values()]
        return np.asarray(~np.all([whole[lanes, f] for f in likeliest], axis=0))

    def _drawn_sets(self, weights: Floats, draws: int, rng: np.random.Generator) -> Ints:  # int[L, draws, N]
        """A family for each variable, drawn in each lane by their probabilities."""
        each = [own.start + drawn_places(weights[:, own], draws, rng) for own in self._sets.slices.values()]
        return np.stack(each, axis=2)

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
