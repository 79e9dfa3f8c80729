"""What each action of a design is there for: how much of what is learned of every action comes from its rounds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.law import Law
from bestdo.design.law_backend import Listed, route

__all__ = ["shares"]

Floats = NDArray[np.float64]


def shares(law: Law, eta: Floats) -> Floats | None:  # float[A, A]
    """shares[a, b]: which part of the weight of action a comes from rounds of b; each row sums to 1.

    A round of b with the parents at x counts P_a(x) / Q(x) towards a, so that on average b brings
    eta_b Σ_x P_b(x) P_a(x) / Q(x). None where the states of the parents cannot be listed. NaN for an action some of
    whose states are never reached.
    """
    way = route(law)
    if not isinstance(way, Listed):
        return None
    mixture = eta @ way.table
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(mixture > 0, way.table / mixture, 0.0)
    share = (scaled @ way.table.T) * eta
    total = share.sum(axis=1, keepdims=True)
    return np.where(np.abs(total - 1) < 1e-6, share, np.nan)
