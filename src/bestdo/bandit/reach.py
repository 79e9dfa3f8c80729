"""The reach of means: between bounds, or anywhere, where other numbers take the place of 0, 1/2 and 1."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.causal.graph import Graph
from bestdo.causal.reward import Reward

__all__ = ["Anywhere", "Reach", "Within", "reach_of"]


class Reach(Protocol):
    """The answers of learners that depend on whether the means have bounds. Numbers are on the learners' scale."""

    def ends(self, reward: Reward) -> tuple[float, float]:
        """The least and the largest mean in the reward's own unit."""
        ...

    def rounded(self, values: Floats, digits: int) -> Floats:  # float[L, A]
        """Values to so many decimals, so that rounding errors do not break ties."""
        ...

    def length(self, values: Floats) -> Floats:  # float[L, 1]
        """The length of the range in which the finite ones of these values (float[L, A]) lie."""
        ...

    def width(self, variance: Floats) -> Floats | float:  # float[L, 1]
        """The width of the interval of a mean of which nothing is known, by the variance of all rewards (float[L, 1])."""
        ...

    def means(self, n: Floats, s: Floats) -> Floats:  # float[L, X]
        """The mean of each state by its rounds and sums, those that were not seen included."""
        ...

    def centre(self, n: Floats, s: Floats, middle: float) -> Floats:  # float[L, 1, 1]
        """The number from which rewards are counted (plays n and sums s, float[L, C, A]; the middle of the bounds)."""
        ...

    def top(self, weight: Floats, rewards: Floats) -> Floats:  # float[L, 1]
        """The largest reward, where these (float[L, R]) were seen with these weights."""
        ...

    def residual(self, most: float, squares: Floats, free: Floats) -> Floats:  # float[L, 1]
        """The variance around a model, at most `most`, by its squares and degrees of freedom (float[L])."""
        ...

    def variance(self, counted: Floats) -> Floats:
        """The variance of a reward by the one that was counted, 0 where none was."""
        ...

    def uncertain(self, variance: Floats, counted: Bools) -> Floats:  # float[L, A]
        """The variance of means, where it could be counted in some lanes only (bool[L, 1])."""
        ...


class Within:
    """Means between bounds, 0 and 1."""

    def ends(self, reward: Reward) -> tuple[float, float]:
        """The bounds."""
        return reward.ends

    def rounded(self, values: Floats, digits: int) -> Floats:
        """The decimals of the values themselves."""
        return np.asarray(values.round(digits))

    def length(self, values: Floats) -> Floats:
        """The length is 1."""
        return np.ones((len(values), 1))

    def width(self, variance: Floats) -> Floats | float:
        """The width is 1."""
        return 1.0

    def means(self, n: Floats, s: Floats) -> Floats:
        """The mean of a state not seen is 0."""
        return np.asarray(s / np.maximum(n, 1))

    def centre(self, n: Floats, s: Floats, middle: float) -> Floats:
        """The middle of the bounds."""
        return np.full((len(n), 1, 1), middle)

    def top(self, weight: Floats, rewards: Floats) -> Floats:
        """The upper bound."""
        return np.ones((len(rewards), 1))

    def residual(self, most: float, squares: Floats, free: Floats) -> Floats:
        """The most that is possible."""
        return np.full((len(squares), 1), most)

    def variance(self, counted: Floats) -> Floats:
        """The largest variance where none was counted."""
        return np.where(counted > 0, counted, 0.25)

    def uncertain(self, variance: Floats, counted: Bools) -> Floats:
        """The variance given."""
        return variance


class Anywhere:
    """Means without bounds: the rewards that were seen say where they lie, and 0 means nothing."""

    def ends(self, reward: Reward) -> tuple[float, float]:
        """Infinite ends."""
        return -math.inf, math.inf

    def rounded(self, values: Floats, digits: int) -> Floats:
        """The decimals of the values as shares of their range."""
        known = np.isfinite(values)
        least = np.where(known, values, np.inf).min(axis=1, keepdims=True)
        length = np.where(known, values, -np.inf).max(axis=1, keepdims=True) - least
        apart = np.isfinite(length) & (length > 0)
        return np.asarray(
            (np.where(apart, values - np.where(apart, least, 0), values) / np.where(apart, length, 1)).round(digits)
        )

    def length(self, values: Floats) -> Floats:
        """The distance between the least and the largest value."""
        least = np.where(np.isfinite(values), values, np.inf).min(axis=1, keepdims=True)
        return np.asarray(values.max(axis=1, keepdims=True) - least)

    def width(self, variance: Floats) -> Floats | float:
        """Two standard deviations."""
        return np.asarray(2 * np.sqrt(np.maximum(variance, 0)))

    def means(self, n: Floats, s: Floats) -> Floats:
        """The mean of a state not seen is that of all rounds."""
        overall = s.sum(axis=1, keepdims=True) / np.maximum(n.sum(axis=1, keepdims=True), 1)
        return np.where(n > 0, s / np.maximum(n, 1), overall)

    def centre(self, n: Floats, s: Floats, middle: float) -> Floats:
        """The mean of all rewards."""
        rounds, total = (part.sum(axis=(1, 2), keepdims=True) for part in (n, s))
        return np.asarray(total / np.where(rounds > 0, rounds, 1))

    def top(self, weight: Floats, rewards: Floats) -> Floats:
        """The largest that was seen in the lane; 0 before that."""
        known = np.where(weight > 0, rewards, -np.inf).max(axis=1, initial=-np.inf, keepdims=True)
        return np.where(np.isfinite(known), known, 0.0)

    def residual(self, most: float, squares: Floats, free: Floats) -> Floats:
        """The variance around the model, where the most that is possible counts as one round of its own."""
        return np.asarray(np.minimum((np.maximum(squares, 0) + most) / (free + 1), most)[:, None])

    def variance(self, counted: Floats) -> Floats:
        """The variance that was counted."""
        return counted

    def uncertain(self, variance: Floats, counted: Bools) -> Floats:
        """Infinite where nothing was counted."""
        return np.where(counted, variance, np.inf)


_REACHES: dict[tuple[float, float], Reach] = {(0.0, 1.0): Within(), (-math.inf, math.inf): Anywhere()}
"""The reach by the least and the largest mean on the learners' scale (`Reward.reach`)."""


def reach_of(graph: Graph) -> Reach:
    """The reach of the means of a graph's reward."""
    return _REACHES[graph.rewarded.reach]
