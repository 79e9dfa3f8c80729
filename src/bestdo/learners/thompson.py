"""Thompson sampling, and what it shares with its top-two version: a Beta posterior for each action."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import argmax
from bestdo.bandit.rounds import Plan
from bestdo.learners.count_state import Counts, added, begin, counted_estimates, play_once, played

__all__ = ["Thompson", "best_posterior", "draw_posterior"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def draw_posterior(state: Counts, rng: np.random.Generator) -> Floats:  # float[L, A]
    """Means drawn from the posterior of each action, Beta(1 + successes, 1 + failures)."""
    s, n = state.tally.reward, state.tally.weight
    return rng.beta(1 + s, 1 + n - s)


def best_posterior(state: Counts) -> Ints:  # int[L]
    """The action with the best posterior mean, ties at random."""
    s, n = state.tally.reward, state.tally.weight
    return argmax((1 + s) / (2 + n), state.ties, state.block)


@dataclass(frozen=True)
class Thompson:
    """Plays the best action of a draw from the posterior (Thompson 1933); keeps the best posterior mean."""

    block: int = 1
    """How many rounds are out at once, each by a draw of its own."""

    statistic = staticmethod(played)
    start = staticmethod(begin)
    tell = staticmethod(added)
    best = staticmethod(best_posterior)
    estimates = staticmethod(counted_estimates)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """The next rounds."""
        if not state.left.any():
            return None
        return play_once([draw_posterior(state, rng).argmax(axis=1) for _ in range(self.block)], state)
