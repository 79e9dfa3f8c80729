"""The functions that all beliefs over several graphs share: averages over graphs and, in each of them, over its tables."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.beside_counts import BesideCounts
from bestdo.learners.beliefs.families import Families
from bestdo.learners.beliefs.graph_layout import Layout
from bestdo.learners.beliefs.reward_rows import reward_rows
from bestdo.learners.beliefs.table_rows import TableRows
from bestdo.learners.kernels import family_lanes
from bestdo.statistics.candidate_tables import CandidateFamilies

__all__ = [
    "GraphsInDoubt",
    "by_counts",
    "drawn_places",
    "information_gain",
    "mean_by_tables",
    "reward_family",
    "rounds_counted",
    "rows_of",
    "shapes_of",
    "unseen",
]


class GraphsInDoubt(Protocol):
    """A belief over several graphs, by weights of candidates or of the sets of parents of each variable."""

    @property
    def problem(self) -> Problem:
        """The problem."""
        ...

    @property
    def beside(self) -> BesideCounts:
        """The belief by counts of each action."""
        ...

    @property
    def _candidates(self) -> CandidateFamilies: ...

    @property
    def _rows(self) -> TableRows: ...

    def _counts(self, own: Tally) -> Floats:  # float[L, told]
        """The counts of each cell of each table; behind them the sums of a number's rows and of their squares."""
        ...

    def _ahead(self, own: Tally, counts: Floats) -> Floats:  # float[L, cells]
        """The probability of each value in the next round, given the row of its parents, as graphs are weighed.

        `counts` (float[L, cells]) are those of the tables of all families.
        """
        ...

    def weights(self, tally: Tally) -> Floats:  # float[L, K] or float[L, F]
        """The weight of each candidate, or of each set of parents of each variable."""
        ...

    def _closed(self, weights: Floats) -> tuple[Floats, Floats]:  # float[L, closed] and float[L, 1]
        """The weights of graphs whose means follow from tables, if it is one, and the probability that it is none of them."""
        ...

    def _averaged(self, tables: Floats, weights: Floats) -> Floats:  # float[L, A]
        """The means under tables of all families (float[L, cells]), averaged over graphs whose means follow from tables."""
        ...

    def _new(self, counts: Floats, weights: Floats) -> Bools:  # bool[L]
        """A mask of the lanes in which a row of a table of the likeliest graph was not counted yet."""
        ...

    def _drawn_graphs(
        self, weights: Floats, draws: int, rng: np.random.Generator
    ) -> tuple[Layout, Ints]:  # int[L, draws]
        """Graphs drawn in each lane by their probabilities, as places in a layout."""
        ...


def shapes_of(graph: Graph, candidates: CandidateFamilies) -> list[tuple[tuple[int, ...], int]]:
    """The numbers of values of the parents and of the variable, for each family."""
    plain = candidates.plain
    rows = zip(candidates.families[:plain], candidates.cells.values[:plain].tolist(), strict=True)
    return [(tuple(map(graph.size, family.parents)), values) for family, values in rows]


def reward_family(graph: Graph, candidates: CandidateFamilies) -> int:
    """The number of the first family of the reward."""
    return [family.name for family in candidates.families].index(str(graph.reward))


def rows_of(families: Families, layout: Layout, candidates: CandidateFamilies) -> TableRows:
    """The rows of the tables of all families."""
    always = np.asarray((layout.setting >= 0).all(axis=0))  # bool[N]
    own = candidates.families[: candidates.plain]
    return TableRows(families, np.array([bool(always[candidates.names.index(family.name)]) for family in own]))


def rounds_counted(belief: GraphsInDoubt, tally: Tally) -> Floats:  # float[L, 1]
    """The number of rounds counted in the rows of the first family of the reward."""
    reward = reward_family(belief.problem.graph, belief._candidates)
    first, last = belief._rows.families.start[reward : reward + 2]
    return np.asarray(belief.beside.own(tally).weight[:, first:last].sum(axis=1, keepdims=True))


def mean_by_tables(belief: GraphsInDoubt, tally: Tally, played: Floats) -> Floats:  # float[L, A]
    """The posterior means if no hidden variable causes the reward."""
    weights, _ = belief._closed(belief.weights(tally))
    return belief._averaged(belief._rows.means(belief._counts(belief.beside.own(tally))), weights)


def by_counts(belief: GraphsInDoubt, tally: Tally) -> Floats:  # float[L, 1]
    """The probability that a hidden variable causes the reward, so that means are by counts."""
    return belief._closed(belief.weights(tally))[1]


def unseen(belief: GraphsInDoubt, tally: Tally) -> Floats:  # float[L, A]
    """The probability that a round of each action needs a row of a table in which nothing was counted yet."""
    counts, rows = belief._counts(belief.beside.own(tally)), belief._rows
    some = rows.counted_cells(counts)
    known, start = rows.means(counts) * some, rows.families.start
    graph = belief.problem.graph
    for f, family in enumerate(belief._candidates.families[: belief._candidates.plain]):
        if family.name == graph.reward:  # whatever the reward is then
            own = slice(start[f], start[f + 1])
            known[:, own] = some[:, own] * np.resize(reward_rows(graph).if_unseen, own.stop - own.start)
    weights, _ = belief._closed(belief.weights(tally))  # draws of the others are from counts already
    return 1 - belief._averaged(known, weights)


def information_gain(
    belief: GraphsInDoubt, tally: Tally, played: Floats, asked: Question, rng: np.random.Generator
) -> Floats:  # float[L, A]
    """The information gain of a round of each action: the expected share of the variance of differences removed.

    The variance is that of the tables in a graph, and that of the expected difference between graphs: a round that tells
    graphs apart in which a difference differs removes some of it. Where a hidden variable may cause the reward, what is
    told by counts has the weight of these candidates.
    """
    own = belief.beside.own(tally)
    counts, out = belief._counts(own), np.empty(played.shape)
    weights, hidden = belief._closed(belief.weights(tally))
    some = np.flatnonzero(belief.problem.contenders if asked.among is None else asked.among)
    half = asked.pairs - asked.pairs // 2
    layout, drawn = belief._drawn_graphs(weights, asked.pairs, rng)
    ahead = belief._ahead(own, counts)
    family_lanes.told_in_doubt(layout, belief._rows.families, counts, ahead, drawn, some, half, rng, out)
    new = np.flatnonzero(belief._new(counts, weights))
    if asked.pairs > 1 and len(new):
        half_by_counts = asked._replace(pairs=asked.pairs // 2)
        out[new] += belief.beside.gain(tally.lanes(new), played[new], half_by_counts, rng)
    if hidden.any():
        out = (1 - hidden) * out + hidden * belief.beside.gain(tally, played, asked._replace(pairs=half), rng)
    return out


def drawn_places(weights: Floats, draws: int, rng: np.random.Generator) -> Ints:  # int[L, draws]
    """Places drawn in each lane by weights that sum to 1 (float[L, K])."""
    sums = np.cumsum(weights, axis=1)
    u = rng.random((len(weights), draws)) * sums[:, -1:]
    place = (sums[:, None, :] <= u[:, :, None]).sum(axis=2) if sums.shape[1] <= 64 else _searched(sums, u)
    return np.ascontiguousarray(np.minimum(place, sums.shape[1] - 1), np.int64)


def _searched(sums: Floats, u: Floats) -> Ints:  # int[L, draws]
    """The drawn places by bisection, lane by lane."""
    return np.stack([np.searchsorted(own, at, side="right") for own, at in zip(sums, u, strict=True)])
