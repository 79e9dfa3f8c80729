"""Main effects on the logit scale: the posterior of one table's effects, normal around its mode (Laplace's method)."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["chance", "draw_effects", "fit_effects", "gain_by_effects", "spreads"]

Floats = NDArray[np.float64]

_STEPS = 8  # of Newton's method at most; two or three are enough
_NEAR = 0.02  # the mode is found when a step raises the log posterior by less
_FAR = 4.0  # no coefficient moves farther in one step
_PRECISION = 0.25  # of the constant, beside the logit of the base rate


@numba.njit(cache=True, error_model="numpy")
def chance(design: Floats, row: int, effects: Floats, offset: float, scale: float = 1.0) -> float:
    """The probability of the second value in a row, its logit multiplied by `scale`."""
    eta = offset
    for i in range(len(effects)):
        eta += design[row, i] * effects[i]
    return 1 / (1 + math.exp(-scale * eta))


@numba.njit(cache=True, error_model="numpy")
def _factor(matrix: Floats) -> None:
    """Cholesky's factor, in the lower half of the matrix itself."""
    for i in range(len(matrix)):
        for j in range(i + 1):
            left = matrix[i, j]
            for k in range(j):
                left -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = math.sqrt(max(left, 1e-12)) if i == j else left / matrix[j, j]


@numba.njit(cache=True, error_model="numpy")
def _solve(factor: Floats, x: Floats) -> None:
    """Makes x the solution of factor factorᵀ y = x."""
    for i in range(len(factor)):
        for k in range(i):
            x[i] -= factor[i, k] * x[k]
        x[i] /= factor[i, i]
    _solve_upper(factor, x)


@numba.njit(cache=True, error_model="numpy")
def _solve_upper(factor: Floats, x: Floats) -> None:
    """Makes x the solution of factorᵀ y = x."""
    for i in range(len(factor) - 1, -1, -1):
        for k in range(i + 1, len(factor)):
            x[i] -= factor[k, i] * x[k]
        x[i] /= factor[i, i]


@numba.njit(cache=True, error_model="numpy")
def _look(counts: Floats, design: Floats, offset: float, mode: Floats, slope: Floats, matrix: Floats) -> float:
    """Log likelihood, its slope and its curvature (the lower half of the matrix) at some effects."""
    slope[:] = 0
    matrix[:] = 0
    likely = 0.0
    for row in range(len(design)):
        won = counts[2 * row + 1]
        n = won + counts[2 * row]
        if n == 0:
            continue
        eta = offset
        for i in range(len(mode)):
            eta += design[row, i] * mode[i]
        e = math.exp(-abs(eta))
        p = 1 / (1 + e) if eta >= 0 else e / (1 + e)
        likely += won * min(eta, 0.0) - (n - won) * max(eta, 0.0) - n * math.log1p(e)
        weight, more = n * p * (1 - p), won - n * p
        for i in range(len(mode)):
            x = design[row, i]
            if x != 0:
                slope[i] += more * x
                for j in range(i + 1):
                    matrix[i, j] += weight * x * design[row, j]
    return likely


@numba.njit(cache=True, error_model="numpy")
def fit_effects(
    counts: Floats, design: Floats, offset: float, precision: float, mode: Floats, step: Floats, factor: Floats
) -> float:
    """Finds the mode of the effects, from where `mode` stands, and the factor of their precision; the log evidence.

    `counts` (float[2 R]) are those of the table's rows, `design` (float[R, p]) their columns, the first of which is 1.
    """
    found = 0.0
    for _ in range(_STEPS):
        found = _look(counts, design, offset, mode, step, factor)
        for i in range(len(mode)):
            own = precision if i else _PRECISION
            found += 0.5 * (math.log(own) - own * mode[i] * mode[i])
            step[i] -= own * mode[i]
            factor[i, i] += own
        _factor(factor)
        for i in range(len(mode)):  # half of the solution, for the height of the step
            for k in range(i):
                step[i] -= factor[i, k] * step[k]
            step[i] /= factor[i, i]
        raised, far = 0.5 * (step * step).sum(), 1.0
        _solve_upper(factor, step)
        for i in range(len(mode)):
            far = max(far, abs(step[i]) / _FAR)
        mode += step / far
        found += raised
        if raised < _NEAR:
            break
    for i in range(len(mode)):
        found -= math.log(factor[i, i])
    return found


@numba.njit(cache=True, error_model="numpy")
def spreads(design: Floats, factor: Floats, work: Floats, out: Floats) -> None:
    """The posterior variance of each row's logit (float[R])."""
    for row in range(len(design)):
        out[row] = 0
        for i in range(len(factor)):
            left = design[row, i]
            for k in range(i):
                left -= factor[i, k] * work[k]
            work[i] = left / factor[i, i]
            out[row] += work[i] * work[i]


@numba.njit(cache=True, error_model="numpy")
def draw_effects(mode: Floats, factor: Floats, rng: np.random.Generator, out: Floats) -> None:
    """Effects drawn from their posterior."""
    for i in range(len(mode)):
        out[i] = rng.standard_normal()
    _solve_upper(factor, out)
    for i in range(len(mode)):
        out[i] += mode[i]


@numba.njit(cache=True, error_model="numpy")
def gain_by_effects(
    slope: Floats,
    design: Floats,
    offset: float,
    mode: Floats,
    factor: Floats,
    spread: Floats,
    work: Floats,
    less: Floats,
) -> float:
    """The variance of a sum of slope × cell over the table (float[2 R]), and how much less it is after one more count.

    The latter goes into `less` (float[2 R]), for each cell of the row that the count is in. Linear around the mode;
    `spread` (float[R]) is the variance of each row's logit.
    """
    p = len(mode)
    by, other = work[0, :p], work[1, :p]
    by[:] = 0
    for row in range(len(design)):
        q = chance(design, row, mode, offset)
        less[2 * row] = q * (1 - q)
        height = (slope[2 * row + 1] - slope[2 * row]) * less[2 * row]
        for i in range(p):
            by[i] += height * design[row, i]
    other[:] = by
    _solve(factor, other)
    whole = 0.0
    for i in range(p):
        whole += by[i] * other[i]
    for row in range(len(design)):
        told = 0.0
        for i in range(p):
            told += design[row, i] * other[i]
        weight = less[2 * row]
        less[2 * row] = told * told * weight / (1 + weight * spread[row])
        less[2 * row + 1] = less[2 * row]
    return whole
