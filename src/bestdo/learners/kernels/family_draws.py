"""Tables drawn from the posterior of families, and what one more count tells under the members that were drawn."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

from bestdo.learners.beliefs.families import Families
from bestdo.learners.kernels.family_posterior import Posterior, design_of, know_spread, offset_of, spread_out
from bestdo.learners.kernels.main_effects import chance, draw_effects, gain_by_effects

__all__ = ["add_gains", "draw_tables"]

Floats = NDArray[np.float64]

_NOTHING = 1e-14  # a variance of rounding errors


@numba.njit(cache=True, error_model="numpy")
def _gamma(shape: float, rng: np.random.Generator) -> float:
    """A Gamma number, by Marsaglia & Tsang (2000)."""
    factor = 1.0
    if shape < 1:
        factor, shape = rng.random() ** (1 / shape), shape + 1
    d = shape - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        x = rng.standard_normal()
        v = 1 + c * x
        if v > 0:
            v = v * v * v
            u = rng.random()
            if u < 1 - 0.0331 * x * x * x * x or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
                return factor * d * v


@numba.njit(cache=True, error_model="numpy")
def _draw_member(families: Families, v: int, post: Posterior, rng: np.random.Generator) -> None:
    u = rng.random()
    for j in range(families.first[v], families.first[v + 1]):
        for i in range(len(families.concentration)):
            u -= post.weight[j, i]
            if u < 0:
                post.member[v, 0], post.member[v, 1] = j, i
                return
    for e in range(len(families.precision) if families.features[v] else 0):
        u -= post.effects[v, e]
        if u < 0:
            post.member[v, 0], post.member[v, 1] = -1, e
            return
    post.member[v, 0], post.member[v, 1] = families.first[v], 0  # rounding


@numba.njit(cache=True, error_model="numpy")
def _draw_row(post: Posterior, v: int, at: int, each: float, rng: np.random.Generator, row: Floats) -> None:
    """A draw from Dirichlet(counts + each × base)."""
    total = 0.0
    for k in range(len(row)):
        row[k] = _gamma(post.cells[at + k] + each * post.base[v, k], rng)
        total += row[k]
    if total < 1e-290:  # a small prior, nothing seen: all of it on one value
        row[:] = 0
        u, k = rng.random() - post.base[v, 0], 0
        while u >= 0 and k < len(row) - 1:
            k += 1
            u -= post.base[v, k]
        row[k] = total = 1.0
    row /= total


@numba.njit(cache=True, error_model="numpy")
def draw_tables(families: Families, post: Posterior, rng: np.random.Generator, table: Floats) -> None:
    """Draws a member for each family (post.member), and then all cells of its table."""
    table[:] = 0
    for v in range(len(families.values)):
        values, p = families.values[v], families.features[v]
        _draw_member(families, v, post, rng)
        j, i = post.member[v]
        if j < 0:
            design, drawn = design_of(families, v), post.work[0, :p]
            draw_effects(post.mode[v, i, :p], post.factor[v, i, :p, :p], rng, drawn)
            offset = offset_of(post, v)
            for row in range(len(design)):
                q = chance(design, row, drawn, offset)
                table[families.start[v] + 2 * row] = 1 - q
                table[families.start[v] + 2 * row + 1] = q
            continue
        each = families.concentration[i]
        for row in range(families.rows[j]):
            own = post.rows[row * values : (row + 1) * values]
            _draw_row(post, v, families.cell[j] + row * values, each, rng, own)
        spread_out(families, v, j, post.rows, table)


@numba.njit(cache=True, error_model="numpy")
def _gain_by_rows(slope: Floats, families: Families, v: int, post: Posterior) -> float:
    """The variance of a sum of slope × cell under the member drawn; post.less: how much less after one more count."""
    values, rows = families.values[v], post.rows
    j, i = post.member[v]
    each = families.concentration[i]
    rows[: families.rows[j] * values] = 0
    all_rows = (families.start[v + 1] - families.start[v]) // values
    for row in range(all_rows):
        own = families.row[families.at[j] + row] * values
        for k in range(values):
            rows[own + k] += slope[families.start[v] + row * values + k]
    whole = 0.0
    for row in range(families.rows[j]):
        total, first, second = 0.0, 0.0, 0.0
        for k in range(values):
            alpha = post.cells[families.cell[j] + row * values + k] + each * post.base[v, k]
            total += alpha
            first += alpha * rows[row * values + k]
            second += alpha * rows[row * values + k] ** 2
        variance = max(second / total - (first / total) ** 2, 0.0) / (total + 1)
        whole += variance
        rows[row * values] = variance / (total + 1)
    for row in range(all_rows):
        less = rows[families.row[families.at[j] + row] * values]
        for k in range(values):
            post.less[families.start[v] + row * values + k] = less
    return whole


@numba.njit(cache=True, error_model="numpy")
def add_gains(slope: Floats, families: Families, post: Posterior, gain: Floats) -> None:
    """Adds, per cell, which share of the variance of a difference of means goes by one more count in the cell's row.

    The difference is linear in the tables, with this slope (float[cells]); its variance is that under the members drawn.
    """
    whole = 0.0
    for v in range(len(families.values)):
        e, p = post.member[v, 1], families.features[v]
        if post.member[v, 0] < 0:
            own = slice(families.start[v], families.start[v + 1])
            mode, factor = post.mode[v, e, :p], post.factor[v, e, :p, :p]
            know_spread(families, v, e, post)
            spread = post.spread[e, families.start[v] :]
            whole += gain_by_effects(
                slope[own], design_of(families, v), offset_of(post, v), mode, factor, spread, post.work, post.less[own]
            )
        else:
            whole += _gain_by_rows(slope, families, v, post)
    if whole > _NOTHING:
        gain += post.less / whole
