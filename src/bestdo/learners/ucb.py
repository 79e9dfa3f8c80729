"""UCB: plays the action with the highest upper confidence bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.bandit.learner import argmax
from bestdo.bandit.rounds import Plan
from bestdo.learners.count_state import Counts, added, begin, best_mean, counted_estimates, means, play_once, played

__all__ = ["UCB"]


@dataclass(frozen=True)
class UCB:
    """Plays the action with the highest upper bound, mean + √(α ln t / 2n), each action once before; keeps the best mean."""

    alpha: float = 2.0
    block: int = 1
    """How many rounds are out at once: the actions with the highest bounds, one round each."""

    statistic = staticmethod(played)
    start = staticmethod(begin)
    tell = staticmethod(added)
    best = staticmethod(best_mean)
    estimates = staticmethod(counted_estimates)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """The next rounds."""
        if not state.left.any():
            return None
        n = state.tally.weight
        t = np.maximum(n.sum(axis=1, keepdims=True), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.where(n > 0, means(state.tally) + np.sqrt(self.alpha * np.log(t) / (2 * n)), np.inf)
        chosen = []
        for k in range(min(self.block, n.shape[1])):
            chosen.append(argmax(bound, state.ties, state.block * self.block + k))
            if self.block > 1:
                bound[np.arange(len(bound)), chosen[-1]] = -np.inf
        return play_once(chosen, state)
