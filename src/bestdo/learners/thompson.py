"""Thompson sampling with a Beta posterior for each action, which top-two Thompson sampling uses as well."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, from_beta
from bestdo.bandit.learner import argmax
from bestdo.bandit.rounds import Plan
from bestdo.learners.count_state import Counts, add_block, beside, play_once, played_statistic, start_counts

__all__ = ["Thompson", "best_posterior", "draw_posterior", "posterior_estimates"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def draw_posterior(state: Counts, rng: np.random.Generator) -> Floats:  # float[L, A]
    """Means drawn from the posterior of each action, Beta(1 + successes, 1 + failures); -1 for those that cannot be best."""
    s, n = state.tally.reward, state.tally.weight
    return np.where(state.problem.contenders, rng.beta(1 + s, 1 + n - s), -1.0)


def best_posterior(state: Counts) -> Ints:  # int[L]
    """The action with the best posterior mean, ties at random."""
    s, n = state.tally.reward, state.tally.weight
    return argmax((1 + s) / (2 + n), state.ties, state.block)


def posterior_estimates(state: Counts) -> Estimates:
    """The posterior mean of each action with the 95 % interval of its posterior."""
    s, n = state.tally.reward, state.tally.weight
    return from_beta(1 + s, 2 + n, state.played, n)._replace(contenders=state.problem.contenders)


@dataclass(frozen=True)
class Thompson:
    """Plays the best action of a draw from the posterior (Thompson 1933); recommends the best posterior mean."""

    block: int = 1
    """The number of rounds planned at once, each by its own draw."""

    statistic = staticmethod(played_statistic)
    start = staticmethod(start_counts)
    tell = staticmethod(add_block)
    beside = staticmethod(beside)
    best = staticmethod(best_posterior)
    estimates = staticmethod(posterior_estimates)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds."""
        if not state.left.any():
            return None
        return play_once([draw_posterior(state, rng).argmax(axis=1) for _ in range(self.block)], state)

    def reason(self, state: Counts, action: int) -> str:
        """It was the best of a draw."""
        return "the best in a draw from what the plays say of each action"
