"""LUCB1: classical best-arm identification with a fixed confidence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import argmax
from bestdo.bandit.rounds import Plan
from bestdo.learners.count_state import Counts, added, begin, best_mean, counted_estimates, means, once_each, played

__all__ = ["LUCB"]


@dataclass(frozen=True)
class LUCB:
    """LUCB1: plays the leader and its strongest rival, until the rival's upper bound is below the leader's lower one.

    Kalyanakrishnan, Tewari, Auer & Stone (2012): every action once, then in each step the action with the best mean and,
    of the others, the one with the highest mean + β; β = √(ln(5 K t⁴ / 4δ) / 2n) after t rounds, n of them of the action.
    """

    delta: float = 0.05
    within: float = 0.0
    """ε: how much worse than the best the action may be."""

    statistic = staticmethod(played)
    start = staticmethod(begin)
    tell = staticmethod(added)
    best = staticmethod(best_mean)
    estimates = staticmethod(counted_estimates)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """Every action once; then two rounds at a time."""
        first = once_each(state, rng)
        if first is not None:  # lanes are in step
            return first
        leader, rival, sure = self._pair(state)
        counts = np.zeros(state.played.shape, np.int64)
        lanes = np.arange(len(counts))
        counts[lanes, leader] += ~sure & (state.left > 0)
        counts[lanes, rival] += ~sure & (state.left > 1)
        return Plan(counts) if counts.any() else None

    def sure(self, state: Counts) -> NDArray[np.bool_]:  # bool[L]
        """Which lanes have stopped because they are sure."""
        return self._pair(state)[2] & (state.tally.weight > 0).all(axis=1)

    def _pair(self, state: Counts) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The leader and its rival (int[L] each), and whether the bounds part them (bool[L])."""
        n, mean = state.tally.weight, means(state.tally)
        lanes, actions = np.arange(len(n)), n.shape[1]
        t = np.maximum(n.sum(axis=1, keepdims=True), 1)
        beta = np.sqrt(np.log(1.25 * actions * t**4 / self.delta) / (2 * np.maximum(n, 1)))
        leader = argmax(mean, state.ties, state.block)
        high = mean + beta
        high[lanes, leader] = -np.inf
        rival = argmax(high, state.ties, state.block) if actions > 1 else leader
        low = mean[lanes, leader] - beta[lanes, leader]
        return leader, rival, np.asarray(high[lanes, rival] - low < (self.within or 1e-15))
