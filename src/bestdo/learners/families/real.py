"""Rewards that are any numbers: Student's intervals, infinite where nothing was counted and the reward has no bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.confidence import SHOWN, Level
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.learners.beliefs.normal_posterior import NormalPosterior, normal_posterior, within
from bestdo.learners.families.student_means import StudentMeans, student_estimates, student_means, student_of_weights

__all__ = ["FAMILY", "Real", "StudentCells"]

_PRIOR = 1.0
"""The rounds that the prior of a cell is worth: as few as leave every mean finite."""


@dataclass(frozen=True)
class StudentCells:
    """Student's posterior of a number's mean, with a spread that is learned from all cells together."""

    tally: Tally
    graph: Graph

    @cached_property
    def _posterior(self) -> NormalPosterior:
        return normal_posterior(self.tally, _PRIOR, self.graph)

    @property
    def mean(self) -> Floats:  # float[L, C]
        """Posterior means."""
        return np.asarray(self._posterior.total / self._posterior.rounds)

    def draw(self, rng: np.random.Generator, which: Ints | slice = slice(None)) -> Floats:  # float[L, C]
        """One draw of each cell in some lanes."""
        _, rounds, variance, degrees = (part[which] for part in self._posterior)
        return np.asarray(self.mean[which] + np.sqrt(variance / rounds) * rng.standard_t(degrees))

    def estimates(self, played: Floats, contenders: Bools) -> Estimates:
        """Posterior means with the intervals of each cell's own rounds, without the prior."""
        mean, found = self.mean, student_estimates(self.tally, played, self.graph)
        found = found._replace(mean=mean, low=np.minimum(found.low, mean), high=np.maximum(found.high, mean))
        return within(found, self.graph, self.tally)._replace(contenders=contenders)


class Real:
    """Any numbers."""

    def from_counts(self, tally: Tally, played: Floats, graph: Graph, level: Level = SHOWN) -> Estimates:
        """Means with Student's intervals."""
        return student_estimates(tally, played, graph, level)

    def from_ratio(self, tally: Tally, played: Floats, graph: Graph) -> Estimates:
        """Means with Student's intervals for as many rounds as the sums are worth."""
        return student_of_weights(tally, played, graph)

    def posterior(self, tally: Tally, graph: Graph) -> StudentCells:
        """Student's posteriors, with a prior worth one round of the mean of all cells."""
        return StudentCells(tally, graph)

    def own_means(self, tally: Tally, graph: Graph) -> StudentMeans:
        """Student's posterior of each mean."""
        return student_means(tally, graph)


FAMILY = Real()
