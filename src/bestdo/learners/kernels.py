"""The loops of top-two that arrays cannot express fast enough, compiled by numba once and kept on disk."""

from __future__ import annotations

import math

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["seen_gains", "top_pairs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@numba.njit(cache=True)
def top_pairs(good: Floats, all_: Floats, rng: np.random.Generator, leader: Ints, challenger: Ints) -> None:
    """The best and the second best of k draws of means (good / all_, float[L, A]) into leader, challenger (int[L, K]).

    Draws are normal on the scale of angles, asin √mean, with the spread 1 / (2 √(all + 1)).
    """
    lanes, actions = good.shape
    angle, spread = np.empty(actions), np.empty(actions)
    for lane in range(lanes):
        for a in range(actions):
            angle[a] = math.asin(math.sqrt(good[lane, a] / all_[lane, a]))
            spread[a] = 0.5 / math.sqrt(all_[lane, a] + 1)
        for k in range(leader.shape[1]):
            first, second, one, two = -np.inf, -np.inf, 0, 0
            for a in range(actions):
                x = angle[a] + spread[a] * rng.standard_normal()
                if x > first:
                    first, second, one, two = x, first, a, one
                elif x > second:
                    second, two = x, a
            leader[lane, k], challenger[lane, k] = one, two


@numba.njit(cache=True)
def seen_gains(
    good: Floats,
    all_: Floats,
    seen: Floats,
    could: Floats,
    showing: Ints,
    shows: NDArray[np.bool_],
    leader: Ints,
    challenger: Ints,
    out: Floats,
) -> None:
    """Adds to out (float[L, A]) which share of the variance of each pair's difference a round of each action removes.

    The variance of a Beta falls by one part in n + 1 when it is seen once more. `seen` (float[L, A]) is how often an
    action was seen without being played, `could` (float[L, B]) in how many rounds the actions `showing` (int[B]) could
    show those that they show (bool[B, A]).
    """
    lanes, pairs = leader.shape
    for lane in range(lanes):
        for k in range(pairs):
            two = (leader[lane, k], challenger[lane, k])
            whole = 0.0
            for a in two:
                mean = good[lane, a] / all_[lane, a]
                whole += mean * (1 - mean) / (all_[lane, a] + 1)
            for a in two:
                mean = good[lane, a] / all_[lane, a]
                share = mean * (1 - mean) / (all_[lane, a] + 1) ** 2 / whole
                out[lane, a] += share
                for b in range(len(showing)):
                    if shows[b, a]:
                        out[lane, showing[b]] += share * min(seen[lane, a] / could[lane, b], 1.0)
