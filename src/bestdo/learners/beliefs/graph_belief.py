"""A belief where the graph is in doubt: an average over the candidate graphs and, in each of them, over its tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.tally import Tally
from bestdo.errors import TooLarge
from bestdo.learners.beliefs import graphs_in_doubt, table_belief
from bestdo.learners.beliefs.beside_counts import BesideCounts
from bestdo.learners.beliefs.families import Families, work_of
from bestdo.learners.beliefs.graph_layout import Layout, layout_of
from bestdo.learners.beliefs.graph_scores import graph_weights, predicted
from bestdo.learners.beliefs.graphs_in_doubt import drawn_places, reward_family, rows_of, shapes_of
from bestdo.learners.beliefs.joint_estimates import joint_estimates
from bestdo.learners.beliefs.reward_rows import reward_rows
from bestdo.learners.beliefs.table_rows import TableRows
from bestdo.learners.kernels import family_lanes
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.candidate_tables import CandidateFamilies, CandidateTables

__all__ = ["UNLIKELY", "GraphBelief"]


_MOST_WORK = 2**16
"""Steps of one pass over all sets of parents of all families of all candidates. Limits the time of a round. Not measured."""
UNLIKELY = 1e-6
"""Classes of candidates less likely than this are left out of averages: of 4,096 all together less than half a percent."""


@final
@dataclass(frozen=True)
class GraphBelief:
    """The belief that every candidate has its prior times its BDeu score as weight, and tables as `FamilyBelief` has them.

    A family, a variable with some parents, is counted and scored once for all candidates that have it. Means are averages
    over all candidates; draws are of a candidate, and of tables in it. In candidates in which a hidden variable causes the
    reward, means are by counts of each action alone: its plays, and what is as good as these in every candidate.
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
        graph, found = self.problem.graph, self._candidates
        reward_rows(graph).check(sum(f.name == graph.reward for f in found.families))
        work = sum(work_of(parents) for parents, _ in shapes_of(graph, found))
        if work > _MOST_WORK:
            raise TooLarge(f"the tables take {work:,} steps for each look at them; at most {_MOST_WORK:,} are done")
        _ = self._layout

    @cached_property
    def statistic(self) -> BesideSeen:
        """Counts of the tables of all candidates, and of each action."""
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
        return self._candidates.cells.total

    @property
    def _candidates(self) -> CandidateFamilies:
        return CandidateTables(self.problem).families

    @property
    def _layout(self) -> Layout:
        return layout_of(self.problem)

    @cached_property
    def _reward(self) -> int:
        return reward_family(self.problem.graph, self._candidates)

    @cached_property
    def _families(self) -> Families:
        graph = self.problem.graph
        return reward_rows(graph).families(shapes_of(graph, self._candidates), self._reward)

    @cached_property
    def _rows(self) -> TableRows:
        return rows_of(self._families, self._layout, self._candidates)

    def _counts(self, own: Tally) -> Floats:  # float[L, told]
        return reward_rows(self.problem.graph).counts(own, self._families, self._reward)

    def _ahead(self, own: Tally, counts: Floats) -> Floats:  # float[L, cells]
        return np.ascontiguousarray(predicted(self._candidates.cells, own.weight)[:, : self._families.start[-1]])

    def weights(self, tally: Tally) -> Floats:  # float[L, K]
        """The probability of each candidate."""
        return graph_weights(self._candidates, self.problem.graphs.prior, self.beside.own(tally).weight)

    def _closed(self, weights: Floats) -> tuple[Floats, Floats]:  # float[L, closed] and float[L, 1]
        own = weights[:, self._candidates.closed]
        if own.shape == weights.shape:
            return weights, np.zeros((len(weights), 1))
        total = own.sum(axis=1, keepdims=True)
        even = np.full_like(own, 1 / own.shape[1])
        return np.where(total > 0, own / np.where(total > 0, total, 1), even), np.clip(1 - total, 0.0, 1.0)

    def _class_weights(self, weights: Floats) -> Floats:  # float[L, M]
        """The probability of each class of candidates with the same means (float[L, closed]); 0 for those left out."""
        classes = self._layout.class_of
        found = np.zeros((len(weights), len(self._layout.group)))
        order = np.argsort(classes, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(classes[order]) > 0])
        found[:, classes[order][starts]] = np.add.reduceat(weights[:, order], starts, axis=1)
        found[found < UNLIKELY] = 0.0
        return np.asarray(found / found.sum(axis=1, keepdims=True))

    def _means_of(self, tables: Floats, row: Ints, of: Ints) -> Floats:  # float[R, A]
        """The means of all actions under rows of tables of all families (float[·, cells]), each by one class (int[R])."""
        layout = self._layout
        found = np.empty((len(row), len(self.problem.actions)))
        for g in np.unique(layout.group[of]):
            some = np.flatnonzero(layout.group[of] == g)
            own = np.take_along_axis(tables[row[some]], layout.maps[g][layout.place[of[some]]], axis=1)
            means = np.empty((len(some), found.shape[1]))
            family_lanes.means_by_circuit(layout.passes[g], own, means)
            found[some] = means
        return found

    def _averaged(self, tables: Floats, weights: Floats) -> Floats:  # float[L, A]
        """The means under tables of all families (float[L, cells]), averaged over candidates by weight (float[L, closed])."""
        weights = self._class_weights(weights)
        lane, of = np.nonzero(weights)
        means = weights[lane, of, None] * self._means_of(tables, lane, of)
        return np.add.reduceat(means, np.flatnonzero(np.r_[True, np.diff(lane) > 0]), axis=0)

    def means_by_candidate(self, tally: Tally, played: Floats) -> Floats:  # float[K, A]
        """The posterior means under each candidate, in the first lane."""
        closed, classes = self._candidates.closed, np.arange(len(self._layout.group))
        tables = self._rows.means(self._counts(self.beside.own(tally))[:1])
        found = np.empty((len(self._candidates.of), len(self.problem.actions)))
        if len(closed) < len(found):
            found[:] = self.beside.counting.mean(self.beside.seen(tally), played)[:1]
        found[closed] = self._means_of(tables, np.zeros_like(classes), classes)[self._layout.class_of]
        return found

    def _new(self, counts: Floats, weights: Floats) -> Bools:  # bool[L]
        """A mask of the lanes in which a row of a table of the likeliest candidate was not counted yet."""
        whole = self._rows.counted_whole(counts)
        return np.asarray(~np.take_along_axis(whole, self._layout.of[weights.argmax(axis=1)], axis=1).all(axis=1))

    def draw_tables(self, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """Draws of all means from tables, if no hidden variable causes the reward."""
        own = tally.lanes(np.array([lane]))
        weights, _ = self._closed(self.weights(own))
        of = rng.choice(len(self._layout.group), size=draws, p=self._class_weights(weights)[0])
        tables = self._rows.drawn(self._counts(self.beside.own(own))[0], draws, rng)
        return self._means_of(tables, np.arange(draws), of)

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions in each lane, under one draw of its candidate and tables from the posterior."""
        counts = self._counts(self.beside.own(tally))
        weights, hidden = self._closed(self.weights(tally))
        of = drawn_places(self._class_weights(weights), 1, rng)[:, 0]
        means = self._means_of(self._rows.drawn_by_lane(counts, rng), np.arange(len(counts)), of)
        return self.beside.draw_by_lane(tally, played, means, hidden, rng)

    def _drawn_graphs(
        self, weights: Floats, draws: int, rng: np.random.Generator
    ) -> tuple[Layout, Ints]:  # int[L, draws]
        return self._layout, drawn_places(weights, draws, rng)
