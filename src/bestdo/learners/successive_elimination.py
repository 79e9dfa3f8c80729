"""Successive Elimination: plays all actions still in, and drops those whose upper bound is below the best lower bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import (
    Counts,
    add_block,
    means,
    played_statistic,
    split_evenly,
    start_counts,
    wilson_estimates,
)
from bestdo.learners.reasons import still_in

__all__ = ["SuccessiveElimination"]


class EliminationState(NamedTuple):
    """Counts, and which actions are still in."""

    counts: Counts
    alive: NDArray[np.bool_]
    """bool[L, A]: the actions still in."""


@dataclass(frozen=True)
class SuccessiveElimination:
    """Plays every action still in once, drops those that are worse with confidence (Even-Dar, Mannor & Mansour 2006).

    After t plays of each, an action whose mean is 2α below the best is dropped, α = √(ln(c K t² / δ) / 2t) with c = π²/3;
    where the numbers of plays differ, as with old rounds of do(), each action has its own α. It stops when one is left
    or the rounds run out; if too few are left for all actions still in, some of them are played, at random.
    """

    delta: float = 0.05
    eliminates: bool = True
    """Whether actions are dropped at all. In the baseline `run_se` of google-deepmind/additive_cbug they are not: it puts
    those that stay into one variable (`candidate_arms`) and goes on with another (`candidate_arm_idx`)."""

    traits = Traits(reasons=True)
    statistic = staticmethod(played_statistic)

    @classmethod
    def as_published_with_error(cls) -> SuccessiveElimination:
        """Successive Elimination that never eliminates, as the baseline of Malek, Aglietti & Chiappa's code."""
        return cls(eliminates=False)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> EliminationState:
        """The state before the first round."""
        require_bounds(problem, "Successive Elimination", or_spread=True)
        return EliminationState(start_counts(problem, horizon, lanes, rng), np.tile(problem.contenders, (lanes, 1)))

    def ask(self, state: EliminationState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next sweep: every action still in once."""
        count = state.alive.sum(axis=1)
        rounds = np.where(count > 1, np.minimum(state.counts.left, count), 0)
        return Plan(split_evenly(rounds, state.alive, rng)) if rounds.any() else None

    def tell(self, state: EliminationState, plan: Plan, tally: Tally) -> EliminationState:
        """The state after a sweep, without the actions that are worse with confidence: by 2α or more."""
        counts = add_block(state.counts, plan, tally)
        mean, n = means(counts.tally), counts.tally.weight
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log(np.pi**2 / 3 * counts.problem.contenders.sum() * n**2 / self.delta)
            alpha = np.where(n > 0, np.sqrt(np.maximum(log, 0) / (2 * n)), np.inf)
            leader = np.max(np.where(state.alive & (n > 0), mean - alpha, -np.inf), axis=1, keepdims=True)
            worse = (leader >= mean + alpha) & self.eliminates
        return EliminationState(counts, state.alive & ~worse)

    def reason(self, state: EliminationState, action: int) -> str:
        """The action is still in."""
        return still_in(int(state.alive[0].sum()))

    def best(self, state: EliminationState) -> Ints:
        """The action with the best mean of those still in."""
        return argmax(np.where(state.alive, means(state.counts.tally), np.nan), state.counts.ties, state.counts.block)

    def estimates(self, state: EliminationState) -> Estimates:
        """The mean of each action's own plays with a 95 % interval."""
        return wilson_estimates(state.counts)._replace(dropped=~state.alive)
