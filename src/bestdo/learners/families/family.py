"""The contract of a family of rewards."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.confidence import SHOWN, Level
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph

__all__ = ["CellPosterior", "Family", "OwnMeans"]


class CellPosterior(Protocol):
    """The posterior of each cell's mean, as if the cells were independent; a cell is an action, or a state of causes."""

    @property
    def mean(self) -> Floats:  # float[L, C]
        """Posterior means."""
        ...

    def draw(self, rng: np.random.Generator, which: Ints | slice = slice(None)) -> Floats:  # float[L, C]
        """One draw of each cell in some lanes."""
        ...

    def estimates(self, played: Floats, contenders: Bools) -> Estimates:
        """Posterior means with 95 % intervals, of which these cells (bool[C]) can be the best."""
        ...


class OwnMeans(Protocol):
    """The posterior of each cell's mean by its own rounds, whatever other cells show: for limits."""

    @property
    def total(self) -> Floats:  # float[L, C]
        """The sum of rewards."""
        ...

    @property
    def rounds(self) -> Floats:  # float[L, C]
        """The number of rounds that the sum is over; more than 0."""
        ...

    @property
    def variance(self) -> Floats:  # float[L, C]
        """The variance of one round; infinite where nothing is known."""
        ...

    @property
    def mean(self) -> Floats:  # float[L, C]
        """The mean of each cell."""
        ...

    @property
    def error(self) -> Floats:  # float[L, C]
        """The standard error of each mean."""
        ...

    @property
    def degrees(self) -> Floats:  # float[L, C]
        """The degrees of freedom of the variance."""
        ...

    def with_degrees(self, most: Floats) -> OwnMeans:
        """The posterior with at most so many degrees of freedom."""
        ...

    def towards(self, bound: float, part: Floats) -> OwnMeans:
        """The posterior with a prior at a bound, of which the cell's own rounds are this part of all (float[L, C])."""
        ...

    def draw(self, rng: np.random.Generator) -> Floats:  # float[L, C]
        """One draw of each mean."""
        ...

    def below(self, bound: float) -> Floats:  # float[L, C]
        """The probability that each mean is at most the bound."""
        ...


class Family(Protocol):
    """Rewards whose means have the same kind of interval and posterior."""

    def from_counts(self, tally: Tally, played: Floats, graph: Graph, level: Level = SHOWN) -> Estimates:
        """Estimates from counts of rounds: means with intervals of a level."""
        ...

    def from_ratio(self, tally: Tally, played: Floats, graph: Graph) -> Estimates:
        """Estimates from weighted sums, with intervals for the effective number of rounds."""
        ...

    def posterior(self, tally: Tally, graph: Graph) -> CellPosterior:
        """The posterior of each cell's mean by its own rounds, and a prior that all cells may share."""
        ...

    def own_means(self, tally: Tally, graph: Graph) -> OwnMeans:
        """The posterior of each cell's mean by its own rounds alone."""
        ...
