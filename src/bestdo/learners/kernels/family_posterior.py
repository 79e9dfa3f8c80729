"""The posterior of families for the counts of one lane: how likely their members are, and mean tables."""

from __future__ import annotations

import math
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from bestdo.learners.beliefs.families import BASES, LISTED, Families
from bestdo.learners.kernels.main_effects import chance, fit_effects, spreads

__all__ = ["Posterior", "design_of", "know_spread", "mean_tables", "nothing_yet", "offset_of", "spread_out", "update"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_UNLIKELY = 1e-5  # members less likely than this are left out of averages
_RARE = 1e-3  # the same where the average need not be exact


class Posterior(NamedTuple):
    """What is believed of the families of one lane, and room to work in. Filled by `update`."""

    base: Floats
    """float[N, values]: each family's share of each value, to which its rows are drawn."""
    place: Ints
    """int[N]: which of the listed base rates that of the second value is, where there are two."""
    cells: Floats
    """The counts of all sets of parents, as `Families.cell` says."""
    weight: Floats
    """float[J, C]: how likely each set of parents is, with each concentration."""
    effects: Floats
    """float[N, E]: how likely main effects are."""
    mode: Floats
    """float[N, E, p]: their mode."""
    factor: Floats
    """float[N, E, p, p]: the factor of their precision."""
    spread: Floats
    """float[E, rows of all tables]: the posterior variance of each row's logit, where it is known."""
    spread_known: NDArray[np.bool_]
    """bool[N, E]"""
    work: Floats
    """float[2, p]"""
    rows: Floats
    """The rows of one set of parents."""
    less: Floats
    """float[cells]"""
    member: Ints
    """int[N, 2]: what was drawn last: a set of parents and a concentration, or -1 and a kind of main effects."""


@numba.njit(cache=True, error_model="numpy")
def nothing_yet(families: Families) -> Posterior:
    """Room for the posterior of one lane."""
    n, values = len(families.values), families.values.max()
    p, kinds = max(families.features.max(), 1), len(families.precision)
    return Posterior(
        np.empty((n, values)),
        np.zeros(n, np.int64),
        np.empty(families.cell[-1]),
        np.empty((len(families.rows), len(families.concentration))),
        np.zeros((n, kinds)),
        np.zeros((n, kinds, p)),
        np.zeros((n, kinds, p, p)),
        np.empty((kinds, families.start[-1])),
        np.zeros((n, kinds), np.bool_),
        np.empty((2, p)),
        np.empty(families.rows.max() * values),
        np.empty(families.start[-1]),
        np.empty((n, 2), np.int64),
    )


@numba.njit(cache=True, error_model="numpy")
def _set_base(counts: Floats, families: Families, v: int, post: Posterior) -> None:
    """The shares of the values in all rounds, with one round spread evenly; even for a variable without parents."""
    values, base = families.values[v], post.base[v]
    base[:values] = 1 / values
    if families.first[v + 1] - families.first[v] > 1:
        for c in range(families.start[v], families.start[v + 1], values):
            for k in range(values):
                base[k] += counts[c + k]
        base[:values] /= base[:values].sum()
    if values == 2:
        last = families.base[-1]
        far = math.log(last / (1 - last))
        g = int((math.log(base[1] / base[0]) / far + 1) / 2 * (BASES - 1) + 0.5)
        post.place[v] = min(max(g, 0), BASES - 1)
        base[1], base[0] = families.base[post.place[v]], families.base[BASES - 1 - post.place[v]]


@numba.njit(cache=True, error_model="numpy")
def _collapse(counts: Floats, families: Families, v: int, cells: Floats) -> None:
    """The counts of the family's table when only some of the parents matter, for each such set."""
    values = families.values[v]
    first, last = families.first[v], families.first[v + 1]
    cells[families.cell[first] : families.cell[last]] = 0
    rows = (families.start[v + 1] - families.start[v]) // values
    for row in range(rows):
        c = families.start[v] + row * values
        n = 0.0
        for k in range(values):
            n += counts[c + k]
        if n == 0:
            continue
        for j in range(first, last):
            to = families.cell[j] + families.row[families.at[j] + row] * values
            for k in range(values):
                cells[to + k] += counts[c + k]


@numba.njit(cache=True, error_model="numpy")
def _rising(a: float, n: float) -> float:
    """Log of a (a + 1) … (a + n - 1)."""
    return math.lgamma(a + n) - math.lgamma(a)


@numba.njit(cache=True, error_model="numpy")
def _evidence(families: Families, v: int, j: int, post: Posterior) -> None:
    """Makes post.weight[j] the log evidence of a set of parents, with each concentration."""
    values, kinds = families.values[v], len(families.concentration)
    likely = post.weight[j]
    likely[:] = families.prior[j] - math.log(kinds)
    g = post.place[v]
    for row in range(families.rows[j]):
        at, n = families.cell[j] + row * values, 0.0
        for k in range(values):
            n += post.cells[at + k]
        if n == 0:
            continue
        if values == 2 and n <= LISTED:
            zero, one = int(post.cells[at]), int(post.cells[at + 1])
            for i in range(kinds):
                likely[i] += (
                    families.rising[BASES - 1 - g, zero, i]
                    + families.rising[g, one, i]
                    - families.rising_all[zero + one, i]
                )
            continue
        for i in range(kinds):
            each = families.concentration[i]
            likely[i] -= _rising(each, n)
            for k in range(values):
                if post.cells[at + k] > 0:
                    likely[i] += _rising(each * post.base[v, k], post.cells[at + k])


@numba.njit(cache=True, error_model="numpy")
def design_of(families: Families, v: int) -> Floats:  # float[rows, p]
    """The columns of main effects for each row of a family's table."""
    p = families.features[v]
    rows = (families.start[v + 1] - families.start[v]) // 2
    return families.design[families.design_at[v] : families.design_at[v] + rows * p].reshape(rows, p)


@numba.njit(cache=True, error_model="numpy")
def offset_of(post: Posterior, v: int) -> float:
    """The logit of a family's base rate."""
    return math.log(post.base[v, 1] / post.base[v, 0])


@numba.njit(cache=True, error_model="numpy")
def know_spread(families: Families, v: int, e: int, post: Posterior) -> None:
    """Makes sure that post.spread holds the posterior variance of the logit of each row of a family."""
    if not post.spread_known[v, e]:
        p = families.features[v]
        spreads(
            design_of(families, v), post.factor[v, e, :p, :p], post.work[0, :p], post.spread[e, families.start[v] :]
        )
        post.spread_known[v, e] = True


@numba.njit(cache=True, error_model="numpy")
def update(counts: Floats, families: Families, post: Posterior) -> None:
    """The posterior of all families, given the counts of all cells of a lane."""
    for v in range(len(families.values)):
        first, last, p = families.first[v], families.first[v + 1], families.features[v]
        post.spread_known[v] = False
        _set_base(counts, families, v, post)
        _collapse(counts, families, v, post.cells)
        top = -np.inf
        for j in range(first, last):
            _evidence(families, v, j, post)
            top = max(top, post.weight[j].max())
        for e in range(len(families.precision) if p else 0):
            mode, own = post.mode[v, e, :p], counts[families.start[v] : families.start[v + 1]]
            if e:
                mode[:] = post.mode[v, e - 1, :p]
            else:
                mode[:] = 0
            post.effects[v, e] = families.effects_prior[v] + fit_effects(
                own,
                design_of(families, v),
                offset_of(post, v),
                families.precision[e],
                mode,
                post.work[0, :p],
                post.factor[v, e, :p, :p],
            )
            top = max(top, post.effects[v, e])
        total = 0.0
        for j in range(first, last):
            for i in range(len(families.concentration)):
                post.weight[j, i] = math.exp(post.weight[j, i] - top)
                total += post.weight[j, i]
        for e in range(len(families.precision)):
            post.effects[v, e] = math.exp(post.effects[v, e] - top) if p else 0.0
            total += post.effects[v, e]
        post.weight[first:last] /= total
        post.effects[v] /= total


@numba.njit(cache=True, error_model="numpy")
def spread_out(families: Families, v: int, j: int, rows: Floats, table: Floats) -> None:
    """Adds the rows of a set of parents to all rows of the whole table."""
    values = families.values[v]
    for row in range((families.start[v + 1] - families.start[v]) // values):
        own = families.row[families.at[j] + row] * values
        for k in range(values):
            table[families.start[v] + row * values + k] += rows[own + k]


@numba.njit(cache=True, error_model="numpy")
def mean_tables(families: Families, post: Posterior, exact: bool, table: Floats) -> None:
    """The expectation of every cell: the members by their weights; main effects at their mode where it need not be exact."""
    unlikely = _UNLIKELY if exact else _RARE
    for v in range(len(families.values)):
        values, start, end = families.values[v], families.start[v], families.start[v + 1]
        table[start:end] = 0
        for j in range(families.first[v], families.first[v + 1]):
            if post.weight[j].sum() >= unlikely:
                _add_mean_rows(families, v, j, post, table)
        for e in range(len(families.precision) if families.features[v] else 0):
            if post.effects[v, e] >= unlikely:
                _add_mean_effects(families, v, e, post, exact, table)
        for row in range(start, end, values):
            total = 0.0
            for k in range(values):
                total += table[row + k]
            for k in range(values):
                table[row + k] /= total


@numba.njit(cache=True, error_model="numpy")
def _add_mean_rows(families: Families, v: int, j: int, post: Posterior, table: Floats) -> None:
    """Adds the mean table of a set of parents, times how likely it is."""
    values = families.values[v]
    for row in range(families.rows[j]):
        at, n = families.cell[j] + row * values, 0.0
        for k in range(values):
            n += post.cells[at + k]
            post.rows[row * values + k] = 0
        for i in range(len(families.concentration)):
            each = families.concentration[i]
            scale = post.weight[j, i] / (n + each)
            for k in range(values):
                post.rows[row * values + k] += scale * (post.cells[at + k] + each * post.base[v, k])
    spread_out(families, v, j, post.rows, table)


@numba.njit(cache=True, error_model="numpy")
def _add_mean_effects(families: Families, v: int, e: int, post: Posterior, exact: bool, table: Floats) -> None:
    """Adds the mean table of main effects: that of a normal logit is 1 / (1 + exp(-m / √(1 + π s² / 8))), to 0.02."""
    design, p, weight = design_of(families, v), families.features[v], post.effects[v, e]
    mode, offset = post.mode[v, e, :p], offset_of(post, v)
    if exact:
        know_spread(families, v, e, post)
    for row in range(len(design)):
        variance = post.spread[e, families.start[v] + row] if exact else 0.0
        q = chance(design, row, mode, offset, 1 / math.sqrt(1 + math.pi / 8 * variance))
        table[families.start[v] + 2 * row] += weight * (1 - q)
        table[families.start[v] + 2 * row + 1] += weight * q
