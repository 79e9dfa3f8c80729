"""The regret bounds that the proofs of the paper's theorems give: upper bounds of its algorithms, a lower one for all.

Where the steps of a proof give another constant than the paper prints, the one of the steps is here, and the docstring has
the steps. The bounds are loose: with 50 variables, m = 2 and T = 400 Theorem 1 says nothing, and neither does Theorem 3 for
101 actions and m(eta) = 4 (a regret below 3.3, where 1 is certain). Show them to people only where they are below 1.
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
    """Theorem 1: Algorithm 1's regret is at most 10 m/T + 2 sqrt(8 m/(T - 4m) log(2 N T/m)); infinite for small T.

    For rare actions chosen with p-hat < 1/m-hat, two values each, T even (an odd round changes nothing). Of the steps of the
    proof, with delta = m/T (the paper prints "delta = m = m(q)/N") and L = log(2N/delta):

    1. Lemma 3, for T >= 48 m L; infinite before. Of it only m-hat <= 2m is used. That needs q-hat_i >= 1/(2m) for variables
       with q_i >= 1/m, where Lemma 1 holds (it fails for tiny q). N variables, delta/N each: it fails with delta.
    2. So there are at most m-hat <= 2m rare actions (with <= in the place of < there can be 2N), each played T/(4m) times or
       more, and all others are seen T/(4m) times or more. Rounded down, these are more than n = T/(4m) - 1 rounds.
    3. With epsilon = sqrt(2 L/n): rare actions and do(), by Hoeffding, are off by epsilon with delta at most.
    4. The 2N actions by what was seen, by Lemma 2, with 4 delta/N each: 8 delta. (The paper adds up N of them, to 6 delta in
       all.) The sum in the proof of Lemma 2 is about (n/L) delta/N, not 4 delta/N; but means of the first t rounds are a
       reversed martingale, and Doob's inequality gives 2 (delta/2N)^4, for all t >= n at once: so for both phases pooled too.
    5. Otherwise the action kept is worse by 2 epsilon at most. Regret is at most 1, so the failures add 10 delta. (The last
       step of the paper has log(N/delta) in the place of L: it prints 6 m/T + sqrt(32 (m/T) log(N T/m)).)
    """
    even = 2 * math.floor(rounds / 2)
    if even <= 4 * m or even < rounds_lemma_3(m, variables, m / even):
        return math.inf
    delta = m / even
    epsilon = math.sqrt(2 / (even / (4 * m) - 1) * math.log(2 * variables / delta))
    return 10 * delta + 2 * epsilon


def rounds_lemma_3(m: float, variables: int, delta: float) -> int:
    """Lemma 3: the number of rounds, half of them watching, after which 2m/3 <= m(q-hat) <= 2m with probability 1 - delta."""
    return math.ceil(48 * m * math.log(2 * variables / delta))


def regret_bound_general(m_eta: float, actions: int, rounds: float) -> float:
    """Theorem 3: Algorithm 2's regret is at most (2 sqrt(2) + 7) sqrt((m(eta)/T) log(2 T |A|)) + 1/T.

    With the paper's truncation B = sqrt(m(eta) T/L), L = log(2 T |A|). The steps of the proof, in units of sqrt(m(eta) L/T):

    1. Bernstein: but with 1/T all estimates are within epsilon = sqrt(2 m(eta) L/T) + 3 B L/T of their expectations. B puts
       sqrt(2) + 3 for that.
    2. Truncation makes an estimate too small, by m(eta)/B at most (Markov): 1 of these units.
    3. The action kept has an estimate at least as large as that of the best. Its own is too large by epsilon at most, that of
       the best too small by epsilon and the truncation: 2 (sqrt(2) + 3) + 1 = 2 sqrt(2) + 7.
    4. Otherwise, with 1/T, the regret is at most 1.

    The paper ends with sqrt(2) + 4, one epsilon instead of two. That is true as well, but not by these steps: Bernstein's
    inequality has B/3 where the proof has 3 B, and with it step 3 gives 2 sqrt(2) + 5/3.
    """
    unit = math.sqrt(m_eta / rounds * math.log(2 * rounds * actions))
    return (2 * math.sqrt(2) + 7) * unit + 1 / rounds


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
    """The least number of rounds for which Theorem 1 promises at most this regret, and its proof holds."""
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
