"""LinGapE: best-arm identification for linear rewards, on the probabilities of the states of the reward's parents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates, from_weights
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import (
    Counts,
    add_block,
    beside,
    once_each,
    play_once,
    played_statistic,
    rounded,
    start_counts,
)
from bestdo.learners.parent_states import DIGITS, listed_law
from bestdo.memory_cache import memory_cache

__all__ = ["LinGapE"]


_SPREAD = 0.5
"""R: the sub-Gaussian constant of a reward between 0 and 1."""
_RANK = 1e-10
"""Singular values below this part of the largest are rounding errors."""


class _Fit(NamedTuple):
    """The ridge regression of rewards less 1/2 on the features of the actions played."""

    mean: Floats
    """float[L, A]"""
    inverse: Floats
    """float[L, D, D]: A⁻¹."""
    log_det: Floats
    """float[L]: ln(det A / det λI) / 2."""


@dataclass(frozen=True)
class LinGapE:
    """LinGapE: plays what tells the best action and its most ambiguous rival apart, rewards being linear in P(x | a).

    Xu, Honda & Sugiyama (2018), Algorithm 1, on the features P(x | a), with which a mean is Σ_x P(x | a) θ_x. Every action
    once; then i = the best by ridge regression, j = the rival with the largest gap Δ̂(j, i) + ‖P_i - P_j‖_A⁻¹ C, and, by the
    greedy one of the paper's two rules, the action after which ‖P_i - P_j‖_A⁻¹ is least. It stops when that largest gap is at
    most ε. C = R √(2 ln(√(det A / det λI) / δ)) + √λ S with R = 1/2; rewards count from 1/2, so that S = √states / 2. The
    constants are from reviews of the paper. Actions that cannot be the best by the graph are not played.

    The horizon is a budget: if it runs out first, the best so far is recommended. Which state came about is not used, as in
    any linear bandit: Algorithm 2 in phases uses it.
    """

    delta: float = 0.05
    """δ: with what probability it may stop with an action that is worse by more than ε."""
    within: float = 0.0
    """ε, in the reward's unit."""
    ridge: float = 1.0
    """λ."""

    traits = Traits(any_time=True, reasons=True)
    statistic = staticmethod(played_statistic)
    tell = staticmethod(add_block)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        require_bounds(problem, "LinGapE")
        listed_law(problem, "LinGapE")
        return start_counts(problem, horizon, lanes, rng)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds (Algorithm 1): every action once, then the one after which ‖P_i - P_j‖_A⁻¹ is least."""
        state = beside(state, request.out)
        first = once_each(state, rng)
        if first is not None:
            return first
        fit = self._fit(state)
        leader, rival, sure = self._pair(state, fit)
        features = _features(state.problem)
        apart = features[leader] - features[rival]  # float[L, D]
        reach = np.einsum("li,lij,aj->la", apart, fit.inverse, features)
        own = np.einsum("ai,lij,aj->la", features, fit.inverse, features)
        gain = rounded(reach**2 / (1 + own), DIGITS, state.problem)
        plan = play_once([argmax(gain, state.ties, state.block)], state).counts
        plan = plan * ~sure[:, None]
        return Plan(plan) if plan.any() else None

    def sure(self, state: Counts) -> Bools:  # bool[L]
        """A mask of the lanes that have stopped because no rival can be better by more than ε."""
        known = np.asarray((state.tally.weight > 0)[:, state.problem.contenders].all(axis=1))
        return np.asarray(self._pair(state, self._fit(state))[2] & known)

    def _fit(self, state: Counts) -> _Fit:
        """The regression on the plays so far."""
        features, n = _features(state.problem), state.tally.weight
        size = features.shape[1]
        design = np.einsum("la,ai,aj->lij", n, features, features) + self.ridge * np.eye(size)
        inverse = np.linalg.inv(design)
        theta = np.einsum("lij,lj->li", inverse, (state.tally.reward - 0.5 * n) @ features)
        log_det = (np.linalg.slogdet(design)[1] - size * np.log(self.ridge)) / 2
        return _Fit(0.5 + theta @ features.T, inverse, log_det)

    def _pair(self, state: Counts, fit: _Fit) -> tuple[Ints, Ints, Bools]:
        """The leader i, its most ambiguous rival j (int[L] each), and whether it stops, as no gap exceeds ε (bool[L])."""
        problem, features, lanes = state.problem, _features(state.problem), np.arange(len(fit.mean))
        states = listed_law(problem, "LinGapE").shape[1]
        wide = _SPREAD * np.sqrt(2 * (fit.log_det - np.log(self.delta))) + np.sqrt(self.ridge * states) / 2  # C
        leader = argmax(rounded(fit.mean, DIGITS, problem), state.ties, state.block)
        apart = features[leader][:, None] - features  # float[L, A, D]
        width = np.sqrt(np.maximum(np.einsum("lai,lij,laj->la", apart, fit.inverse, apart), 0.0))
        gap = fit.mean - fit.mean[lanes, leader][:, None] + width * wide[:, None]
        gap[lanes, leader] = -np.inf
        if problem.contenders.sum() < 2:
            return leader, leader, np.ones(len(lanes), bool)
        rival = argmax(rounded(gap, DIGITS, problem), state.ties, state.block)
        worst, best = problem.graph.span
        return leader, rival, np.asarray(gap[lanes, rival] <= self.within / abs(best - worst))

    def best(self, state: Counts) -> Ints:  # int[L]
        """The action with the best mean."""
        return argmax(rounded(self._fit(state).mean, DIGITS, state.problem), state.ties, state.block)

    def estimates(self, state: Counts) -> Estimates:
        """The means by the regression with 95 % intervals."""
        fit, features = self._fit(state), _features(state.problem)
        variance = _SPREAD**2 * np.einsum("ai,lij,aj->la", features, fit.inverse, features)
        none, n = np.zeros(state.played.shape), state.tally.weight
        estimates = from_weights(fit.mean.round(DIGITS), variance, none, state.played, n, state.problem.graph)
        return estimates._replace(contenders=state.problem.contenders)

    def reason(self, state: Counts, action: int) -> str:
        """A round that tells the leader and its rival apart, or an action that was not played yet."""
        if not state.tally.weight[0, action]:
            return "not played yet, and every action is played once first"
        leader, rival, _ = self._pair(state, self._fit(state))
        actions = state.problem.actions
        return f"it tells most about which of {actions[int(leader[0])]} and {actions[int(rival[0])]} is better"


@memory_cache
def _features(problem: Problem) -> Floats:  # float[A, D]
    """P(x | a) in coordinates of the space that all actions span: products and lengths are the same, with fewer columns."""
    table = listed_law(problem, "LinGapE")
    left, length, _ = np.linalg.svd(table, full_matrices=False)
    keep = length > _RANK * length[0]
    coordinates = np.ascontiguousarray(left[:, keep] * length[keep])
    coordinates.setflags(write=False)
    return coordinates
