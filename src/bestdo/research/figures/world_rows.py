"""Rows of tables of classes of worlds beyond those of `bestdo.simulate.random_rows`, in the same form."""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats

__all__ = ["hump", "most_of", "noisy_or", "scattered", "two_levels"]

_Sizes = tuple[int, ...]


def scattered(sizes: _Sizes, lanes: int, rng: np.random.Generator, base: float, spread: float) -> Floats:
    """Every row normal around the base rate, between 0.01 and 0.99."""
    return np.clip(rng.normal(base, spread, size=(lanes, *sizes)), 0.01, 0.99)


def two_levels(
    sizes: _Sizes, lanes: int, rng: np.random.Generator, low: float, high: float, share: float = 0.3
) -> Floats:
    """Every row near the high rate in this share of all, and near the low one else."""
    level = np.where(rng.random((lanes, *sizes)) < share, high, low)
    return np.clip(rng.normal(level, 0.02), 0.01, 0.99)


def hump(sizes: _Sizes, lanes: int, rng: np.random.Generator, low: float, high: float) -> Floats:
    """The rates of the values of the one parent, in their order: a smooth hump somewhere."""
    at = np.linspace(0, 1, sizes[0])
    middle, width = rng.uniform(0, 1, size=(lanes, 1)), rng.uniform(0.1, 0.3, size=(lanes, 1))
    return low + (high - low) * np.exp(-0.5 * ((at - middle) / width) ** 2)


def most_of(sizes: _Sizes, lanes: int, rng: np.random.Generator, number: int, low: float, high: float) -> Floats:
    """The high rate where more than half of the first few parents are 1, the low one else; worlds differ by a little."""
    most = np.indices(sizes)[:number].sum(axis=0) > number / 2
    shift = rng.uniform(-0.05, 0.05, size=(lanes, *[1] * len(sizes)))
    return np.where(most, high, low) + shift


def noisy_or(sizes: _Sizes, lanes: int, rng: np.random.Generator, leak: float, strength: float) -> Floats:
    """Success by any of the parents that are 1, each with a chance of its own, or by nothing: 1 - (1 - leak) Π (1 - w)."""
    fails = np.full((lanes, *sizes), 1 - leak)
    for code in np.indices(sizes):
        weight = rng.uniform(0, strength, size=lanes).reshape(-1, *[1] * len(sizes))
        fails = fails * np.where(code == 1, 1 - weight, 1)
    return 1 - fails
