"""Rewards of finitely many numbers: Student's intervals, and Beta posteriors in which a reward is a part of a success."""

from __future__ import annotations

from bestdo.arrays import Floats
from bestdo.bandit.confidence import SHOWN, Level
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.learners.families.bernoulli import BetaCells
from bestdo.learners.families.student_means import StudentMeans, student_estimates, student_means, student_of_weights

__all__ = ["FAMILY", "Finite"]


class Finite:
    """Rewards of finitely many numbers between 0 and 1."""

    def from_counts(self, tally: Tally, played: Floats, graph: Graph, level: Level = SHOWN) -> Estimates:
        """Means with Student's intervals."""
        return student_estimates(tally, played, graph, level)

    def from_ratio(self, tally: Tally, played: Floats, graph: Graph) -> Estimates:
        """Means with Student's intervals for as many rounds as the sums are worth."""
        return student_of_weights(tally, played, graph)

    def posterior(self, tally: Tally, graph: Graph) -> BetaCells:
        """Beta posteriors with a uniform prior."""
        return BetaCells(tally)

    def own_means(self, tally: Tally, graph: Graph) -> StudentMeans:
        """Student's posterior of each mean."""
        return student_means(tally, graph)


FAMILY = Finite()
