"""Random rows of tables of two-valued variables: P(1 | values of the parents), one table for each lane.

Each function takes the numbers of values of the parents, the number of lanes and a generator, then its parameters, which
`functools.partial` binds. It returns float[L, *values of the parents]. A *base rate* is P(1) where nothing else adds to it;
effects and spreads are on the scale of log odds.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bestdo.arrays import Floats

__all__ = [
    "Rows",
    "additive",
    "additive_probability",
    "alike",
    "all_needed",
    "copies",
    "either_or",
    "first_parent",
    "first_parents",
    "flat",
    "uniform",
]

_Sizes = tuple[int, ...]
Rows = Callable[[_Sizes, int, np.random.Generator], Floats]

_EFFECTS = 2 / 3, 4 / 3
"""An effect in a world is drawn between these shares of the effect named, so that worlds of a class differ."""
_EXTREME = 1e-6
"""Probabilities are kept this far from 0 and 1, where a Beta distribution would round to them."""


def uniform(sizes: _Sizes, lanes: int, rng: np.random.Generator, low: float, high: float) -> Floats:
    """Every row uniform between two numbers, or equal to them where they are equal."""
    return rng.uniform(low, high, size=(lanes, *sizes))


def copies(sizes: _Sizes, lanes: int, rng: np.random.Generator, low: float, high: float) -> Floats:
    """The value of the one parent, with a probability that is uniform between two numbers."""
    right = uniform(sizes, lanes, rng, low, high)
    return np.stack([1 - right[:, 0], right[:, 1]], axis=1)


def first_parent(sizes: _Sizes, lanes: int, rng: np.random.Generator, base: float, effect: float) -> Floats:
    """The first parent alone matters: its value 1 raises the base rate."""
    first = np.indices(sizes)[0]
    return _expit(_logit(base) + _by_lane(effect * rng.uniform(*_EFFECTS, size=lanes), sizes) * first)


def first_parents(
    sizes: _Sizes, lanes: int, rng: np.random.Generator, base: float, number: int, spread: float = 1.5
) -> Floats:
    """The first few parents matter, in any way: each of their joint values has its own log odds."""
    some = sizes[:number]
    odds = spread * rng.standard_normal((lanes, *some)).reshape(lanes, *some, *[1] * (len(sizes) - number))
    return np.broadcast_to(_expit(_logit(base) + odds), (lanes, *sizes))


def additive(
    sizes: _Sizes,
    lanes: int,
    rng: np.random.Generator,
    base: float,
    spread: float = 0.6,
    pairs: float = 0.0,
    last: tuple[float, ...] = (),
) -> Floats:
    """Every value of every parent adds to the log odds, and every pair of values where `pairs` is above 0.

    The last parents, of two values, have the fixed effects that `last` lists.
    """
    odds = np.full((lanes, *sizes), _logit(base))
    fixed = len(sizes) - len(last)
    for i, size in enumerate(sizes):
        effect = spread * rng.standard_normal((lanes, size)) if i < fixed else last[i - fixed] * np.array([[-0.5, 0.5]])
        odds += _along(effect - effect.mean(axis=1, keepdims=True), sizes, i)
        for k in range(i if pairs else 0):
            odds += pairs * _along(rng.standard_normal((lanes, sizes[k], size)), sizes, k, i)
    return _expit(odds)


def additive_probability(sizes: _Sizes, lanes: int, rng: np.random.Generator, base: float, spread: float) -> Floats:
    """Every parent adds to the probability, which is kept between 0.01 and 0.99."""
    p = np.full((lanes, *sizes), base)
    for i, size in enumerate(sizes):
        effect = spread * rng.standard_normal((lanes, size))
        p += _along(effect - effect.mean(axis=1, keepdims=True), sizes, i)
    return np.asarray(np.clip(p, 0.01, 0.99))


def flat(sizes: _Sizes, lanes: int, rng: np.random.Generator, base: float, weight: float = 2.0) -> Floats:
    """Every row from a Beta distribution, independent of all others; a small weight makes rows nearly 0 or 1."""
    return np.clip(rng.beta(weight * base, weight * (1 - base), size=(lanes, *sizes)), _EXTREME, 1 - _EXTREME)


def either_or(sizes: _Sizes, lanes: int, rng: np.random.Generator, base: float, effect: float) -> Floats:
    """The base rate is raised where just one of the first two parents is 1: neither matters alone if both are fair."""
    first, second = np.indices(sizes)[:2]
    return _expit(_logit(base) + _by_lane(effect * rng.uniform(*_EFFECTS, size=lanes), sizes) * (first != second))


def all_needed(sizes: _Sizes, lanes: int, rng: np.random.Generator, base: float, effect: float, number: int) -> Floats:
    """The base rate is raised where all of the first few parents are 1."""
    every = np.indices(sizes)[:number].all(axis=0)
    return _expit(_logit(base) + _by_lane(effect * rng.uniform(*_EFFECTS, size=lanes), sizes) * every)


def alike(sizes: _Sizes, lanes: int, rng: np.random.Generator, low: float, high: float) -> Floats:
    """The high rate where all parents are equal, and the low one where they differ."""
    equal = np.ptp(np.indices(sizes), axis=0) == 0
    return np.broadcast_to(np.where(equal, high, low), (lanes, *sizes))


def _logit(p: float) -> float:
    """The log odds of a probability."""
    return float(np.log(p) - np.log1p(-p))


def _expit(odds: Floats) -> Floats:
    """The probabilities with these log odds."""
    return np.asarray(1 / (1 + np.exp(-odds)))


def _by_lane(values: Floats, sizes: _Sizes) -> Floats:
    """A number for each lane (float[L]), shaped to go with rows of all parents."""
    return values.reshape(-1, *[1] * len(sizes))


def _along(values: Floats, sizes: _Sizes, *axes: int) -> Floats:
    """Numbers for each lane and the values of some parents, in the order of the parents, shaped to go with all."""
    return values.reshape(len(values), *(size if i in axes else 1 for i, size in enumerate(sizes)))
