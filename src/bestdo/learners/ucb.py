"""UCB: plays the action with the highest upper confidence bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.bandit.learner import argmax
from bestdo.bandit.rounds import Plan
from bestdo.learners.count_state import (
    Counts,
    add_block,
    beside,
    best_mean,
    means,
    play_once,
    played_statistic,
    start_bounded,
    wilson_estimates,
)

__all__ = ["UCB"]


@dataclass(frozen=True)
class UCB:
    """Plays each action once, then the one with the highest bound mean + √(α ln t / 2n); recommends the best mean."""

    alpha: float = 2.0
    """α: larger values explore more; 4 is UCB1 (Auer, Cesa-Bianchi & Fischer 2002). 2 was not chosen by a measurement."""
    block: int = 1
    """The number of rounds planned at once: the actions with the highest bounds, one round each."""

    statistic = staticmethod(played_statistic)
    start = staticmethod(start_bounded("UCB", or_spread=True))
    tell = staticmethod(add_block)
    beside = staticmethod(beside)
    best = staticmethod(best_mean)
    estimates = staticmethod(wilson_estimates)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds."""
        if not state.left.any():
            return None
        n = state.tally.weight
        t = np.maximum(n.sum(axis=1, keepdims=True), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.where(n > 0, means(state.tally) + np.sqrt(self.alpha * np.log(t) / (2 * n)), np.inf)
        chosen = []
        for k in range(min(self.block, int(state.problem.contenders.sum()))):
            chosen.append(argmax(bound, state.ties, state.block * self.block + k))
            if self.block > 1:
                bound[np.arange(len(bound)), chosen[-1]] = -np.inf
        return play_once(chosen, state)

    def reason(self, state: Counts, action: int) -> str:
        """Its bound is the highest, or it was not played yet."""
        if not state.tally.weight[0, action]:
            return "not played yet: its mean may be anything"
        end, most = ("lower", "lowest") if state.problem.graph.aim == "minimise" else ("upper", "highest")
        return f"its mean may be the {most}: the {end} bound is" + (f" among the {most}" if self.block > 1 else "")
