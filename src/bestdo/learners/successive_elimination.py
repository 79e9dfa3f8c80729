"""Successive Elimination: drops actions that are worse with confidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.learners.count_state import Counts, added, begin, counted_estimates, evenly, means, played

__all__ = ["SuccessiveElimination"]

Ints = NDArray[np.int64]


class Eliminating(NamedTuple):
    """Counts, and which actions are still in."""

    counts: Counts
    alive: NDArray[np.bool_]
    """bool[L, A]"""


@dataclass(frozen=True)
class SuccessiveElimination:
    """Plays every action still in once, drops those that are worse with confidence (Even-Dar, Mannor & Mansour 2006).

    Dropped is what lies 2α below the best after t plays each, α = √(ln(c K t² / δ) / 2t) with c = π²/3; where the plays
    differ, as with old rounds of do(), each has the α of its own. It stops when
    one is left or the rounds run out; too few rounds for one more sweep go to some of those still in.
    """

    delta: float = 0.05

    statistic = staticmethod(played)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Eliminating:
        """Before the first round."""
        return Eliminating(begin(problem, horizon, lanes, rng), np.ones((lanes, len(problem.actions)), bool))

    def ask(self, state: Eliminating, rng: np.random.Generator) -> Plan | None:
        """One sweep."""
        count = state.alive.sum(axis=1)
        rounds = np.where(count > 1, np.minimum(state.counts.left, count), 0)
        return Plan(evenly(rounds, state.alive, rng)) if rounds.any() else None

    def tell(self, state: Eliminating, plan: Plan, tally: Tally) -> Eliminating:
        """Adds the sweep and drops what is worse."""
        counts = added(state.counts, plan, tally)
        mean, n = means(counts.tally), counts.tally.weight
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log(np.pi**2 / 3 * n.shape[1] * n**2 / self.delta)
            alpha = np.where(n > 0, np.sqrt(np.maximum(log, 0) / (2 * n)), np.inf)
            leader = np.max(np.where(state.alive & (n > 0), mean - alpha, -np.inf), axis=1, keepdims=True)
            worse = leader >= mean + alpha
        return Eliminating(counts, state.alive & ~worse)

    def best(self, state: Eliminating) -> Ints:
        """The best of those still in."""
        return argmax(np.where(state.alive, means(state.counts.tally), np.nan), state.counts.ties, state.counts.block)

    def estimates(self, state: Eliminating) -> Estimates:
        """Means of each action's own plays."""
        return counted_estimates(state.counts)
