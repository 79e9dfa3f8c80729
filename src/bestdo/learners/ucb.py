"""UCB: plays the action with the highest upper confidence bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.learner import argmax
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
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
from bestdo.learners.reasons import bound_words
from bestdo.learners.thompson import joint_draws, posterior_means

__all__ = ["UCB"]


@dataclass(frozen=True)
class UCB:
    """Plays each action once, then the one with the highest bound mean + √(α ln t / 2n); recommends the best mean."""

    alpha: float = 2.0
    """α: larger values explore more; 4 is UCB1 (Auer, Cesa-Bianchi & Fischer 2002). 2 was not chosen by a measurement."""
    block: int = 1
    """The number of rounds planned at once: the actions with the highest bounds, one round each."""

    @classmethod
    def ucb1(cls) -> UCB:
        """UCB1 as published: Auer, Cesa-Bianchi & Fischer (2002), figure 1."""
        return cls(alpha=4.0)

    statistic = staticmethod(played_statistic)
    start = staticmethod(start_bounded("UCB", or_spread=True))
    tell = staticmethod(add_block)
    best = staticmethod(best_mean)
    estimates = staticmethod(wilson_estimates)
    means = staticmethod(posterior_means)  # by context: rules need a mean everywhere
    draws = staticmethod(joint_draws)

    @property
    def traits(self) -> Traits:
        """Bounds of the allowed actions."""
        return Traits(any_time=True, chooses=True, reasons=True, block=self.block)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds by the bounds of the allowed actions; t is the number of their rounds."""
        state = beside(state, request.out)
        if not state.left.any():
            return None
        bound, chosen = request.masked(self._bounds(request.of_allowed(state.tally.weight), state)), []
        for k in range(min(self.block, int(state.problem.contenders.sum()))):
            chosen.append(argmax(bound, state.ties, state.block * self.block + k))
            if self.block > 1:
                bound[np.arange(len(bound)), chosen[-1]] = -np.inf
        return play_once(chosen, state)

    def _bounds(self, n: Floats, state: Counts) -> Floats:  # float[L, A]
        """The upper bounds for these numbers of rounds (float[L, A]; α = 4: UCB1, figure 1); infinite where it is 0."""
        t = np.maximum(n.sum(axis=1, keepdims=True), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(n > 0, means(state.tally) + np.sqrt(self.alpha * np.log(t) / (2 * n)), np.inf)

    def reason(self, state: Counts, action: int) -> str:
        """The action's bound is the highest, or the action was not played yet."""
        if not state.tally.weight[0, action]:
            return "not played yet: its mean may be anything"
        end, most = bound_words(state.problem)
        return f"its mean may be the {most}: the {end} bound is" + (f" among the {most}" if self.block > 1 else "")
