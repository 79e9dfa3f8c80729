"""Track-and-Stop: best-arm identification with a fixed confidence, from plays alone; the fewest rounds in the limit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    once_each,
    played_statistic,
    start_bounded,
    wilson_estimates,
)
from bestdo.learners.reasons import NOT_PLAYED

__all__ = ["TrackAndStop", "optimal_weights"]


_LEAST = 1e-9
"""Means are kept this far from 0 and 1, where divergences are infinite; differences of divergence below it count as ties."""
_HALVINGS = 24
"""Steps of each bisection: 2⁻²⁴ is 6e-8. Tested against the published weights, to all of their four decimals."""
_TINY_GAP, _TINY_DIVERGENCE, _TINY_RATE, _TINY_COUNT = 1e-12, 1e-300, 1e-100, 1e-12
"""Keep divisions by 0 out of the formulas where means tie or an action was not played; those results are replaced."""


def _divergence(p: Floats, q: Floats) -> Floats:
    """The Kullback-Leibler divergence between two Bernoulli distributions with means p and q."""
    from scipy.special import xlogy

    p, q = np.clip(p, _LEAST, 1 - _LEAST), np.clip(q, _LEAST, 1 - _LEAST)
    return np.asarray(xlogy(p, p / q) + xlogy(1 - p, (1 - p) / (1 - q)))


def optimal_weights(mean: Floats) -> tuple[Floats, Floats]:  # float[L, A], float[L]
    """The optimal proportions of plays w* and the characteristic time T*; equal proportions where the best two means tie.

    Garivier & Kaufmann (2016), Theorem 5. Against the best action (1), action k with weight x times that of the best gives
    g_k(x) = d(mean_1, m) + x d(mean_k, m), m = (mean_1 + x mean_k) / (1 + x); x_k(y) is where g_k = y. The y looked for
    makes the sum over k of d(mean_1, m_k) / d(mean_k, m_k) equal to 1. Both are found by bisection: y as a share of the
    largest one, x by the position of m between the two means. The answers are exact to about 1e-6. Lanes with the same means
    are worked out once.
    """
    mean, which = np.unique(np.clip(mean, _LEAST, 1 - _LEAST), axis=0, return_inverse=True)
    lanes = np.arange(len(mean))
    best = mean.argmax(axis=1)
    top = mean[lanes, best][:, None]
    rest = np.arange(mean.shape[1]) != best[:, None]
    most = np.where(rest, _divergence(top, mean), np.inf).min(axis=1)  # g_k is below d(mean_1, mean_k)
    low, high = np.zeros(len(mean)), np.ones(len(mean))
    for _ in range(_HALVINGS):
        share = (low + high) / 2
        x, m = _weights_at(mean, top, (share * most)[:, None])
        total = np.where(rest, _divergence(top, m) / np.maximum(_divergence(mean, m), _TINY_DIVERGENCE), 0).sum(axis=1)
        low, high = np.where(total < 1, share, low), np.where(total < 1, high, share)
    x = np.where(rest, x, 1.0)
    weights = x / x.sum(axis=1, keepdims=True)
    time = x.sum(axis=1) / np.maximum(share * most, _TINY_RATE)
    tied = most < _LEAST
    weights[tied], time[tied] = 1 / mean.shape[1], np.inf
    return weights[which.reshape(-1)], time[which.reshape(-1)]


def _weights_at(mean: Floats, top: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The weights x_k at which g_k = y, and the means m_k that belong to them.

    Along m = mean_k + u (mean_1 − mean_k) with u from 1 (x = 0) to 0 (x infinite), x = (1 − u) / u and g falls in u.
    Times u, g is u d(mean_1, m) + (1 − u) d(mean_k, m) = H(m) − u H(mean_1) − (1 − u) H(mean_k), H the entropy.
    """
    gap, at_top, at_mean = np.maximum(top - mean, _TINY_GAP), _entropy(top), _entropy(mean)
    low, high = np.zeros(mean.shape), np.ones(mean.shape)
    for _ in range(_HALVINGS):
        u = (low + high) / 2
        m = mean + u * gap
        above = _entropy(m) - at_mean - u * (at_top - at_mean) > u * y
        low, high = np.where(above, u, low), np.where(above, high, u)
    return (1 - u) / u, m


def _entropy(p: Floats) -> Floats:
    """The entropy of a Bernoulli distribution with mean p."""
    return np.asarray(-p * np.log(p) - (1 - p) * np.log1p(-p))


@dataclass(frozen=True)
class TrackAndStop:
    """Track-and-Stop: plays in the proportions that are best for the means so far, and stops by the likelihood ratio.

    Garivier & Kaufmann (2016), D-tracking: an action played less than √t − K/2 times is played next, otherwise the one
    furthest behind t · w*. It stops when Z = min_b N_a d(mean_a, mean_ab) + N_b d(mean_b, mean_ab) exceeds a threshold, a
    the action with the best mean.

    **Theorem** (theirs, 10). With the threshold ln(2 t (K − 1) / δ) an action that is not the best is called the best with
    probability at most δ, whatever is played and however often one looks.

    Proof. Let b be the best action, and a another one that is ahead. e to the power of their term in Z is the largest
    likelihood of the plays of both, by the largest one with a no better than b; the latter is at least the true one. The
    likelihood of n plays, averaged over Beta(1/2, 1/2), is at least the largest one by 2√n. So the power is at most
    4 √(N_a N_b) ≤ 2t times a martingale that begins at 1, averaged likelihoods by true ones, which by Ville's inequality ever
    exceeds (K − 1) / δ with probability at most δ / (K − 1). And K − 1 actions may wrongly be called the best.

    It holds for rewards between two bounds, too (numbers, values that are worth numbers), with their sum s, on the scale
    from 0 to 1, as the number of successes. For each p the factor (p / mu)^Y ((1 − p) / (1 − mu))^(1 − Y) of a reward Y is at
    most Y p / mu + (1 − Y) (1 − p) / (1 − mu) by the inequality of the means, and this has the expectation 1: the martingale
    is a supermartingale. And the average likelihood is at least the largest one by 2√n for every s from 0 to n: the logarithm
    of their ratio is g(s) + g(n − s) and a constant, with g(s) = ln Γ(s + 1/2) − s ln s and g'' = ψ'(s + 1/2) − 1/s < 0, so
    that it is concave, and least where s is 0 or n. The proportions w* are those for rewards of 0 and 1. Rewards without
    bounds are refused.

    The threshold of Kaufmann & Koolen (2021, Theorem 7) for all exponential families grows with ln ln t alone; but it begins
    so high that for yes or no it is the larger one up to t = 10¹⁵.
    """

    delta: float = 0.05
    block: int = 1
    """The number of rounds planned at once, all by the same w*."""
    proven: bool = True
    """Whether the threshold is that of the theorem; otherwise ln((1 + ln t) / δ), as in the authors' experiments, which is
    smaller and has no proof."""

    traits = Traits(any_time=True, reasons=True)
    statistic = staticmethod(played_statistic)
    start = staticmethod(start_bounded("Track-and-Stop"))
    tell = staticmethod(add_block)
    best = staticmethod(best_mean)
    estimates = staticmethod(wilson_estimates)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds: every action once, then D-tracking: those below √t − K/2 plays, else by w*."""
        state = beside(state, request.out)
        first = once_each(state, rng)
        if first is not None:  # lanes are in step
            return first
        going = ~self.sure(state) & (state.left > 0)
        if not going.any():
            return None
        n, among = state.tally.weight, np.flatnonzero(state.problem.contenders)
        weights, counts = np.zeros(n.shape), np.zeros(n.shape, np.int64)
        weights[np.ix_(going, among)] = optimal_weights(means(state.tally)[np.ix_(going, among)])[0]
        lanes = np.arange(len(n))
        for k in range(self.block):
            so_far = n + counts
            t = so_far[:, among].sum(axis=1, keepdims=True)
            starved = (so_far < np.sqrt(t) - len(among) / 2) & state.problem.contenders
            need = np.where(starved.any(axis=1, keepdims=True), -so_far, t * weights - so_far)
            chosen = argmax(need, state.ties, state.block * self.block + k)
            counts[lanes, chosen] += going & (state.left > k)
        return Plan(counts)

    def reason(self, state: Counts, action: int) -> str:
        """The action is behind its share of the plays, or was not played yet."""
        if not state.tally.weight[0, action]:
            return NOT_PLAYED
        return "it has fewer plays than its share of those by which the best is told apart soonest, or fewest of all"

    def sure(self, state: Counts) -> NDArray[np.bool_]:  # bool[L]
        """A mask of the lanes that have stopped: the evidence Z(t) exceeds the threshold (with `proven`, of Theorem 10)."""
        among = np.flatnonzero(state.problem.contenders)
        n, mean = state.tally.weight[:, among], means(state.tally)[:, among]
        if n.shape[1] == 1:
            return np.ones(len(n), bool)
        played_all = (n > 0).all(axis=1)
        mean, n = np.where(n > 0, mean, 0.0), np.maximum(n, _TINY_COUNT)
        lanes, leader = np.arange(len(n)), mean.argmax(axis=1)
        lead_n, lead = n[lanes, leader][:, None], mean[lanes, leader][:, None]
        pooled = (lead_n * lead + n * mean) / (lead_n + n)
        z = lead_n * _divergence(lead, pooled) + n * _divergence(mean, pooled)
        z[lanes, leader] = np.inf
        return np.asarray(played_all & (z.min(axis=1) > self.threshold(np.maximum(n.sum(axis=1), 1), n.shape[1])))

    def threshold(self, t: Floats, actions: int) -> Floats:  # float[L]
        """The threshold that the evidence Z must exceed after t rounds (float[L])."""
        return np.log((2 * t * (actions - 1) if self.proven else 1 + np.log(t)) / self.delta)
