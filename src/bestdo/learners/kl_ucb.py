"""kl-UCB: upper confidence bounds by the Kullback-Leibler divergence of two coins."""

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
    play_once,
    played_statistic,
    start_bounded,
    wilson_estimates,
)
from bestdo.learners.reasons import bound_words
from bestdo.learners.thompson import joint_draws, posterior_means

__all__ = ["KLUCB", "kl_bound"]


_STEPS = 60
"""The most steps of Newton's method for a bound; it takes about six."""
_EXACT = 1e-13
"""A step by less than this share ends Newton's method: the next one would be a rounding error."""
_SAME = 1e-9
"""Bounds are ties if the divergence of one from the other's differs by less than this share: rounding errors are smaller."""


@dataclass(frozen=True)
class KLUCB:
    """kl-UCB: plays each action once, then the one with the highest q such that n d(mean, q) <= ln t + c ln ln t.

    Garivier & Cappé (2011), Algorithm 1; d is the divergence of two coins, which also serves rewards between 0 and 1 (their
    section 3, and Cappé et al. 2013), so bounds of the reward must be known. ln ln t is at least 0 here. It recommends the
    best mean.
    """

    c: float = 0.0
    """c: 0 is what the authors recommend for use, 3 what their proof needs and Lee & Bareinboim (2018) played."""

    statistic = staticmethod(played_statistic)
    start = staticmethod(start_bounded("kl-UCB"))
    tell = staticmethod(add_block)
    best = staticmethod(best_mean)
    estimates = staticmethod(wilson_estimates)
    means = staticmethod(posterior_means)  # by context: rules need a mean everywhere
    draws = staticmethod(joint_draws)

    traits = Traits(any_time=True, chooses=True, reasons=True)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next round by the bounds of the allowed actions; t is the number of their rounds.

        Algorithm 1, lines 3 to 6.
        """
        state = beside(state, request.out)
        if not state.left.any():
            return None
        n, allowed = state.tally.weight, request.of_allowed(state.tally.weight)
        can = np.broadcast_to(request.mask & state.problem.contenders, n.shape)
        never = (n == 0) & can
        open_ = never.any(axis=1)
        highest = never.astype(np.float64)
        if not open_.all():
            rows = np.flatnonzero(~open_)
            mean = np.clip(state.tally.reward[rows] / np.maximum(n[rows], 1), 0.0, 1.0)
            t = allowed[rows].sum(axis=1) + 1
            level = np.log(t) + self.c * np.log(np.maximum(np.log(t), 1.0))
            highest[rows] = _highest(mean, np.where(can[rows], n[rows], 0), level)
        highest[~can] = -np.inf
        return play_once([argmax(highest, state.ties, state.block, all_compete=True)], state)

    def reason(self, state: Counts, action: int) -> str:
        """The action's bound is the highest, or the action was not played yet."""
        if not state.tally.weight[0, action]:
            return "not played yet: its mean may be anything"
        end, most = bound_words(state.problem)
        return f"its mean may be the {most}: the {end} bound is"


def _inner(p: Floats) -> Floats:
    """The numbers p ln p + (1 - p) ln(1 - p)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((p > 0) & (p < 1), p * np.log(p) + (1 - p) * np.log1p(-p), 0.0)


def kl_bound(mean: Floats, level: Floats) -> Floats:  # float[L]
    """The log-odds of the largest q with d(mean, q) <= level; infinite where the mean is 1.

    By Newton's method: as a function of the log-odds w of q, the divergence is convex with slope q - mean. It starts above
    the solution, at the lower of two bounds: ln(1 + e^w) >= w, and Pinsker's inequality.
    """
    some = np.minimum(mean, 1 - 1e-15)
    inner, pinsker = _inner(some), some + np.sqrt(level / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = np.where(pinsker < 1, np.log(pinsker / (1 - pinsker)), np.inf)
    w = np.minimum((level - inner) / (1 - some), odds)
    for _ in range(_STEPS):
        q = 1 / (1 + np.exp(-w))
        step = (inner + np.logaddexp(0.0, w) - some * w - level) / np.maximum(q - some, 1e-300)
        w = w - np.where(step > 0, step, 0.0)
        if not (step > _EXACT * (1 + np.abs(w))).any():
            break
    return np.where(mean >= 1, np.inf, w)


def _highest(mean: Floats, n: Floats, level: Floats) -> Floats:  # float[L, A]
    """1 for the actions with the highest bound of their lane and 0 for others; an action with n = 0 does not compete.

    The bound of one action is solved for, and whether another's is higher is seen from its divergence there, so that few
    equations are solved.
    """
    found = np.zeros(mean.shape)
    sure = (mean >= 1) & (n > 0)  # their bound is 1, and no other is
    found[sure] = 1.0
    rows = np.flatnonzero(~sure.any(axis=1))
    wide = np.sqrt(level[rows, None] / (2 * np.maximum(n[rows], 1)))
    leader = np.where(n[rows] > 0, mean[rows] + wide, -np.inf).argmax(axis=1)
    while len(rows):
        m, k, most = mean[rows], n[rows], level[rows, None]
        first = np.arange(len(rows))
        w = kl_bound(m[first, leader], level[rows] / k[first, leader])[:, None]
        q = 1 / (1 + np.exp(-w))
        away = _inner(m) + np.logaddexp(0.0, w) - m * w  # d(mean, q)
        spare = np.where(k > 0, most - k * np.where(q > m, away, 0.0), -np.inf)
        slack = _SAME * np.maximum(most, 1.0)
        spare[first, leader] = 0.0
        higher = spare > slack
        settled = ~higher.any(axis=1)
        found[rows[settled]] = (np.abs(spare) <= slack)[settled]
        with np.errstate(divide="ignore", invalid="ignore"):  # one step of Newton's method: at most too high
            guess = np.where(higher, np.where(q > m, spare / (k * (q - m)), np.inf), -np.inf)
        rows, leader = rows[~settled], guess.argmax(axis=1)[~settled]
    return found
