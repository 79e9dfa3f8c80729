"""How likely each candidate graph is, given counts: its prior times the marginal likelihood of all rounds (BDeu)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.doubts import Doubts
from bestdo.statistics.candidate_tables import CandidateFamilies
from bestdo.statistics.tables import Cells

__all__ = ["SAMPLE_SIZE", "arrow_weights", "family_scores", "family_weights", "graph_weights", "predicted"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SAMPLE_SIZE = 8.0
"""The equivalent sample size: how many rounds the prior of a table is worth, spread evenly over its cells. Of
1, 2, 4, 5, 8, 16 and 32 the one with which probabilities from 0.8 to 0.9 come true and the logarithmic score is nearly the
best in simulated studies (docs/explanation/doubts.md, tests/learners/test_graph_calibration.py)."""


def _rows(cells: Cells) -> tuple[Ints, Ints, Floats]:  # int[R], int[F] and float[F]
    """The first cell of each row of all tables, the first row of each table, and how many rounds a row's prior is worth."""
    each = np.diff(cells.start) // cells.values
    first = np.concatenate([np.arange(cells.start[f], cells.start[f + 1], n) for f, n in enumerate(cells.values)])
    return first, np.concatenate([[0], np.cumsum(each)[:-1]]), SAMPLE_SIZE / each


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
    in_cells = gammaln(prior + counts) - gammaln(prior)
    in_rows = gammaln(of_row) - gammaln(of_row + np.add.reduceat(counts, first, axis=1))
    return np.asarray(np.add.reduceat(in_cells, cells.start[:-1], axis=1) + np.add.reduceat(in_rows, of_table, axis=1))


def predicted(cells: Cells, counts: Floats) -> Floats:  # float[L, cells]
    """The probability of each value in the next round, given the row of its parents, by the same priors."""
    first, _, worth = _rows(cells)
    rows = np.diff(cells.start) // cells.values
    prior = np.repeat(worth / cells.values, np.diff(cells.start))
    of_row = np.repeat(worth, rows) + np.add.reduceat(counts, first, axis=1)
    return np.asarray((counts + prior) / np.repeat(of_row, np.repeat(cells.values, rows), axis=1))


def graph_weights(families: CandidateFamilies, prior: Floats, counts: Floats) -> Floats:  # float[L, K]
    """The probability of each candidate: its prior (float[K]) times the marginal likelihoods of its families."""
    log = np.log(prior) + family_scores(families.cells, counts) @ families.scored.T
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


def arrow_weights(doubts: Doubts, families: CandidateFamilies, counts: Floats) -> Floats:  # float[L, P]
    """The probability of each of the `possible` arrows of the doubts, whether or not the candidates are listed."""
    if doubts.listed:
        return np.asarray(graph_weights(families, doubts.prior, counts) @ doubts.there)
    has = [[f.name == b and a in f.parents for a, _, b in doubts.possible] for f in families.families]
    return np.asarray(family_weights(families, counts) @ np.array(has, float))
