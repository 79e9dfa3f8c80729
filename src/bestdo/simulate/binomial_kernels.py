"""A compiled loop (numba) that draws binomial numbers."""

from __future__ import annotations

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["binomials"]

_GAMMA, _MIX1, _MIX2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_ONES, _TWOS, _FOURS = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333), np.uint64(0x0F0F0F0F0F0F0F0F)
_MOST_COINS = 512
"""Up to so many fair coins are flipped as bits, 64 at a time; for more, numpy's sampler, whose cost does not grow, is used.

Chosen so that the paper's horizons of 400 rounds are below it: docs/benchmarks.md, T = 400 beside T = 4,000.
"""


@numba.njit(cache=True)
def binomials(
    n: NDArray[np.int64], p: NDArray[np.float64], seed: np.uint64, rng: np.random.Generator, out: NDArray[np.float64]
) -> None:
    """Draws Binomial(n, p) for n (int[L, K]) and p (float[K]) into out (float[L, K]).

    Where p is 1/2 and n at most `_MOST_COINS`, the set bits of splitmix64 numbers are counted; elsewhere numpy draws.
    """
    lanes, cells = n.shape
    for lane in range(lanes):
        for k in range(cells):
            left = n[lane, k]
            if left <= 0 or p[k] <= 0:
                out[lane, k] = 0
            elif p[k] >= 1:
                out[lane, k] = left
            elif p[k] != 0.5 or left > _MOST_COINS:
                out[lane, k] = rng.binomial(left, p[k])
            else:
                heads = np.uint64(0)
                while left > 0:
                    seed += _GAMMA
                    z = (seed ^ (seed >> np.uint64(30))) * _MIX1
                    z = (z ^ (z >> np.uint64(27))) * _MIX2
                    z = z ^ (z >> np.uint64(31))
                    if left < 64:
                        z >>= np.uint64(64 - left)
                    z -= (z >> np.uint64(1)) & _ONES  # the number of bits that are set
                    z = (z & _TWOS) + ((z >> np.uint64(2)) & _TWOS)
                    z = (z + (z >> np.uint64(4))) & _FOURS
                    heads += (z * np.uint64(0x0101010101010101)) >> np.uint64(56)
                    left -= 64
                out[lane, k] = heads
