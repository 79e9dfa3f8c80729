"""The difficulty of a problem before any reward is seen: m(q) of the paper's section 3 and m(eta) of its section 4."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bestdo.arrays import Floats, Ints
from bestdo.causal.law import Law
from bestdo.design.exchangeable import CountLaw
from bestdo.design.law_backend import ForestLaw, Listed, backend_of
from bestdo.design.parallel_design import Settings, m_of_product
from bestdo.errors import TooLarge

__all__ = ["difficulty", "difficulty_of_variables", "m_of_design"]


# Weights of a design that differ by at most this, relatively and absolutely, count as equal: rounding.
_SAME_WEIGHT = 1e-9
_SAME_TINY_WEIGHT = 1e-12


def difficulty(p: ArrayLike) -> Ints:  # float[..., K] -> int[...]
    """The difficulty m = min{tau >= 2 : at most tau of the actions other than do() have p_a < 1/tau}.

    p_a is the probability, true or seen, with which what action a sets occurs naturally. The paper defines m for N
    binary variables that can all be set to both values, and counts variables with min(q_i, 1-q_i) < 1/tau. As tau
    is at least 2 at most one of a variable's two actions is that rare, so both counts are equal, and so is m, for
    N >= 2. Counting actions needs no two values per variable and no full set of actions, and exists for N = 1, where
    the paper's tau in [2..N] does not.

    The condition stays true once it is true, so tau is found by bisection, for all lanes at once.
    """
    chances = np.asarray(p, np.float64)
    if chances.size == chances.shape[-1]:  # one lane, as in a study: every tau at once
        taus = np.arange(2, max(2, chances.shape[-1]) + 1)
        rare = np.searchsorted(np.sort(chances.ravel()), 1 / taus)
        return np.full(chances.shape[:-1], taus[np.argmax(rare <= taus)])
    low = np.full(chances.shape[:-1], 2, np.int64)
    high = np.full(chances.shape[:-1], max(2, chances.shape[-1]), np.int64)
    while (low < high).any():
        tau = (low + high) // 2
        enough = np.count_nonzero(chances < (1 / tau)[..., None], axis=-1) <= tau
        high = np.where(enough, tau, high)
        low = np.where(enough, low, np.minimum(tau + 1, high))
    return low


def difficulty_of_variables(q: ArrayLike) -> Ints:  # float[..., N] -> int[...]
    """The difficulty m(q) as the paper defines it: min{tau in [2..N] : |{i : min(q_i, 1-q_i) < 1/tau}| <= tau}.

    For N = 1 there is no such tau, and the result is 2, as that of `difficulty`.
    """
    chances = np.asarray(q, np.float64)
    return difficulty(np.minimum(chances, 1 - chances))


def m_of_design(law: Law, eta: ArrayLike) -> float:  # float[A]
    """The difficulty m(eta) = max_a sum_x P_a(x)^2 / Q(x), Q = eta P, 0/0 = 0; infinite if Q is 0 at a state of an action."""
    weights = np.asarray(eta, np.float64)
    backend = backend_of(law)
    if isinstance(backend, Settings):
        return m_of_product(backend, weights)
    if isinstance(backend, Listed):
        return _m_of_table(backend.table, backend.table**2, weights)
    totals = np.bincount(backend.classes, weights).astype(np.float64)
    if isinstance(backend, CountLaw):
        if not np.allclose(
            (totals / np.bincount(backend.classes))[backend.classes], weights, rtol=_SAME_WEIGHT, atol=_SAME_TINY_WEIGHT
        ):
            raise TooLarge("m(eta) can be computed here only for designs that weight interchangeable variables equally")
        return _m_of_table(backend.law, backend.square, totals)
    return _m_of_forest(backend, totals)


def _m_of_table(law: Floats, square: Floats, eta: Floats) -> float:
    """The largest sum_x square[a, x] / Q(x), Q = eta law."""
    q = eta @ law
    if (square[:, q <= 0] > 0).any():
        return float("inf")
    return float((square[:, q > 0] @ (1 / q[q > 0])).max())


def _m_of_forest(backend: ForestLaw, totals: Floats) -> float:
    """m(eta) by the messages of `forest.py`; `totals` are the weights of the forest's actions."""
    if (totals[backend.forest.alone > 0] <= 0).any():
        return float("inf")  # states that only this action reaches
    if not (totals[backend.forest.variable < 0].sum() > 0 or (totals > 0).all()):
        raise TooLarge("m(eta) can be computed here only for designs that give weight to do(), or to every action")
    return float(backend.forest.at(totals).f.max())
