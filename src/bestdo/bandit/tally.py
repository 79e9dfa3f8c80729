"""The sums over rounds that a statistic computes and a learner is told."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Tally"]

Floats = NDArray[np.float64]


class Tally(NamedTuple):
    """Sums over rounds for each lane and cell; a cell is an action, or a state of the reward's parents."""

    rounds: Floats
    """float[L, K]: rounds that could be weighed for this cell (a missing value can prevent it)."""
    weight: Floats
    """float[L, K]: the sum of the weights."""
    weight2: Floats
    """float[L, K]: the sum of their squares."""
    reward: Floats
    """float[L, K]: the sum of weight × reward."""
    reward2: Floats
    """float[L, K]: the sum of weight² × reward."""

    @classmethod
    def zeros(cls, lanes: int, cells: int) -> Tally:
        """Sums over no rounds."""
        return cls.from_counts(np.zeros((lanes, cells)), np.zeros((lanes, cells)))

    @classmethod
    def from_counts(cls, weight: Floats, reward: Floats) -> Tally:
        """Sums whose weights are all 0 or 1, from counts of rounds and of successes."""
        return cls(weight, weight, weight, reward, reward)

    @classmethod
    def total(cls, parts: Iterable[Tally], lanes: int, cells: int) -> Tally:
        """The sums over all parts; zeros where there is no part."""
        remaining = iter(parts)
        first = next(remaining, None)
        return cls.zeros(lanes, cells) if first is None else reduce(cls.plus, remaining, first)

    @property
    def is_counts(self) -> bool:
        """Whether it was made by `from_counts`: its three counts are one array, and so are its two sums of rewards."""
        return self.rounds is self.weight is self.weight2 and self.reward is self.reward2

    def lanes(self, which: NDArray[np.integer]) -> Tally:
        """The sums of some of the lanes."""
        if self.is_counts:
            return Tally.from_counts(self.weight[which], self.reward[which])
        return Tally(*(part[which] for part in self))

    def plus(self, other: Tally) -> Tally:
        """The sums over the rounds of both."""
        if not self.rounds.any():  # no rounds yet: the first block of a simulation is not copied
            return other
        if self.is_counts and other.is_counts:  # two additions instead of five
            return Tally.from_counts(self.weight + other.weight, self.reward + other.reward)
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))
