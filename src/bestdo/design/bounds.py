"""The regret bounds of the paper's theorems, with their constants: upper bounds of its algorithms, a lower one for all.

They are loose: with 50 variables, m = 2 and T = 400 Theorem 1 promises a regret below 1.24, where 1 is certain.
Show them to people only where they are below 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = [
    "lower_bound",
    "regret_bound_general",
    "regret_bound_parallel",
    "rounds_for_general",
    "rounds_for_parallel",
    "rounds_lemma_3",
]

_MOST_ROUNDS = 10**18  # where the search for a number of rounds stops: beyond any experiment


def regret_bound_parallel(m: float, variables: int, rounds: float) -> float:
    """Theorem 1: Algorithm 1's regret is at most 6 m/T + sqrt(32 (m/T) log(N T/m)).

    From the proof, with delta = m/T (the paper prints "delta = m = m(q)/N"). The proof needs T >= 48 m log(2 N/delta)
    for its Lemma 3 (`rounds_lemma_3`), |A| <= m-hat, and so rare actions chosen with p < 1/m-hat, not <=, and its
    Lemma 1 fails for tiny q: read it as the paper's statement, not as more. Its last step bounds 2 epsilon with
    log(N/delta) where its events have log(2N/delta); the constants here are those it ends with.
    """
    return 6 * m / rounds + math.sqrt(32 * m / rounds * max(0.0, math.log(variables * rounds / m)))


def rounds_lemma_3(m: float, variables: int, delta: float) -> int:
    """Lemma 3: the number of rounds, half of them watching, after which 2m/3 <= m(q-hat) <= 2m with probability 1 - delta."""
    return math.ceil(48 * m * math.log(2 * variables / delta))


def regret_bound_general(m_eta: float, actions: int, rounds: float) -> float:
    """Theorem 3: Algorithm 2's regret is at most (sqrt(2) + 4) sqrt((m(eta)/T) log(2 T |A|)) + 1/T.

    With the paper's truncation B_a = sqrt(m(eta) T / log(2 T |A|)). The proof adds epsilon for the action chosen and
    epsilon plus a bias for the best one, so that its own steps give 2 sqrt(2) + 7 in the place of sqrt(2) + 4; the
    printed constant is used here, and the event it is stated for is printed as its complement.
    """
    return (math.sqrt(2) + 4) * math.sqrt(m_eta / rounds * math.log(2 * rounds * actions)) + 1 / rounds


def lower_bound(m: float, rounds: float) -> float:
    """Theorem 2: for every learner some reward function gives at least this regret on a parallel graph with m(q) = m.

    The proof takes q_i <= 1/m for the m rarest values, but m(q) = m only says q_i < 1/(m-1). With that the 18 in
    epsilon = min(1/4, sqrt(m/(18 T))) becomes 6 (2 + m/(m-1)), and the regret is at least
    (1/(2e) - 1/m) epsilon / 2. For m <= 5 that is not positive, and the result is 0.
    """
    share = 1 / (2 * math.e) - 1 / m
    if share <= 0:
        return 0.0
    epsilon = min(0.25, math.sqrt(m / (6 * (2 + m / (m - 1)) * rounds)))
    return share * epsilon / 2


def rounds_for_parallel(m: float, variables: int, regret: float) -> int:
    """The least number of rounds for which Theorem 1 promises at most this regret."""
    return _least(lambda rounds: regret_bound_parallel(m, variables, rounds), regret, math.ceil(m))


def rounds_for_general(m_eta: float, actions: int, regret: float) -> int:
    """The least number of rounds for which Theorem 3 promises at most this regret."""
    return _least(lambda rounds: regret_bound_general(m_eta, actions, rounds), regret, math.ceil(m_eta))


def _least(bound: Callable[[int], float], target: float, first: int) -> int:
    """The least number of rounds, at least `first`, where a bound that falls from there on meets the target."""
    if not target > 0:
        raise ValueError(f"a regret of {target:g} needs infinitely many rounds; ask for one above 0")
    low, high = max(1, first), max(1, first)
    while bound(high) > target and high < _MOST_ROUNDS:
        high *= 2
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) <= target else (middle + 1, high)
    return low
