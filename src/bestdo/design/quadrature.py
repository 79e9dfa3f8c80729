"""Quadrature of 1/D = ∫ exp(-sD) ds, which turns sums over many states into integrals of products where D is a sum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats

__all__ = ["COARSE", "nodes"]


COARSE = 0.3
"""The step in t at which 1/D, 1/D^2 and 1/D^3 have relative errors below 1e-12, 1e-11 and 1e-10."""
_FIRST = -3.8  # the first t: before it the weights are below exp(-exp(3.8)) < 1e-19, which rounding hides
_LAST = 45.0  # the last s times D: exp(-45) < 1e-19 likewise


class _Nodes(NamedTuple):
    """The nodes of a quadrature, and the weight of each."""

    s: Floats
    weight: Floats


def nodes(low: float, high: float, step: float = COARSE) -> _Nodes:
    """The nodes for ∫ s^k exp(-sD) ds over s > 0, k = 0, 1, 2, accurate for every D between low and high.

    The double-exponential rule for integrands that decay exponentially (Takahasi and Mori 1974):
    s = exp(t - exp(-t)) / high with equal steps in t. For s above 1/high the steps are equal in log s, so the
    relative error does not depend on D, and a wide range of D costs its logarithm: 30 nodes for one decade, 64 for
    five. As the error holds for every D, it holds for every mixture over states.
    """
    t = np.arange(_FIRST, np.log(_LAST * high / low) + step, step)
    tail = np.exp(-t)
    s = np.exp(t - tail) / high
    return _Nodes(s, step * s * (1 + tail))
