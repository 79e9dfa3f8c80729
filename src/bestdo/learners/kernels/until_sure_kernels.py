"""Which rivals a leader does not beat with confidence yet, compiled: unlike array code it can stop at the first one."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["unbeaten_rivals"]

_STAKES = np.array([0.0, 0.08, 0.25, 0.7])
"""Shares of the money that are bet on one action, in all pairs: small ones win on small differences, large ones on large
differences. Not measured against others; rounds until sure are in docs/learners.md, "Until sure"."""
_POINTS, _OUTSIDE = 64, 32
"""Numbers of thetas between the two means, and on either side of them, at which the evidence is bounded. More give a tighter
bound and cost time; the bound is valid for any. Compared with a fine grid in tests/learners/test_until_sure.py."""


@numba.njit(cache=True)
def _bets(cells: NDArray[np.float64], theta: float, within: float, out: NDArray[np.float64]) -> None:
    """The logarithm of the money won by each pair of stakes, given the counts in the six cells and theta.

    The cells are successes and failures that counted for the leader alone, the rival alone, and both.
    """
    k = 0
    for a in _STAKES:
        for b in _STAKES:
            good = 1 + a * (1 - theta), 1 - b * (1 - theta - within), 1 + a * (1 - theta) - b * (1 - theta - within)
            bad = 1 - a * theta, 1 + b * (theta + within), 1 - a * theta + b * (theta + within)
            won = 0.0
            for i in range(3):
                if cells[2 * i] > 0:
                    won += cells[2 * i] * math.log(good[i])
                if cells[2 * i + 1] > 0:
                    won += cells[2 * i + 1] * math.log(bad[i])
            out[k] = won
            k += 1


@numba.njit(cache=True)
def _evidence(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """A lower bound of the log of the average money between two thetas, from the log money of each pair at both of them.

    The log money of a pair is concave in theta, so between two thetas it is at least the smaller of its two values.
    """
    top = -math.inf
    for k in range(1, len(low)):
        top = max(top, min(low[k], high[k]))
    total = 0.0
    for k in range(1, len(low)):  # the first pair stakes nothing
        total += math.exp(min(low[k], high[k]) - top)
    return top + math.log(total / (len(low) - 1))


@numba.njit(cache=True)
def _beaten(cells: NDArray[np.float64], limit: float, within: float) -> bool:
    """Whether the evidence reaches the limit at every theta from 0 to 1 − within."""
    n_a, n_b = cells[0] + cells[1] + cells[4] + cells[5], cells[2] + cells[3] + cells[4] + cells[5]
    if n_a == 0:
        return False
    top = (cells[0] + cells[4]) / n_a
    bottom = ((cells[2] + cells[4]) / n_b if n_b > 0 else 1.0) - within
    if bottom >= top:
        return False
    bottom, top = max(bottom, 0.0), min(top, 1 - within)
    pairs = len(_STAKES) ** 2
    one, two = np.empty(pairs), np.empty(pairs)
    middle = min(
        max((n_a * top + n_b * bottom) / (n_a + n_b), bottom), top
    )  # where the evidence is usually smallest: most rivals fail here
    step = (top - bottom) / _POINTS
    _bets(cells, max(middle - step / 2, 0.0), within, one)
    _bets(cells, min(middle + step / 2, 1 - within), within, two)
    if _evidence(one, two) < limit:
        return False
    _bets(cells, 0.0, within, one)
    for k in range(1, _POINTS + 2 * _OUTSIDE + 1):
        if k <= _OUTSIDE:
            theta = bottom * k / _OUTSIDE
        elif k <= _OUTSIDE + _POINTS:
            theta = bottom + (k - _OUTSIDE) * step
        else:
            theta = top + (1 - within - top) * (k - _OUTSIDE - _POINTS) / _OUTSIDE
        _bets(cells, theta, within, two)
        if _evidence(one, two) < limit:
            return False
        one, two = two, one
    return True


@numba.njit(cache=True)
def unbeaten_rivals(
    n: NDArray[np.float64],
    s: NDArray[np.float64],
    both_n: NDArray[np.float64],
    both_s: NDArray[np.float64],
    leader: NDArray[np.int64],
    limit: float,
    within: float,
    first: bool,
    out: NDArray[np.bool_],
) -> None:
    """Writes which rivals (bool[L, A]) each lane's leader does not beat into `out`; only the first one found, with `first`.

    n and s count rounds and successes of each action, both_n and both_s those that it shares with the leader.
    """
    lanes, actions = n.shape
    cells = np.empty(6)
    for lane in range(lanes):
        a = leader[lane]
        for b in range(actions):
            out[lane, b] = False
            if b == a:
                continue
            cells[4], cells[5] = both_s[lane, b], both_n[lane, b] - both_s[lane, b]
            cells[0], cells[1] = s[lane, a] - cells[4], n[lane, a] - s[lane, a] - cells[5]
            cells[2], cells[3] = s[lane, b] - cells[4], n[lane, b] - s[lane, b] - cells[5]
            if not _beaten(cells, limit, within):
                out[lane, b] = True
                if first:
                    break
