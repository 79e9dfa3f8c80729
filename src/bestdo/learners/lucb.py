"""LUCB1: best-arm identification with a fixed confidence, by lower and upper bounds on plays alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    once_each,
    played_statistic,
    start_bounded,
    wilson_estimates,
)
from bestdo.learners.reasons import NOT_PLAYED

__all__ = ["LUCB"]

_STRICTLY = 1e-15
"""Takes the place of ε = 0: bounds that only touch, up to rounding, count as no longer overlapping."""


@dataclass(frozen=True)
class LUCB:
    """LUCB1: plays the leader and its strongest rival, until the rival's upper bound is below the leader's lower one.

    Kalyanakrishnan, Tewari, Auer & Stone (2012): every action once, then in each step the action with the best mean and,
    of the others, the one with the highest mean + β; β = √(ln(5 K t⁴ / 4δ) / 2n) after t rounds, n of them of the action.
    """

    delta: float = 0.05
    within: float = 0.0
    """ε: how much worse than the best action the returned one may be, in the reward's unit."""

    traits = Traits(any_time=True, reasons=True)
    statistic = staticmethod(played_statistic)
    start = staticmethod(start_bounded("LUCB", or_spread=True))
    tell = staticmethod(add_block)
    best = staticmethod(best_mean)
    estimates = staticmethod(wilson_estimates)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of one step of LUCB1: every action once at first, then the leader h and its strongest rival l."""
        state = beside(state, request.out)
        first = once_each(state, rng)
        if first is not None:  # lanes are in step
            return first
        leader, rival, sure = self._pair(state)
        counts = np.zeros(state.played.shape, np.int64)
        lanes = np.arange(len(counts))
        counts[lanes, leader] += ~sure & (state.left > 0)
        counts[lanes, rival] += ~sure & (state.left > 1)
        return Plan(counts) if counts.any() else None

    def reason(self, state: Counts, action: int) -> str:
        """The action is the leader or its rival, or was not played yet."""
        return "it leads, or is the strongest rival" if state.tally.weight[0, action] else NOT_PLAYED

    def sure(self, state: Counts) -> NDArray[np.bool_]:  # bool[L]
        """A mask of the lanes that have stopped because the bounds of leader and rival no longer overlap."""
        return self._pair(state)[2] & (state.tally.weight > 0)[:, state.problem.contenders].all(axis=1)

    def _pair(self, state: Counts) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """The leader and its rival (int[L] each), and whether U_l - L_h < ε, so that it stops (bool[L])."""
        n, mean = state.tally.weight, means(state.tally)
        lanes, actions = np.arange(len(n)), int(state.problem.contenders.sum())
        t = np.maximum(n.sum(axis=1, keepdims=True), 1)
        beta = np.sqrt(np.log(1.25 * actions * t**4 / self.delta) / (2 * np.maximum(n, 1)))
        leader = argmax(mean, state.ties, state.block)
        high = mean + beta
        high[lanes, leader] = -np.inf
        rival = argmax(high, state.ties, state.block) if actions > 1 else leader
        worst, best = state.problem.graph.span
        within = self.within / abs(best - worst)
        low = mean[lanes, leader] - beta[lanes, leader]
        return leader, rival, np.asarray(high[lanes, rival] - low < (within or _STRICTLY))
