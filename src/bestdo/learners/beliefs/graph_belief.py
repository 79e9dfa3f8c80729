"""A belief where the graph is in doubt: an average over the candidate graphs and, in each of them, over its tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.combinations import NUMBER_AND_DOUBTS_BELOW
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid, TooLarge, shown
from bestdo.learners.beliefs.families import Families, work_of
from bestdo.learners.beliefs.graph_layout import Layout, layout_of
from bestdo.learners.beliefs.graph_scores import graph_weights, predicted
from bestdo.learners.beliefs.reward_rows import reward_rows
from bestdo.learners.beliefs.table_belief import TableBelief
from bestdo.learners.kernels import family_lanes
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.candidate_tables import CandidateFamilies, CandidateTables

__all__ = ["UNLIKELY", "GraphBelief", "drawn_places"]


_MOST_WORK = 2**16
"""Steps of one pass over all sets of parents of all families of all candidates. Limits the time of a round. Not measured."""
UNLIKELY = 1e-6
"""Classes of candidates less likely than this are left out of averages: of 4,096 all together less than half a percent."""


@dataclass(frozen=True)
class GraphBelief(TableBelief):
    """The belief that every candidate has its prior times its BDeu score as weight, and tables as `FamilyBelief` has them.

    A family, a variable with some parents, is counted and scored once for all candidates that have it. Means are averages
    over all candidates; draws are of a candidate, and of tables in it. In candidates in which a hidden variable causes the
    reward, means are by counts of each action alone: its plays, and what is as good as these in every candidate.
    """

    def __post_init__(self) -> None:
        graph, found = self.problem.graph, self._candidates
        if graph.number is not None and sum(f.name == graph.reward for f in found.families) > 1:
            raise NotValid(NUMBER_AND_DOUBTS_BELOW.why(shown(str(graph.reward))))
        work = sum(work_of(parents) for parents, _ in self._shapes)
        if work > _MOST_WORK:
            raise TooLarge(f"the tables take {work:,} steps for each look at them; at most {_MOST_WORK:,} are done")
        _ = self._layout

    @cached_property
    def statistic(self) -> BesideSeen:
        """Counts of the tables of all candidates, and of each action."""
        return BesideSeen(CandidateTables(self.problem))

    @property
    def _candidates(self) -> CandidateFamilies:
        return CandidateTables(self.problem).families

    @property
    def _layout(self) -> Layout:
        return layout_of(self.problem)

    @cached_property
    def _shapes(self) -> list[tuple[tuple[int, ...], int]]:
        """The numbers of values of the parents and of the variable, for each family."""
        graph, found = self.problem.graph, self._candidates
        rows = zip(found.families[: found.plain], found.cells.values[: found.plain].tolist(), strict=True)
        return [(tuple(map(graph.size, family.parents)), values) for family, values in rows]

    @cached_property
    def _families(self) -> Families:
        return reward_rows(self.problem.graph).families(self._shapes, self._reward)

    @cached_property
    def _reward(self) -> int:
        """The number of the first family of the reward."""
        return [family.name for family in self._candidates.families].index(str(self.problem.graph.reward))

    def _counts(self, own: Tally) -> Floats:  # float[L, told]
        """The counts of each cell of each table; behind them the sums of a number's rows and of their squares."""
        return reward_rows(self.problem.graph).counts(own, self._families, self._reward)

    def weights(self, tally: Tally) -> Floats:  # float[L, K]
        """The probability of each candidate."""
        return graph_weights(self._candidates, self.problem.graphs.prior, self._own(tally).weight)

    def _closed(self, weights: Floats) -> tuple[Floats, Floats]:  # float[L, closed] and float[L, 1]
        """The probabilities of candidates whose means follow from tables, if it is one, and that it is none of them."""
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
        """The means under tables of all families (float[L, cells]), averaged over classes by weight (float[L, M])."""
        lane, of = np.nonzero(weights)
        means = weights[lane, of, None] * self._means_of(tables, lane, of)
        return np.add.reduceat(means, np.flatnonzero(np.r_[True, np.diff(lane) > 0]), axis=0)

    def mean_by_tables(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior means if no hidden variable causes the reward."""
        weights, _ = self._closed(self.weights(tally))
        return self._averaged(self._mean_tables(self._counts(self._own(tally))), self._class_weights(weights))

    def by_counts(self, tally: Tally) -> Floats:  # float[L, 1]
        """The probability that a hidden variable causes the reward, so that means are by counts."""
        return self._closed(self.weights(tally))[1]

    def means_by_candidate(self, tally: Tally, played: Floats) -> Floats:  # float[K, A]
        """The posterior means under each candidate, in the first lane."""
        closed, classes = self._candidates.closed, np.arange(len(self._layout.group))
        tables = self._mean_tables(self._counts(self._own(tally))[:1])
        found = np.empty((len(self._candidates.of), len(self.problem.actions)))
        if len(closed) < len(found):
            found[:] = self.counting.mean(self.seen(tally), played)[:1]
        found[closed] = self._means_of(tables, np.zeros_like(classes), classes)[self._layout.class_of]
        return found

    @cached_property
    def _always_set(self) -> Bools:  # bool[R]
        """The rows of the tables of variables that every action sets, as what is seen first in a problem with contexts."""
        always = np.asarray((self._layout.setting >= 0).all(axis=0))  # bool[N]
        names, found = self._candidates.names, self._candidates.families[: self._candidates.plain]
        own = np.array([bool(always[names.index(family.name)]) for family in found])
        return np.repeat(own, np.diff(self._families.start) // self._families.values)

    def _new(self, counts: Floats, weights: Floats) -> Bools:  # bool[L]
        """In which lanes a row of a table of the likeliest candidate was not counted yet."""
        start = np.searchsorted(self._rows, self._families.start[:-1])
        whole = np.logical_and.reduceat(self._counted(counts), start, axis=1)  # bool[L, F]
        return np.asarray(~np.take_along_axis(whole, self._layout.of[weights.argmax(axis=1)], axis=1).all(axis=1))

    def unseen(self, tally: Tally) -> Floats:  # float[L, A]
        """The probability that a round of each action needs a row of a table in which nothing was counted yet."""
        counts = self._counts(self._own(tally))
        some = np.repeat(self._counted(counts), np.diff(self._rows, append=self._families.start[-1]), axis=1)
        known = self._mean_tables(counts) * some
        graph = self.problem.graph
        for f, family in enumerate(self._candidates.families[: self._candidates.plain]):
            if family.name == graph.reward:  # whatever the reward is then
                own = slice(self._families.start[f], self._families.start[f + 1])
                known[:, own] = some[:, own] * np.resize(reward_rows(graph).if_unseen, own.stop - own.start)
        weights, _ = self._closed(self.weights(tally))  # draws of the others are from counts already
        return 1 - self._averaged(known, self._class_weights(weights))

    def draw_tables(self, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """Draws of all means from tables, if no hidden variable causes the reward."""
        own = tally.lanes(np.array([lane]))
        weights, _ = self._closed(self.weights(own))
        of = rng.choice(len(self._layout.group), size=draws, p=self._class_weights(weights)[0])
        tables = np.empty((draws, int(self._families.start[-1])))
        family_lanes.drawn_tables(self._families, self._counts(self._own(own))[0], rng, tables)
        return self._means_of(tables, np.arange(draws), of)

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions in each lane, under one draw of its candidate and tables from the posterior."""
        counts = self._counts(self._own(tally))
        weights, hidden = self._closed(self.weights(tally))
        of = drawn_places(self._class_weights(weights), 1, rng)[:, 0]
        tables = np.empty((len(counts), int(self._families.start[-1])))
        family_lanes.drawn_by_lane(self._families, counts, rng, tables)
        means = self._means_of(tables, np.arange(len(counts)), of)
        if hidden.any():
            alone = self.counting.draw_by_lane(self.seen(tally), played, rng)
            means = np.where(rng.random((len(counts), 1)) < hidden, alone, means)
        return means

    def information_gain(
        self,
        tally: Tally,
        played: Floats,
        pairs: int,
        rng: np.random.Generator,
        among: Bools | None = None,
        of: Bools | None = None,
    ) -> Floats:  # float[L, A]
        """The information gain of a round of each action: the expected share of the variance of differences removed.

        The variance is that of the tables in a graph, and that of the expected difference between graphs: a round that tells
        graphs apart in which a difference differs removes some of it. Where a hidden variable may cause the reward, what is
        told by counts has the weight of these candidates.
        """
        own = self._own(tally)
        counts, out = self._counts(own), np.empty(played.shape)
        weights, hidden = self._closed(self.weights(tally))
        some = np.flatnonzero(self.problem.contenders if among is None else among)
        half = pairs - pairs // 2
        layout, drawn = self._drawn_graphs(weights, pairs, rng)
        family_lanes.told_in_doubt(
            layout, self._families, counts, self._ahead(own, counts), drawn, some, half, rng, out
        )
        new = np.flatnonzero(self._new(counts, weights))
        if pairs > 1 and len(new):
            out[new] += self.gain_by_counts(tally.lanes(new), played[new], pairs // 2, rng, among)
        if hidden.any():
            out = (1 - hidden) * out + hidden * self.gain_by_counts(tally, played, half, rng, among)
        return out

    def _ahead(self, own: Tally, counts: Floats) -> Floats:  # float[L, cells]
        """The probability of each value in the next round, given the row of its parents, as graphs are weighed.

        `counts` (float[L, cells]) are those of the tables of all families.
        """
        return np.ascontiguousarray(predicted(self._candidates.cells, own.weight)[:, : self._families.start[-1]])

    def _drawn_graphs(
        self, weights: Floats, draws: int, rng: np.random.Generator
    ) -> tuple[Layout, Ints]:  # int[L, draws]
        """Candidates drawn in each lane by their probabilities, as places in a layout."""
        return self._layout, drawn_places(weights, draws, rng)

    @property
    def _cells(self) -> int:
        return self._candidates.cells.total


def drawn_places(weights: Floats, draws: int, rng: np.random.Generator) -> Ints:  # int[L, draws]
    """Places drawn in each lane by weights that sum to 1 (float[L, K])."""
    sums = np.cumsum(weights, axis=1)
    u = rng.random((len(weights), draws)) * sums[:, -1:]
    place = (sums[:, None, :] <= u[:, :, None]).sum(axis=2) if sums.shape[1] <= 64 else _searched(sums, u)
    return np.ascontiguousarray(np.minimum(place, sums.shape[1] - 1), np.int64)


def _searched(sums: Floats, u: Floats) -> Ints:  # int[L, draws]
    """The drawn places by bisection, lane by lane."""
    return np.stack([np.searchsorted(own, at, side="right") for own, at in zip(sums, u, strict=True)])
