"""Terms and noises of the classes of worlds with many causes, as `SummedClass` takes them.

Each function of terms takes the numbers of values of all causes, the number of lanes and a generator, then its parameters,
which `functools.partial` binds. Terms of successes add up to a probability, those of numbers to a mean, in spreads.
"""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats
from bestdo.causal.outcome import Outcome
from bestdo.research.worlds.summed_worlds import Term

__all__ = ["effects", "normal", "pair", "settings", "shaped", "slipped", "tailed", "two_humps"]

_Sizes = tuple[int, ...]
_REACH = 0.9
"""The most that all effects on a probability add up to: it stays between 0.05 and 0.95 around 1/2."""
_EFFECTS = 2 / 3, 4 / 3
"""An effect in a world is drawn between these shares of the effect named, so that worlds of a class differ."""


def effects(
    sizes: _Sizes,
    lanes: int,
    rng: np.random.Generator,
    number: int,
    spread: float,
    base: float = 0.5,
    decay: float = 0.0,
    reach: float = _REACH,
) -> tuple[Term, ...]:
    """The first few causes of two values matter, each by itself: their effects are normal, and no larger than `reach` in all.

    With a decay the effect of the k-th cause is k^-decay times as large.
    """
    difference = spread * rng.standard_normal((lanes, number)) * np.arange(1, number + 1) ** -decay
    difference *= np.minimum(1, reach / np.abs(difference).sum(axis=1, keepdims=True))
    return ((), np.full(lanes, base)), *(((i,), difference[:, i, None] * _SIDES) for i in range(number))


def pair(
    sizes: _Sizes,
    lanes: int,
    rng: np.random.Generator,
    differ: bool,
    effect: float,
    spread: float,
    base: float = 0.4,
) -> tuple[Term, ...]:
    """Two causes matter by themselves; two more add an effect where both are 1, or where they differ."""
    both = np.array([[0.0, 1.0], [1.0, 0.0]] if differ else [[0.0, 0.0], [0.0, 1.0]])
    joint = effect * rng.uniform(*_EFFECTS, size=(lanes, 1, 1)) * both
    return *effects(sizes, lanes, rng, 2, spread, base, reach=0.3 if base < 1 else np.inf), ((2, 3), joint)


def settings(
    sizes: _Sizes, lanes: int, rng: np.random.Generator, spread: float, pairs: float, base: float = 1.0
) -> tuple[Term, ...]:
    """Every value of every cause adds to the mean, and so does every pair of values."""
    terms: list[Term] = [((), np.full(lanes, base))]
    for i, size in enumerate(sizes):
        terms.append(((i,), spread * rng.standard_normal((lanes, size))))
        terms += [((k, i), pairs * rng.standard_normal((lanes, sizes[k], size))) for k in range(i)]
    return tuple(terms)


_SIDES = np.array([-0.5, 0.5])


def normal(mean: Floats, rng: np.random.Generator, spread: float = 1.0, grows: float = 0.0) -> Floats:
    """Normal numbers, whose spread may be in proportion to a power of the mean."""
    return rng.normal(mean, spread * np.maximum(mean, 0.05) ** grows)


def shaped(mean: Floats, rng: np.random.Generator, shape: str, times: float) -> Floats:
    """Numbers of a shape that `Outcome` has, with a spread of so many times the mean."""
    return Outcome(mean, times * mean, shape).draw(np.arange(len(mean)), rng, None)


def slipped(mean: Floats, rng: np.random.Generator, share: float = 0.02) -> Floats:
    """Normal numbers, in a share of which the decimal point slipped by one place to the right: these are mistakes.

    The true mean is that of the numbers before.
    """
    return normal(mean, rng) * np.where(rng.random(len(mean)) < share, 10.0, 1.0)


def tailed(mean: Floats, rng: np.random.Generator, freedom: float = 3.0) -> Floats:
    """Numbers of spread 1 around the mean by Student's t: now and then one is far away."""
    return np.asarray(mean + rng.standard_t(freedom, len(mean)) * np.sqrt((freedom - 2) / freedom))


def two_humps(mean: Floats, rng: np.random.Generator, apart: float = 0.9) -> Floats:
    """Numbers of spread 1 in two humps, to both sides of the mean."""
    return np.asarray(
        mean + apart * rng.choice([-1.0, 1.0], len(mean)) + rng.normal(0, np.sqrt(1 - apart**2), len(mean))
    )
