"""Linear Thompson sampling on one-hot contexts: a linear model of each action's reward, without a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates, from_weights
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.reach import reach_of
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import Counts, add_block, beside, play_once, played_statistic, start_bounded
from bestdo.memory_cache import memory_cache

__all__ = ["LinearThompson"]


_DIGITS = 12
"""Decimals of means that count when the best is chosen: fewer than floating point has, so that ties are ties."""


class _Fit(NamedTuple):
    """The posterior of each action's coefficients."""

    centre: Floats
    """float[L, 1, 1]: the reward from which all others count."""
    mean: Floats
    """float[L, A, D]"""
    precision: Floats
    """float[L, A, D, D]: B of the paper, I + the sum of b bᵀ."""


@memory_cache
def _features(sizes: tuple[int, ...]) -> Floats:  # float[C, D]
    """The features of each context: 1, and a one-hot code of the value of each variable that is seen first."""
    codes = [part.reshape(-1) for part in np.indices(sizes)] if sizes else []
    one = np.ones((len(codes[0]) if codes else 1, 1))
    return np.concatenate([one, *(np.eye(size)[code] for size, code in zip(sizes, codes, strict=True))], axis=1)


@dataclass(frozen=True)
class LinearThompson:
    """Plays the best of a draw from a linear model of rewards by context (Agrawal & Goyal 2013); recommends the best mean.

    The features of an action in a context are, for that action alone, 1 and the one-hot code of each variable that is seen
    first: main effects, no interactions of these variables. The draw is N(B⁻¹f, v² B⁻¹) with B = I + Σ b bᵀ and f = Σ b r
    (paper, Algorithm 1). Deviations: rewards count from the middle of their bounds, or from the mean of all so far where they
    have none, so that the prior does not take unknown actions for bad ones (or for good ones), and v is a constant. Where
    nothing is seen first there is one coefficient for each action.
    """

    v: float = 0.5
    """v: the spread of draws. 1/2 is R, the sub-Gaussian constant of rewards between 0 and 1; the paper's proof has
    R √(9 d ln(t/δ)), which explores far more. Not chosen by a measurement."""
    sizes: tuple[int, ...] = ()
    """The number of values of each variable that is seen first; known by itself from the problem."""

    traits = Traits(any_time=True, chooses=True, reasons=True, in_contexts=True)
    statistic = staticmethod(played_statistic)
    start = staticmethod(start_bounded("linear Thompson sampling", or_spread=True))
    tell = staticmethod(add_block)

    def in_contexts(self, problem: Problem) -> LinearThompson:
        """The learner for the contexts of a problem."""
        return replace(self, sizes=problem.contexts.sizes)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of one round (Algorithm 1): the best of a draw among allowed actions that can be the best."""
        state = beside(state, request.out)
        if not state.left.any():
            return None
        fit = self._fit(state)
        noise = rng.standard_normal(fit.mean.shape)
        values = self._values(_drawn(fit, self.v * noise), fit.centre)
        return play_once([np.where(request.mask & state.problem.contenders, values, -np.inf).argmax(axis=1)], state)

    def reason(self, state: Counts, action: int) -> str:
        """The action was the best of a draw."""
        return "the best in a draw from a linear model of the rewards so far"

    def means(self, state: Counts) -> Floats:  # float[L, A]
        """The means of the linear model, alike where only rounding errors tell them apart."""
        fit = self._fit(state)
        return self._values(fit.mean, np.zeros_like(fit.centre)).round(_DIGITS) + fit.centre[:, 0]

    def draws(self, state: Counts, lane: int, draws: int) -> Floats:  # float[D, A]
        """Draws of all means in one lane, the same for the same sums."""
        fit = self._fit(state._replace(tally=state.tally.lanes(np.array([lane]))))
        noise = np.random.default_rng(0).standard_normal((draws, *fit.mean.shape[1:]))
        many = _Fit(*(np.repeat(part, draws, axis=0) for part in fit))
        return self._values(_drawn(many, self.v * noise), many.centre)

    def best(self, state: Counts) -> Ints:  # int[L]
        """The action with the best mean."""
        return argmax(self.means(state), state.ties, state.block)

    def estimates(self, state: Counts) -> Estimates:
        """The means of the linear model with 95 % intervals, by its draws; for rewards without bounds by their variance."""
        features, fit = _features(self.sizes), self._fit(state)
        share = np.einsum("cd,lade,ce->lca", features, np.linalg.inv(fit.precision), features)
        variance = self._around(state, fit) * share.reshape(state.played.shape)
        n, none = state.tally.weight, np.zeros(state.played.shape)
        found = from_weights(self.means(state), variance, none, state.played, n, state.problem.graph)
        return found._replace(contenders=state.problem.contenders)

    def _fit(self, state: Counts) -> _Fit:
        """The posterior of the coefficients."""
        features = _features(self.sizes)
        contexts, size = features.shape
        n, s = (part.reshape(len(part), contexts, -1) for part in (state.tally.weight, state.tally.reward))
        precision = np.einsum("lca,cd,ce->lade", n, features, features, optimize=True) + np.eye(size)
        graph = state.problem.graph
        centre = reach_of(graph).centre(n, s, graph.rewarded.middle)
        f = np.einsum("lca,cd->lad", s - centre * n, features)
        return _Fit(centre, np.linalg.solve(precision, f[..., None])[..., 0], precision)

    def _around(self, state: Counts, fit: _Fit) -> Floats:  # float[L, 1]
        """v², which no reward with bounds exceeds; without bounds the variance of rewards around the model's means.

        That is at most v², too, the variance stated, which counts as one round of its own.
        """
        n, s, tally = state.tally.weight, state.tally.reward, state.tally
        mean = self._values(fit.mean, fit.centre)
        squares = (tally.squares - 2 * mean * s + mean**2 * n).sum(axis=1)
        free = np.maximum(n.sum(axis=1) - np.prod(fit.mean.shape[1:]), 0)
        return reach_of(state.problem.graph).residual(self.v**2, squares, free)

    def _values(self, coefficients: Floats, centre: Floats) -> Floats:  # float[L, C × A]
        """The means of all pairs of context and action, by coefficients float[L, A, D] and what they count from."""
        found = np.einsum("cd,lad->lca", _features(self.sizes), coefficients) + centre
        return np.asarray(found.reshape(len(coefficients), -1))


def _drawn(fit: _Fit, noise: Floats) -> Floats:  # float[L, A, D]
    """Coefficients with these standard normal numbers (float[L, A, D], times v) in place of random ones."""
    half = np.linalg.cholesky(fit.precision)  # B = half · halfᵀ, so halfᵀ⁻¹ · noise has the covariance B⁻¹
    return np.asarray(fit.mean + np.linalg.solve(np.swapaxes(half, -1, -2), noise[..., None])[..., 0])
