"""How strongly rounds speak for an outcome that stays below a bound, against one that lies at the bound or above it.

The factors are of a kind that may be looked at after every round: of an outcome at the bound or anywhere above it, the chance
that the factor ever reaches x is at most 1 / x, however long a study is (Ville's inequality). A posterior probability has no
such property: of a chance a tenth above the bound, one study in five says at some time with 0.9 that it lies below.
"""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats

__all__ = ["chance_odds", "mean_odds"]

_STEEP = {True: 0.5, False: 0.1}
"""The first parameter of the Beta distribution, cut at the bound, that half of the chances below the bound have, and of those
above it; the others are uniform. Small chances have more weight then, so that fewer rounds speak for a rare event below the
bound, and against one above it."""
_WIDE = 0.5
"""The variance of the distances of a mean from its bound, in units of the variance of a round. Chosen, not measured."""
_HIGHEST = 700.0  # of a logarithm


def chance_odds(n: Floats, s: Floats, bound: float, below: bool = True) -> Floats:
    """The factor for a chance below the bound, or above it, from s events in n rounds: likelihoods over that at the bound."""
    from scipy.special import betainc, betaincc, betaln

    if not 0 < bound < 1:
        return np.ones(n.shape)
    if bound > 0.5:  # the events are the rarer ones
        return chance_odds(n, n - s, 1 - bound, not below)
    part = betainc if below else betaincc
    at_bound = s * np.log(bound) + (n - s) * np.log1p(-bound)
    factor = np.zeros(n.shape)
    for a in (_STEEP[below], 1.0):
        log = betaln(a + s, 1 + n - s) - betaln(a, 1.0) - at_bound
        share = part(a + s, 1 + n - s, bound) / part(a, 1.0, bound)
        factor += 0.5 * np.exp(np.minimum(log + np.log(np.maximum(share, 1e-300)), _HIGHEST))
    return factor


def mean_odds(mean: Floats, error: Floats, rounds: Floats, degrees: Floats, bound: float) -> Floats:
    """The factor for a mean below the bound, from as many rounds with a standard error; their spread is not known.

    Student's t under distances that are normal in units of the spread, of which only those below the bound count.
    """
    from scipy.special import stdtr

    t = (bound - mean) / error
    wide = 1 + rounds * _WIDE
    rest = degrees + t**2 / wide  # what the distance does not explain
    log = 0.5 * (degrees + 1) * (np.log(degrees + t**2) - np.log(rest)) - 0.5 * np.log(wide)
    left = (wide - 1) / wide
    below = stdtr(degrees + 1, left * t / np.sqrt(left * rest / (degrees + 1)))
    return np.asarray(np.exp(np.minimum(log, _HIGHEST)) * 2 * below)
