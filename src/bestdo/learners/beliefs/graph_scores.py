"""The probability of each candidate graph, given counts: its prior times the marginal likelihood of all rounds (BDeu)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.causal.graphs import Graphs
from bestdo.statistics.all_families import FamilyList
from bestdo.statistics.candidate_tables import CandidateFamilies
from bestdo.statistics.set_tables import set_tables
from bestdo.statistics.tables import Cells

if TYPE_CHECKING:
    from bestdo.causal import dag_kernels

__all__ = [
    "SAMPLE_SIZE",
    "family_scores",
    "family_weights",
    "graph_sums",
    "graph_weights",
    "predicted",
    "score_changes",
    "set_weights",
    "sums_of",
]


SAMPLE_SIZE = 8.0
"""The equivalent sample size: how many rounds the prior of a table is worth, spread evenly over its cells. Of
1, 2, 4, 5, 8, 16 and 32 the one with which probabilities from 0.8 to 0.9 come true and the logarithmic score is nearly the
best in simulated studies (docs/explanation/doubts.md, tests/learners/test_graph_calibration.py)."""


_NEAR = 4.0, 16.0, 64.0
"""The most rounds that watched ones count as for a law under a setting, where a hidden cause is in doubt: an even
average. With a law of its own, as wide as any other, a cause that is there was called improbable (docs/results/doubt.md)."""


def _rows(cells: Cells) -> tuple[Ints, Ints, Floats]:  # int[R], int[F] and float[F]
    """The first cell of each row of all tables, the first row of each table, and how many rounds a row's prior is worth."""
    each = np.diff(cells.start) // cells.values
    of_table = np.cumsum(each) - each
    place = np.arange(each.sum()) - np.repeat(of_table, each)
    return np.repeat(cells.start[:-1], each) + np.repeat(cells.values, each) * place, of_table, SAMPLE_SIZE / each


def family_scores(cells: Cells, counts: Floats) -> Floats:  # float[L, F]
    """The log marginal likelihood of each family, given how often each cell was counted (float[L, cells]).

    A row has a Dirichlet prior of S / (rows × values) for each of its values, S the equivalent sample size (BDeu, Heckerman,
    Geiger & Chickering 1995). Rounds that set the variable are not counted (Cooper & Yoo 1999).
    """
    from scipy.special import gammaln

    first, of_table, worth = _rows(cells)
    sizes, rows = np.diff(cells.start), np.diff(cells.start) // cells.values
    prior = np.repeat(worth / cells.values, sizes)
    of_row = np.repeat(worth, rows)
    in_rows = np.add.reduceat(counts, first, axis=1)
    in_cells, lane, cell = np.zeros(counts.shape), *np.nonzero(counts)  # nothing is added where nothing was counted
    in_cells[lane, cell] = gammaln(prior[cell] + counts[lane, cell]) - gammaln(prior[cell])
    lane, row = np.nonzero(in_rows)
    in_rows[lane, row] = gammaln(of_row[row]) - gammaln(of_row[row] + in_rows[lane, row])
    return np.asarray(np.add.reduceat(in_cells, cells.start[:-1], axis=1) + np.add.reduceat(in_rows, of_table, axis=1))


def _near(cells: Cells, counts: Floats, f: int, centre: int) -> Floats:  # float[L]
    """The log marginal likelihood of family f, whose law is expected to be near that of another with the same parents."""
    from scipy.special import gammaln

    values = int(cells.values[f])
    own, other = (
        counts[:, cells.start[each] : cells.start[each + 1]].reshape(len(counts), -1, values) for each in (f, centre)
    )
    before, rounds, log = other.sum(axis=2, keepdims=True), own.sum(axis=2), []
    for worth in _NEAR:
        prior = SAMPLE_SIZE / own[0].size + other * (
            worth / (worth + before)
        )  # watched rounds count as so many at most
        in_cells = (gammaln(prior + own) - gammaln(prior)).sum(axis=(1, 2))
        total = prior.sum(axis=2)
        log.append(in_cells + (gammaln(total) - gammaln(total + rounds)).sum(axis=1))
    return np.asarray(np.logaddexp.reduce(log, axis=0) - np.log(len(_NEAR)))


def score_changes(found: FamilyList, before: Floats, added: Floats) -> Floats:  # float[L, F]
    """The changes of the scores of `family_scores` when counts (float[L, cells]) are added to those before."""
    from scipy.special import gammaln

    sizes = np.diff(found.families.start)
    of_row = SAMPLE_SIZE * found.families.values / sizes  # float[F]
    of_cell, changes = SAMPLE_SIZE / sizes, np.zeros((len(before), len(sizes)))
    for change, old, new in zip(changes, before, added, strict=True):  # lane by lane: there may be many cells
        cell = np.flatnonzero(new)
        known = of_cell[found.family[cell]] + old[cell]
        more = gammaln(known + new[cell]) - gammaln(known)
        change += np.bincount(found.family[cell], more, minlength=len(sizes))
        in_rows = np.add.reduceat(new, found.row)
        row = np.flatnonzero(in_rows)
        known = of_row[found.row_family[row]] + np.add.reduceat(old, found.row)[row]
        more = gammaln(known) - gammaln(known + in_rows[row])
        change += np.bincount(found.row_family[row], more, minlength=len(sizes))
    return changes


def predicted(cells: Cells, counts: Floats) -> Floats:  # float[L, cells]
    """The probability of each value in the next round, given the row of its parents, by the same priors."""
    first, _, worth = _rows(cells)
    rows = np.diff(cells.start) // cells.values
    prior = np.repeat(worth / cells.values, np.diff(cells.start))
    of_row = np.repeat(worth, rows) + np.add.reduceat(counts, first, axis=1)
    return np.asarray((counts + prior) / np.repeat(of_row, np.repeat(cells.values, rows), axis=1))


def graph_weights(families: CandidateFamilies, prior: Floats, counts: Floats) -> Floats:  # float[L, K]
    """The probability of each candidate: its prior (float[K]) times the marginal likelihoods of its families."""
    scores = family_scores(families.cells, counts)
    for f in np.flatnonzero(families.centre >= 0):
        scores[:, f] = _near(families.cells, counts, int(f), int(families.centre[f]))
    log = np.log(prior) + scores @ families.scored.T
    weight = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def family_weights(families: CandidateFamilies, counts: Floats) -> Floats:  # float[L, F]
    """The probability of each set of parents of each variable, where the candidates are not listed.

    It is exact, as the prior and the marginal likelihood of a graph are products over variables.
    """
    log = np.log(families.before) + family_scores(families.cells, counts)
    starts = np.flatnonzero(
        [i == 0 or f.name != families.families[i - 1].name for i, f in enumerate(families.families)]
    )
    sizes = np.diff(starts, append=len(families.families))
    weight = np.exp(log - np.repeat(np.maximum.reduceat(log, starts, axis=1), sizes, axis=1))
    return np.asarray(weight / np.repeat(np.add.reduceat(weight, starts, axis=1), sizes, axis=1))


def set_weights(doubts: Graphs, counts: Floats) -> Floats:  # float[L, F]
    """The logarithm of the weight of each set of parents of each variable, where arrows can make a cycle.

    `counts` (float[L, ·]) are those of the tables with all possible parents.
    """
    found = set_tables(doubts)
    scores = [family_scores(found.families.cells, found.counts(own[None]))[0] for own in counts]
    return np.asarray(np.log(found.families.before) + np.array(scores).reshape(len(counts), len(found.variable)))


def graph_sums(doubts: Graphs, counts: Floats) -> list[dag_kernels.DagSums]:
    """The sums over all acyclic graphs in each lane, by the prior of a graph times its marginal likelihood."""
    return [sums_of(doubts, own) for own in set_weights(doubts, counts)]


def sums_of(doubts: Graphs, weights: Floats) -> dag_kernels.DagSums:
    """The sums for one lane, from the logarithms of the weights of all sets of parents (float[F])."""
    from bestdo.causal import dag_kernels

    found = set_tables(doubts)
    made = np.full(found.number.shape, -np.inf)
    made[found.variable, found.parents] = weights
    return dag_kernels.DagSums(made)
