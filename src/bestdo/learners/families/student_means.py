"""Means of rewards of any kind with Student's intervals and posteriors, from counts or weighted sums of rounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.confidence import SHOWN, Level
from bestdo.bandit.estimate import Estimates, deviations, from_weights, quantile, variance_of_rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph

__all__ = ["StudentMeans", "effective", "mean_of", "student_estimates", "student_means", "student_of_weights"]

_LEAST_ROUNDS = 1e-9  # in place of 0 rounds, to divide by: the mean may then be anything
_FAR = 1e100  # the error of a mean of which nothing is known, in place of infinity


class StudentMeans(NamedTuple):
    """Student's posterior of each cell's mean; all float[L, C]."""

    total: Floats
    """The sum of rewards."""
    rounds: Floats
    """The number of rounds that the sum is over."""
    variance: Floats
    """The variance of one round; infinite where nothing is known."""
    degrees: Floats
    """The degrees of freedom of the variance."""

    @property
    def mean(self) -> Floats:  # float[L, C]
        """The mean of each cell."""
        return np.asarray(self.total / self.rounds)

    @property
    def error(self) -> Floats:  # float[L, C]
        """The standard error of each mean."""
        return np.asarray(np.sqrt(self.variance / self.rounds))

    def with_degrees(self, most: Floats) -> StudentMeans:
        """The posterior with at most so many degrees of freedom."""
        return self._replace(degrees=np.minimum(self.degrees, most))

    def towards(self, bound: float, part: Floats) -> StudentMeans:
        """The posterior with a prior at a bound, of which the cell's own rounds are this part of all (float[L, C])."""
        mean = bound + part * (self.mean - bound)
        return self._replace(total=mean * self.rounds, variance=self.variance * part)

    def draw(self, rng: np.random.Generator) -> Floats:  # float[L, C]
        """One draw of each mean; far from every bound where nothing is known."""
        return np.asarray(self.mean + np.minimum(self.error, _FAR) * rng.standard_t(self.degrees))

    def below(self, bound: float) -> Floats:  # float[L, C]
        """The distribution functions of the posteriors; 1/2 where nothing is known."""
        from scipy.special import stdtr

        return np.asarray(stdtr(self.degrees, (bound - self.mean) / self.error))


def student_means(tally: Tally, graph: Graph) -> StudentMeans:
    """Student's posterior of each cell's mean, with the spread of `variance_of_rounds`."""
    variance, degrees = variance_of_rounds(tally.weight, deviations(tally), graph)
    return StudentMeans(tally.reward, np.maximum(tally.weight, _LEAST_ROUNDS), variance, degrees)


def student_estimates(tally: Tally, played: Floats, graph: Graph, level: Level = SHOWN) -> Estimates:
    """Estimates with Student's intervals of a level, from counts of rounds."""
    return _student(mean_of(tally), tally.weight, deviations(tally), played, graph, level)


def student_of_weights(tally: Tally, played: Floats, graph: Graph) -> Estimates:
    """Estimates with Student's intervals, for as many rounds as weighted sums are worth."""
    worth = effective(tally)
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.nan_to_num(deviations(tally) / tally.weight) * worth
        return _student(mean_of(tally), worth, deviation, played, graph, SHOWN)


def mean_of(tally: Tally) -> Floats:  # float[L, K]
    """The mean of each cell; NaN where nothing was counted."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(tally.reward / tally.weight)


def effective(tally: Tally) -> Floats:  # float[L, K]
    """Kish's effective sample size."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(tally.weight**2 / tally.weight2)


def _student(mean: Floats, n: Floats, deviation: Floats, played: Floats, graph: Graph, level: Level) -> Estimates:
    """Estimates with Student's intervals: these means of n rounds each, with the sums of their squared deviations.

    A round can count in several cells; the degrees of freedom are fewer than there are rounds. No interval is longer than a
    normal one with the largest variance that there can be.
    """
    variance, degrees = variance_of_rounds(n, deviation, graph)
    rounds = np.maximum(played.sum(axis=1, keepdims=True), n.max(axis=1, keepdims=True))
    degrees = np.minimum(degrees, np.maximum(rounds - 1, 1))
    wide, nothing = (level.z / quantile(degrees, level)) ** 2, np.zeros(mean.shape)
    variance = np.minimum(variance, graph.rewarded.most_variance * wide)
    return from_weights(mean, variance / np.maximum(n, _LEAST_ROUNDS), nothing, played, n, graph, degrees, level)
