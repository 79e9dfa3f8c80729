"""Rewards of 0 and 1: Wilson's intervals and Beta posteriors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.confidence import SHOWN, Level, Z
from bestdo.bandit.estimate import Estimates, from_beta
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.learners.families.student_means import StudentMeans, effective, mean_of, student_means

__all__ = ["FAMILY", "Bernoulli", "BetaCells", "wilson", "wilson_of_weights"]

_LEAST_ROUNDS = 1e-9  # in place of 0 rounds, to divide by


@dataclass(frozen=True)
class BetaCells:
    """Beta(1 + successes, 1 + failures); a worth between the worst and the best counts as a part of a success."""

    tally: Tally

    @property
    def mean(self) -> Floats:  # float[L, C]
        """Posterior means."""
        return np.asarray((1 + self.tally.reward) / (2 + self.tally.weight))

    def draw(self, rng: np.random.Generator, which: Ints | slice = slice(None)) -> Floats:  # float[L, C]
        """One draw of each cell in some lanes."""
        s, n = self.tally.reward[which], self.tally.weight[which]
        return rng.beta(1 + s, 1 + n - s)

    def estimates(self, played: Floats, contenders: Bools) -> Estimates:
        """Posterior means with the intervals of the posteriors."""
        n = self.tally.weight
        return from_beta(1 + self.tally.reward, 2 + n, played, n)._replace(contenders=contenders)


class Bernoulli:
    """Rewards of 0 and 1: Wilson's interval, 0 to 1 where nothing was counted."""

    def from_counts(self, tally: Tally, played: Floats, graph: Graph, level: Level = SHOWN) -> Estimates:
        """Means with Wilson's intervals."""
        return wilson(tally.weight, tally.reward, played, level)

    def from_ratio(self, tally: Tally, played: Floats, graph: Graph) -> Estimates:
        """Means with Wilson's intervals for as many rounds as the sums are worth."""
        return wilson_of_weights(tally, played)

    def posterior(self, tally: Tally, graph: Graph) -> BetaCells:
        """Beta posteriors with a uniform prior."""
        return BetaCells(tally)

    def own_means(self, tally: Tally, graph: Graph) -> StudentMeans:
        """Student's posterior of each mean."""
        return student_means(tally, graph)


FAMILY = Bernoulli()


def wilson(n: Floats, s: Floats, played: Floats, level: Level = SHOWN) -> Estimates:
    """Estimates with Wilson's intervals for s successes in n rounds."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return Estimates(s / n, *_wilson(n, s, level.z), played, n)


def wilson_of_weights(tally: Tally, played: Floats) -> Estimates:
    """Estimates with Wilson's intervals for the effective number of rounds."""
    mean, worth = mean_of(tally), effective(tally)
    return Estimates(mean, *_wilson(worth, np.nan_to_num(mean) * worth, Z), played, worth)


def _wilson(n: Floats, s: Floats, z: float) -> tuple[Floats, Floats]:
    """The ends of Wilson's interval, z its quantile, for s successes in n rounds; 0 and 1 where n is 0."""
    centre = (s + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(np.maximum(s * (n - s), 0) / np.maximum(n, _LEAST_ROUNDS) + z**2 / 4)
    return np.where(n > 0, np.clip(centre - half, 0, 1), 0.0), np.where(n > 0, np.clip(centre + half, 0, 1), 1.0)
