"""The loops of top-two that arrays cannot express fast enough, compiled by numba once and kept on disk."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["seen_gains", "top_pairs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_GAMMA, _MIX1, _MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_LOW = np.uint64(4095)


@numba.njit(cache=True)
def top_pairs(
    good: Floats, all_: Floats, scale: Floats, quantiles: Floats, seed: np.uint64, leader: Ints, challenger: Ints
) -> None:
    """The best and the second best of k draws of means (good / all_, float[L, A]) into leader, challenger (int[L, K]).

    Draws are normal on the scale of angles, asin(2 mean − 1), with the spread 1 / √(all + 1), of which every other pair
    has the part `scale` (float[L]). Normal numbers are taken from a list of 4,096 equally likely ones, five for each number
    of splitmix64: most time is spent here.
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
            for begin in range(0, actions, 5):
                seed += _GAMMA
                z = (seed ^ (seed >> np.uint64(30))) * _MIX1
                z = (z ^ (z >> np.uint64(27))) * _MIX2
                z = z ^ (z >> np.uint64(31))
                for a in range(begin, min(begin + 5, actions)):
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
    """Adds to out (float[L, A]) which share of the variance of each pair's difference a round of each action removes.

    A mean is the sum of Beta variables in the cells from start[a] on, by their weights (all float[L, C]); the variance
    of each falls by one part in n + 1 when it is seen once more. How likely that is in a round of the actions `showing`
    (int[B]), which can show the cells `shows` (bool[B, C]): as often as the cell was counted without the action being
    played, for each round that was as good as one of the action showing it, and half a time in one round more.
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
