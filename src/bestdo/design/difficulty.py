"""How hard a problem is before any reward is seen: m(q) of the paper's section 3 and m(eta) of its section 4."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestdo.causal.law import Law
from bestdo.design.exchangeable import Counted
from bestdo.design.law_backend import Along, Listed, route
from bestdo.design.parallel_design import Settings, m_of_product
from bestdo.errors import TooLarge

__all__ = ["difficulty", "difficulty_of_variables", "m_of_design"]

Floats = NDArray[np.float64]


def difficulty(p: ArrayLike) -> NDArray[np.int64]:  # float[..., K] -> int[...]
    """M = min{tau >= 2 : at most tau of the actions have p_a < 1/tau}, for actions a other than do().

    p_a is the probability, true or seen, with which what action a sets occurs naturally. The paper defines m for N
    binary variables that can all be set to both values, and counts variables with min(q_i, 1-q_i) < 1/tau. As tau
    is at least 2 at most one of a variable's two actions is that rare, so both counts are equal, and so is m, for
    N >= 2. Counting actions needs no two values per variable and no full set of actions, and exists for N = 1, where
    the paper's tau in [2..N] does not.

    The condition stays true once it is true, so tau is found by bisection, for all lanes at once.
    """
    chances = np.asarray(p, np.float64)
    low = np.full(chances.shape[:-1], 2, np.int64)
    high = np.full(chances.shape[:-1], max(2, chances.shape[-1]), np.int64)
    while (low < high).any():
        tau = (low + high) // 2
        enough = np.count_nonzero(chances < (1 / tau)[..., None], axis=-1) <= tau
        high = np.where(enough, tau, high)
        low = np.where(enough, low, np.minimum(tau + 1, high))
    return low


def difficulty_of_variables(q: ArrayLike) -> NDArray[np.int64]:  # float[..., N] -> int[...]
    """m(q) as the paper defines it: min{tau in [2..N] : |{i : min(q_i, 1-q_i) < 1/tau}| <= tau}.

    For N = 1 there is no such tau; 2 is given, as by `difficulty`.
    """
    chances = np.asarray(q, np.float64)
    return difficulty(np.minimum(chances, 1 - chances))


def m_of_design(law: Law, eta: ArrayLike) -> float:  # float[A]
    """m(eta) = max_a sum_x P_a(x)^2 / Q(x), Q = eta P, with 0/0 = 0; infinite where Q misses a state of some action."""
    weights = np.asarray(eta, np.float64)
    way = route(law)
    if isinstance(way, Settings):
        return m_of_product(way, weights)
    if isinstance(way, Listed):
        return _m_of_table(way.table, way.table**2, weights)
    totals = np.bincount(way.classes, weights).astype(np.float64)
    if isinstance(way, Counted):
        if not np.allclose((totals / np.bincount(way.classes))[way.classes], weights, rtol=1e-9, atol=1e-12):
            raise TooLarge("m(eta) is covered here only for designs that weight interchangeable variables equally")
        return _m_of_table(way.law, way.square, totals)
    return _m_along(way, totals)


def _m_of_table(law: Floats, square: Floats, eta: Floats) -> float:
    q = eta @ law
    if (square[:, q <= 0] > 0).any():
        return float("inf")
    return float((square[:, q > 0] @ (1 / q[q > 0])).max())


def _m_along(way: Along, totals: Floats) -> float:
    if (totals[way.forest.alone > 0] <= 0).any():
        return float("inf")  # states that only this action reaches
    if not (totals[way.forest.variable < 0].sum() > 0 or (totals > 0).all()):
        raise TooLarge("m(eta) is covered here only for designs that give weight to do(), or to every action")
    return float(way.forest.at(totals).f.max())
