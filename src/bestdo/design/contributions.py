"""The contribution of each action's rounds in a design to the precision about every action."""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats
from bestdo.causal.law import Law
from bestdo.design.law_backend import Listed, backend_of

__all__ = ["shares"]


# How far the parts of an action's weight may be from a sum of 1, which they have when the design reaches all its
# states: well above rounding, and below any part that a person would be shown.
_SUM_TOLERANCE = 1e-6


def shares(law: Law, eta: Floats) -> Floats | None:  # float[A, A]
    """The matrix whose entry [a, b] is the part of the weight of action a that comes from rounds of b; rows sum to 1.

    A round of b with the parents at x counts P_a(x) / Q(x) towards a, so that on average b brings
    eta_b Σ_x P_b(x) P_a(x) / Q(x). None where the states of the parents cannot be listed. NaN for an action with a
    state that the design never reaches.
    """
    backend = backend_of(law)
    if not isinstance(backend, Listed):
        return None
    mixture = eta @ backend.table
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.where(mixture > 0, backend.table / mixture, 0.0)
    share = (scaled @ backend.table.T) * eta
    total = share.sum(axis=1, keepdims=True)
    return np.where(np.abs(total - 1) < _SUM_TOLERANCE, share, np.nan)
