"""The sums that a learner wants from the rounds of a block. Sums add."""

from __future__ import annotations

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
        """Nothing summed yet."""
        nothing = np.zeros((lanes, cells))
        return cls.counted(nothing, nothing)

    @classmethod
    def counted(cls, weight: Floats, reward: Floats) -> Tally:
        """Sums whose weights are 0 or 1: nothing but counts and successes."""
        return cls(weight, weight, weight, reward, reward)

    def lanes(self, which: NDArray[np.integer]) -> Tally:
        """Some of the lanes."""
        if self.weight is self.weight2:
            return Tally.counted(self.weight[which], self.reward[which])
        return Tally(*(part[which] for part in self))

    def plus(self, other: Tally) -> Tally:
        """Both together."""
        if self.weight is self.reward:  # nothing summed yet
            return other
        if self.weight is self.weight2 and other.weight is other.weight2:
            return Tally.counted(self.weight + other.weight, self.reward + other.reward)
        return Tally(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))
