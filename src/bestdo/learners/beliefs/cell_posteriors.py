"""What is believed of the mean of each cell by its own rounds: one posterior for each kind of reward.

A cell is an action, or a state of the reward's causes. A further kind of reward needs a class here and a line in `_KINDS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates, from_beta
from bestdo.bandit.reward_families import from_counts
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.causal.reward import NumberReward, SuccessReward, WorthReward
from bestdo.learners.beliefs.normal_posterior import NormalPosterior, normal_posterior, within

__all__ = ["CellPosterior", "cell_posterior"]


_PRIOR = 1.0
"""How many rounds the prior of a cell is worth where the reward is a number: as few as leave every mean finite."""


class CellPosterior(Protocol):
    """The posterior of each cell's mean, as if the cells were independent."""

    @property
    def mean(self) -> Floats:  # float[L, C]
        """Posterior means."""
        ...

    def draw(self, rng: np.random.Generator, which: Ints | slice = slice(None)) -> Floats:  # float[L, C]
        """One draw of each cell in some lanes."""
        ...

    def estimates(self, played: Floats) -> Estimates:
        """Posterior means with 95 % intervals."""
        ...


@dataclass(frozen=True)
class BetaCells:
    """Beta(1 + successes, 1 + failures); a worth between the worst and the best counts as a part of a success."""

    tally: Tally
    graph: Graph

    @property
    def mean(self) -> Floats:  # float[L, C]
        """Posterior means."""
        return np.asarray((1 + self.tally.reward) / (2 + self.tally.weight))

    def draw(self, rng: np.random.Generator, which: Ints | slice = slice(None)) -> Floats:  # float[L, C]
        """One draw of each cell in some lanes."""
        s, n = self.tally.reward[which], self.tally.weight[which]
        return rng.beta(1 + s, 1 + n - s)

    def estimates(self, played: Floats) -> Estimates:
        """Posterior means with the intervals of the posteriors."""
        n = self.tally.weight
        return from_beta(1 + self.tally.reward, 2 + n, played, n)


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

    def estimates(self, played: Floats) -> Estimates:
        """Posterior means with the intervals of each cell's own rounds, without the prior."""
        mean, found = self.mean, from_counts(self.tally, played, self.graph)
        found = found._replace(mean=mean, low=np.minimum(found.low, mean), high=np.maximum(found.high, mean))
        return within(found, self.graph, self.tally)


_KINDS: dict[type, type[BetaCells | StudentCells]] = {
    SuccessReward: BetaCells,
    WorthReward: BetaCells,
    NumberReward: StudentCells,
}


def cell_posterior(tally: Tally, graph: Graph) -> CellPosterior:
    """The posterior of each cell's mean by its own rounds."""
    return _KINDS[type(graph.rewarded)](tally, graph)
