"""Loops of causal top-two on counts, compiled by numba: drawing pairs, and what a round of each action tells about them."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["seen_gains", "top_pairs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_GOLDEN, _MIX1, _MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(4095)
"""Mask of 12 bits: an index into the 4,096 quantiles."""


@numba.njit(cache=True)
def top_pairs(
    good: Floats, all_: Floats, scale: Floats, quantiles: Floats, seed: np.uint64, leader: Ints, challenger: Ints
) -> None:
    """Writes the best and the second best action of K draws of all means into leader and challenger (int[L, K]).

    The means are good / all_ (float[L, A]). Draws are normal on the scale of angles, asin(2 mean − 1), with the standard
    deviation 1 / √(all_ + 1), multiplied by `scale` (float[L]) in every other draw. Normal numbers are taken from a list of
    4,096 equally likely ones, five for each number of splitmix64, because most of the time is spent here.
    """
    lanes, actions = good.shape
    angle, spread = np.empty(actions), np.empty(actions)
    for lane in range(lanes):
        for a in range(actions):
            side = 2 * good[lane, a] / all_[lane, a] - 1
            far = abs(side)  # asin by Hastings' polynomial, to 7e-5
            fit = 1.5707288 + far * (-0.2121144 + far * (0.0742610 - 0.0187293 * far))
            angle[a] = math.copysign(0.5 * math.pi - math.sqrt(1 - far) * fit, side)
            spread[a] = 1 / math.sqrt(all_[lane, a] + 1)
        for k in range(leader.shape[1]):
            first, second, one, two = -np.inf, -np.inf, 0, 0
            part = scale[lane] if k % 2 else 1.0
            for start in range(0, actions, 5):
                seed += _GOLDEN
                z = (seed ^ (seed >> np.uint64(30))) * _MIX1
                z = (z ^ (z >> np.uint64(27))) * _MIX2
                z = z ^ (z >> np.uint64(31))
                for a in range(start, min(start + 5, actions)):
                    x = angle[a] + part * spread[a] * quantiles[z & _LOW]
                    z >>= np.uint64(12)
                    if x > second:
                        if x > first:
                            first, second, one, two = x, first, a, one
                        else:
                            second, two = x, a
            leader[lane, k], challenger[lane, k] = one, two


@numba.njit(cache=True)
def seen_gains(
    good: Floats,
    all_: Floats,
    weight: Floats,
    counts: Floats,
    played: Floats,
    start: Ints,
    showing: Ints,
    shows: NDArray[np.bool_],
    leader: Ints,
    challenger: Ints,
    out: Floats,
) -> None:
    """Adds to out (float[L, A]) the share of the variance of each pair's difference that a round of each action removes.

    An action's mean is a weighted sum of Beta variables, those in the cells from start[a] on (all float[L, C]); the
    variance of each falls by one part in n + 1 when the cell is seen once more. The actions `showing` (int[B]) can show
    the cells `shows` (bool[B, C]); the probability that a round of one does is estimated by how often the cell was counted
    without its action being played, plus 1/2, divided by the rounds as good as the action that shows it, plus 1.
    """
    lanes, pairs = leader.shape
    could = np.empty(len(showing))
    for lane in range(lanes):
        of = min(lane, len(weight) - 1)
        for b in range(len(showing)):
            could[b] = 1.0
            for c in range(start[showing[b]], start[showing[b] + 1]):
                could[b] += counts[lane, c]
        for k in range(pairs):
            two = (leader[lane, k], challenger[lane, k])
            whole = 0.0
            for a in two:
                for c in range(start[a], start[a + 1]):
                    mean = good[lane, c] / all_[lane, c]
                    whole += weight[of, c] ** 2 * mean * (1 - mean) / (all_[lane, c] + 1)
            for a in two:
                for c in range(start[a], start[a + 1]):
                    mean, n = good[lane, c] / all_[lane, c], all_[lane, c] + 1
                    share = weight[of, c] ** 2 * mean * (1 - mean) / (n * n * whole)
                    out[lane, a] += share * weight[of, c]
                    seen = max(counts[lane, c] - weight[of, c] * played[lane, a], 0.0) + 0.5
                    for b in range(len(showing)):
                        if shows[b, c]:
                            out[lane, showing[b]] += share * min(seen / could[b], 1.0)
