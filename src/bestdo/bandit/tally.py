"""The sums over rounds that a statistic computes and a learner is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats

__all__ = ["Tally"]


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
    square: Floats | None = None
    """float[L, K]: the sum of weight × reward²; None where all rewards are 0 or 1, so that it is `reward`."""
    square2: Floats | None = None
    """float[L, K]: the sum of weight² × reward²; None where it is `reward2`."""

    @classmethod
    def zeros(cls, lanes: int, cells: int) -> Tally:
        """Sums over no rounds."""
        return cls.from_counts(np.zeros((lanes, cells)), np.zeros((lanes, cells)))

    @classmethod
    def from_counts(cls, weight: Floats, reward: Floats, square: Floats | None = None) -> Tally:
        """Sums whose weights are all 0 or 1, from counts of rounds, sums of rewards and of their squares."""
        return cls(weight, weight, weight, reward, reward, square, square)

    @classmethod
    def total(cls, parts: Iterable[Tally], lanes: int, cells: int) -> Tally:
        """The sums over all parts; zeros where there is no part."""
        remaining = iter(parts)
        first = next(remaining, None)
        return cls.zeros(lanes, cells) if first is None else reduce(cls.plus, remaining, first)

    @property
    def is_counts(self) -> bool:
        """Whether the tally was made by `from_counts`: its three counts are one array, and so are its two sums of rewards."""
        return self.rounds is self.weight is self.weight2 and self.reward is self.reward2

    @property
    def squares(self) -> Floats:  # float[L, K]
        """The sum of weight × reward²."""
        return self.reward if self.square is None else self.square

    @property
    def squares2(self) -> Floats:  # float[L, K]
        """The sum of weight² × reward²."""
        return self.reward2 if self.square2 is None else self.square2

    @property
    def sums(self) -> tuple[Floats, ...]:  # 7 × float[L, K]
        """The seven sums."""
        return *self[:5], self.squares, self.squares2

    @staticmethod
    def each(function: Callable[..., Floats], *tallies: Tally) -> Tally:
        """A tally whose sums are a function of those of all tallies; counts stay counts."""
        if all(t.is_counts for t in tallies):
            weight, reward = (function(*(t[place] for t in tallies)) for place in (1, 3))
            whole = all(t.square is None for t in tallies)
            return Tally.from_counts(weight, reward, None if whole else function(*(t.squares for t in tallies)))
        sums = (function(*parts) for parts in zip(*(t[:5] for t in tallies), strict=True))
        if all(t.square is None for t in tallies):
            return Tally(*sums)
        squares = ([t.squares for t in tallies], [t.squares2 for t in tallies])
        return Tally._make([*sums, *(function(*parts) for parts in squares)])

    def cells(self, which: slice | NDArray[np.integer]) -> Tally:
        """The sums of some of the cells."""
        return Tally.each(lambda part: np.asarray(part[:, which]), self)

    def beside(self, *others: Tally) -> Tally:
        """The cells of this and of other tallies side by side."""
        return Tally.each(lambda *parts: np.concatenate(parts, axis=1), self, *others)

    def lanes(self, which: NDArray[np.integer]) -> Tally:
        """The sums of some of the lanes."""
        return Tally.each(lambda part: np.asarray(part[which]), self)

    def plus(self, other: Tally) -> Tally:
        """The sums over the rounds of both."""
        if not self.rounds.any():  # no rounds yet: the first block of a simulation is not copied
            return other
        if self.is_counts and other.is_counts and self.square is other.square is None:  # as `each`, for most learners
            return Tally.from_counts(self.weight + other.weight, self.reward + other.reward)
        return Tally.each(np.add, self, other)
