"""Evidence against groups of rounds having the same law of a variable, valid at every time and however rounds are chosen.

**What is bet.** First one stratum, a variable with two values, and groups g of rounds. The claim is that in every round,
whatever its group and whatever happened before, the value is 1 with the same unknown chance theta. A tilt t of the log odds
turns theta into another chance, theta e^t / (1 − theta + theta e^t). With a tilt t_g for each group, s_g ones in n_g rounds,

    log M_t(theta) = Σ_g t_g s_g − n_g log(1 − theta + theta e^(t_g))

is the logarithm of the likelihood of the tilted chances over that of theta: the money of somebody who began with 1 and in
each round bets on the value by the tilt of the round's group, at odds that are fair if the chance is theta.

**Theorem.** Let M(theta) be an average of such M_t(theta) with weights that depend neither on theta nor on the rounds. If
the claim is true, then with probability at least 1 − alpha the least M(theta) over all theta never reaches 1 / alpha:
whatever is played, however long, and however often one looks.

Proof. Take the true theta. Given the past and the group of the next round, the factor of that round in M_t(theta) is
e^(t y) / (1 − theta + theta e^t), whose expectation over y is 1. So M_t(theta) is a martingale with mean 1, an average of
them is one too, and by Ville's inequality (1939) it ever reaches 1 / alpha with probability at most alpha. The least over
all theta is no larger. The group may be chosen by all that happened before; rounds that are left out (by their group or
stratum, or by values that are missing by chance) leave M as it is.

**Strata.** With a chance theta_z for each stratum z the same holds for the product of the factors of all rounds, each at the
theta of its stratum. Three kinds of alternatives are averaged: the same tilts in all strata; tilts of their own in every
stratum (the product of the strata's evidence); and a difference in a single stratum (the mean of the strata's evidence).

**Which tilts.** Two groups have the tilts t (1 − f) and −t f, so that the mean chance stays at theta if a share f of the
rounds is in the first group: only then is the least over theta near its value at the true one. The average is over t and
over f, in each stratum apart. Three and more groups have independent tilts. A variable with more than two values is
compared value by value, one against all others, and the evidence averaged.

**The least over theta.** −log(1 + theta (e^t − 1)) is convex in theta, and so are sums, and logarithms of sums of
exponentials, of convex functions: log M is convex. A convex function h on 0 ≤ theta ≤ 1 is at least
h(x) + h'(x) (theta − x) for every x. What is returned is the least of these lower bounds, with the x that a minimiser found:
so the proof holds however well it did.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats

__all__ = ["against_same", "expected_against_same", "largest_against_same"]


_SIZES = 0.01, 12.0, 24
"""The least and the largest tilt, as a difference of log odds, and how many there are of each sign, each 1.36 of the last."""
_PAIR_SCALE, _EACH_SCALE = 1.3, 0.6
"""Tilts have the density of Cauchy's distribution of this scale, for two groups and for more. Chosen by the power with 20 to
10,000 rounds (docs/explanation/learners.md, the alarm): larger scales find perfect dependence a round earlier, smaller ones
find differences of 0.15 in a few more studies of 1,000 rounds; Laplace's loses perfect dependence in few rounds."""
_ODDS = 3.0 ** np.array([-6, -4, -2, -1, 0, 1, 2, 4, 6])
_ODDS_WEIGHTS = np.array([0.05, 0.075, 0.1, 0.15, 0.25, 0.15, 0.1, 0.075, 0.05])
"""The bets on each of `_ODDS`, the ratios of rounds of the first of two groups to the second. Without the last, 30 plays are
not told from 10,000 rounds of old data; with even weights, even groups are told apart in 5 % fewer studies."""


class _Tilts(NamedTuple):
    """Alternatives: an average over D of the product over parts of an average over K of products of tilted chances."""

    tilt: Floats
    """float[D, K, G]"""
    outer: Floats
    """float[D]: the logarithms of the weights."""
    inner: Floats
    """float[K]: the logarithms of the weights."""
    by_stratum: bool
    """Whether the parts, of which each has its own average over K, are the strata or the groups."""


@lru_cache(maxsize=16)
def _tilts(groups: int) -> _Tilts:
    """The alternatives for this number of groups of rounds."""
    size = np.geomspace(*_SIZES)
    tilt = np.concatenate([-size[::-1], size])
    density = np.abs(tilt) / (1 + (tilt / (_PAIR_SCALE if groups == 2 else _EACH_SCALE)) ** 2)  # times the spacing
    weight = np.log(density / density.sum())
    if groups == 2:
        share = _ODDS / (1 + _ODDS)
        both = np.stack([np.multiply.outer(tilt, 1 - share), -np.multiply.outer(tilt, share)], axis=-1)
        return _Tilts(both, weight, np.log(_ODDS_WEIGHTS), by_stratum=True)
    return _Tilts(np.repeat(tilt[None, :, None], groups, axis=2), np.zeros(1), weight, by_stratum=False)


def largest_against_same(counts: Floats) -> Floats:  # float[..., S], from float[..., S, groups, values]
    """The logarithm of the likelihood ratio in each stratum: each group at its best law, over all groups at their best one.

    The evidence of one stratum is at most this, and that of all of them at most the sum: no average exceeds what is largest.
    """
    from scipy.special import xlogy

    group, value = counts.sum(axis=-1), counts.sum(axis=-2)
    total = group.sum(axis=-1)
    each = xlogy(counts, counts).sum(axis=(-1, -2)) - xlogy(group, group).sum(axis=-1)
    return np.asarray(each - xlogy(value, value).sum(axis=-1) + xlogy(total, total))


def against_same(counts: Floats, needed: float = -math.inf) -> float:
    """The logarithm of the evidence against the same law in all groups of each stratum: float[S, groups, values].

    Where it cannot reach what is `needed`, a number below that which is no smaller than the evidence: that takes less time.
    """
    values = counts.shape[2]
    tables = [(counts.sum(axis=2), counts[:, :, value]) for value in range(values if values > 2 else 1)]
    most = _averaged_evidence([_evidence(n, s, _at_pooled) for n, s in tables])
    return most if most < needed else _averaged_evidence([_evidence(n, s, _least) for n, s in tables])


def expected_against_same(n: Floats, share: Floats) -> float:
    """The logarithm of the evidence if a value has these shares in n rounds of each group (float[S, G] each), not more."""
    return _evidence(n, n * share, _at_pooled)


def _averaged_evidence(logs: list[float]) -> float:
    """The logarithm of the average of some evidence."""
    return float(np.logaddexp.reduce(logs)) - math.log(len(logs))


def _evidence(n: Floats, s: Floats, over_theta: Callable[[Floats, Floats], Floats]) -> float:
    """The evidence in the counts of one value, s of n rounds, float[S, G]: the average over three kinds of alternatives."""
    apart = over_theta(n[:, None], s[:, None])
    if len(n) == 1:
        return float(apart[0])
    return _averaged_evidence(
        [float(over_theta(n[None], s[None])[0]), float(apart.sum()), _averaged_evidence(list(apart))]
    )


def _pooled(n: Floats, s: Floats) -> Floats:  # float[L, S]
    """The share of the value in all groups of a stratum together."""
    total = n.sum(axis=2)
    return np.where(total > 0, s.sum(axis=2) / np.maximum(total, 1), 0.5)


def _at_pooled(n: Floats, s: Floats) -> Floats:  # float[L]
    """The log M at the pooled shares, in each of some lanes apart, n and s float[L, S, G]: the least is no larger."""
    return _log_money(_pooled(n, s), n, s, _tilts(n.shape[2]))[0]


def _least(n: Floats, s: Floats) -> Floats:  # float[L]
    """A lower bound of the least log M over theta, in each of some lanes apart: n and s are float[L, S, G]."""
    from scipy.optimize import minimize

    tilts, start, total = _tilts(n.shape[2]), _pooled(n, s), n.sum(axis=2)
    unit = np.sqrt(np.maximum(start * (1 - start), 1 / (total + 1)) / (total + 1))  # about the error of the start

    def objective(moved: Floats) -> tuple[float, Floats]:
        value, slope = _log_money(start + unit * moved.reshape(start.shape), n, s, tilts)
        return float(value.sum()), (slope * unit).ravel()

    ends = np.stack([-start / unit, (1 - start) / unit], axis=-1).reshape(-1, 2)
    minimum = minimize(objective, np.zeros(start.size), jac=True, bounds=ends, method="L-BFGS-B")
    theta = np.clip(start + unit * minimum.x.reshape(start.shape), 0, 1)
    value, slope = _log_money(theta, n, s, tilts)
    return np.asarray(value - np.maximum(slope * theta, slope * (theta - 1)).sum(axis=1))


def _log_money(theta: Floats, n: Floats, s: Floats, tilts: _Tilts) -> tuple[Floats, Floats]:
    """The log M, float[L], and its slope, float[L, S], at theta, float[L, S]."""
    grown = np.expm1(tilts.tilt)[..., None, :]  # float[D, K, 1, G]
    mean = 1 + theta[:, None, None, :, None] * grown  # float[L, D, K, S, G]
    log = tilts.tilt[..., None, :] * s[:, None, None] - n[:, None, None] * np.log(mean)
    inner = log.sum(axis=4 if tilts.by_stratum else 3, keepdims=True) + tilts.inner[:, None, None]
    value, share = _averaged(inner, 2)
    value, part = _averaged(value.sum(axis=(2, 3, 4)) + tilts.outer, 1)
    slope = -n[:, None, None] * grown / mean * share
    return value[:, 0], np.einsum("ldksg,ld->ls", slope, part)


def _averaged(log: Floats, axis: int) -> tuple[Floats, Floats]:
    """The logarithm of the sum of exponentials along an axis, which is kept, and each one's share of that sum."""
    most = log.max(axis=axis, keepdims=True)
    share = np.exp(log - most)
    total = share.sum(axis=axis, keepdims=True)
    return most + np.log(total), share / total
