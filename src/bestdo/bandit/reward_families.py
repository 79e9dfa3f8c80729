"""The families of rewards: how sums over rounds become means with intervals.

A reward names its family (`Reward.family`). A further family is a class here with a line in `FAMILIES`, and the posterior of
each action's own rounds in `learners/beliefs/cell_posteriors.py`.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.confidence import Z
from bestdo.bandit.estimate import Estimates, deviations, from_weights, quantile, variance_of_rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph

__all__ = ["FAMILIES", "Bernoulli", "Family", "Real", "from_counts", "from_ratio", "wilson", "wilson_of_weights"]

_LEAST_ROUNDS = 1e-9  # in place of 0 rounds, to divide by


class Family(Protocol):
    """Rewards whose means have the same kind of interval."""

    def from_counts(self, tally: Tally, played: Floats, graph: Graph) -> Estimates:
        """Estimates from counts of rounds: means with 95 % intervals."""
        ...

    def from_ratio(self, tally: Tally, played: Floats, graph: Graph) -> Estimates:
        """Estimates from weighted sums, with intervals for the effective number of rounds."""
        ...


class Bernoulli:
    """Rewards of 0 and 1: Wilson's interval, 0 to 1 where nothing was counted."""

    def from_counts(self, tally: Tally, played: Floats, graph: Graph) -> Estimates:
        """Means with Wilson's intervals."""
        return wilson(tally.weight, tally.reward, played)

    def from_ratio(self, tally: Tally, played: Floats, graph: Graph) -> Estimates:
        """Means with Wilson's intervals for as many rounds as the sums are worth."""
        return wilson_of_weights(tally, played)


class Real:
    """Any other rewards: Student's interval, infinite where nothing was counted and the reward has no bounds."""

    def from_counts(self, tally: Tally, played: Floats, graph: Graph) -> Estimates:
        """Means with Student's intervals."""
        return _student(_mean(tally), tally.weight, deviations(tally), played, graph)

    def from_ratio(self, tally: Tally, played: Floats, graph: Graph) -> Estimates:
        """Means with Student's intervals for as many rounds as the sums are worth."""
        worth = _effective(tally)
        with np.errstate(invalid="ignore", divide="ignore"):
            deviation = np.nan_to_num(deviations(tally) / tally.weight) * worth
            return _student(_mean(tally), worth, deviation, played, graph)


FAMILIES: dict[str, Family] = {"bernoulli": Bernoulli(), "real": Real()}
"""The families by the name that rewards have for them."""


def from_counts(tally: Tally, played: Floats, graph: Graph) -> Estimates:
    """Estimates from counts of rounds: means with the intervals of the reward's family."""
    return FAMILIES[graph.rewarded.family].from_counts(tally, played, graph)


def from_ratio(tally: Tally, played: Floats, graph: Graph) -> Estimates:
    """Estimates from weighted sums: means reward / weight, with an interval for the effective number of rounds."""
    return FAMILIES[graph.rewarded.family].from_ratio(tally, played, graph)


def wilson(n: Floats, s: Floats, played: Floats) -> Estimates:
    """Estimates with Wilson's intervals for s successes in n rounds."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return Estimates(s / n, *_wilson(n, s), played, n)


def wilson_of_weights(tally: Tally, played: Floats) -> Estimates:
    """Estimates with Wilson's intervals for the effective number of rounds."""
    mean, worth = _mean(tally), _effective(tally)
    return Estimates(mean, *_wilson(worth, np.nan_to_num(mean) * worth), played, worth)


def _mean(tally: Tally) -> Floats:  # float[L, K]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(tally.reward / tally.weight)


def _effective(tally: Tally) -> Floats:  # float[L, K]
    """Kish's effective sample size."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.nan_to_num(tally.weight**2 / tally.weight2)


def _student(mean: Floats, n: Floats, deviation: Floats, played: Floats, graph: Graph) -> Estimates:
    """Estimates with Student's intervals: these means of n rounds each, with the sums of their squared deviations.

    A round can count in several cells; the degrees of freedom are fewer than there are rounds. No interval is longer than a
    normal one with the largest variance that there can be.
    """
    variance, degrees = variance_of_rounds(n, deviation, graph)
    rounds = np.maximum(played.sum(axis=1, keepdims=True), n.max(axis=1, keepdims=True))
    degrees = np.minimum(degrees, np.maximum(rounds - 1, 1))
    wide, nothing = (Z / quantile(degrees)) ** 2, np.zeros(mean.shape)
    variance = np.minimum(variance, graph.rewarded.most_variance * wide)
    return from_weights(mean, variance / np.maximum(n, _LEAST_ROUNDS), nothing, played, n, graph, degrees)


def _wilson(n: Floats, s: Floats) -> tuple[Floats, Floats]:
    """Both ends of Wilson's 95 % interval for s successes in n rounds; 0 and 1 where n is 0."""
    centre = (s + Z**2 / 2) / (n + Z**2)
    half = Z / (n + Z**2) * np.sqrt(np.maximum(s * (n - s), 0) / np.maximum(n, _LEAST_ROUNDS) + Z**2 / 4)
    return np.where(n > 0, np.clip(centre - half, 0, 1), 0.0), np.where(n > 0, np.clip(centre + half, 0, 1), 1.0)
