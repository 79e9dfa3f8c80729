"""Confidence sequences: bounds on means that hold at all times together, however rounds are chosen and whenever one stops.

A round that counts towards action a by `Seen` is a success with probability mu_a whatever was seen before: given the past,
its action is chosen, and where seeing equals doing (rule 2 of do-calculus) the reward given that a's values occurred has the
law of the reward under a. So for the rounds that count, s successes in n,

    M_a(theta) = ∫ p^s (1 − p)^(n − s) Beta(p; 1/2, 1/2) dp / (theta^s (1 − theta)^(n − s))

is, at theta = mu_a, a martingale of mean 1 (the other rounds leave it as it is). By Ville's inequality (1939)
P(M_a(mu_a) ≥ 1/alpha at some time) ≤ alpha: what M_a exceeds 1/alpha at is ruled out, at all times together.

It holds as well for rewards between 0 and 1 (values that are worth numbers), s being their sum: for each p a reward Y
multiplies the ratio by (p / theta)^Y ((1 − p) / (1 − theta))^(1 − Y), which is at most Y p / theta + (1 − Y) (1 − p) / (1 −
theta) by the inequality of the means, and the expectation of that at theta = mu_a is p + 1 − p = 1. So M_a is a
supermartingale.
"""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats

__all__ = ["against", "bounds"]

_STEPS = 40
"""The number of times that an interval is halved to find its end: 2^-40 is below 1e-9."""


def _mixture(n: Floats, s: Floats) -> Floats:
    """The logarithm of the numerator: the likelihood averaged over Beta(1/2, 1/2)."""
    from scipy.special import gammaln

    half = gammaln(0.5 + s) + gammaln(0.5 + n - s) - gammaln(1 + n)
    return np.asarray(half - np.log(np.pi))


def _likelihood(n: Floats, s: Floats, theta: Floats) -> Floats:
    """The logarithm of the denominator: the likelihood of the mean theta."""
    from scipy.special import xlog1py, xlogy

    return np.asarray(xlogy(s, theta) + xlog1py(n - s, -theta))


def against(n: Floats, s: Floats, theta: Floats) -> Floats:
    """The logarithm of M(theta): the evidence of s successes in n rounds (any shape) against the mean theta."""
    return _mixture(n, s) - _likelihood(n, s, theta)


def bounds(n: Floats, s: Floats, limit: Floats | float) -> tuple[Floats, Floats]:
    """The least and the largest mean against which the evidence is below `limit` (a logarithm); 0 and 1 without rounds.

    log M is convex in theta with its least at s / n: the ends are found by halving, and lie outside by less than 1e-9.
    """
    middle = np.where(n > 0, s / np.maximum(n, 1), 0.5)
    ends = []
    for last in (0.0, 1.0):
        inside, outside = middle.copy(), np.full(middle.shape, last)
        for _ in range(_STEPS):
            half = (inside + outside) / 2
            out = against(n, s, half) >= limit
            inside, outside = np.where(out, inside, half), np.where(out, half, outside)
        ends.append(outside)
    return ends[0], ends[1]
