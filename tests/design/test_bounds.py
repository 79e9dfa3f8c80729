"""The theorems with their constants."""

import math

import numpy as np
import pytest

from bestdo import learner
from bestdo.design.bounds import (
    lower_bound,
    regret_bound_general,
    regret_bound_parallel,
    rounds_for_general,
    rounds_for_parallel,
    rounds_lemma_3,
)
from bestdo.design.difficulty import difficulty_of_variables
from bestdo.simulate import parallel
from bestdo.simulate.driver import final

GRID = [(m, n, t) for m in (2, 3, 7, 20) for n in (20, 50, 400) for t in (3_000, 30_000, 300_001, 10**7)]
"""m, the number of variables, and rounds."""


def steps_of_theorem_1(m, variables, rounds):
    """What each event of the proof of Theorem 1 adds to the regret; nothing where Lemma 3 does not hold.

    Chances of failure are worked out from the inequalities, and every number of rounds is rounded down.
    """
    half = rounds // 2
    delta = m / (2 * half)
    log = math.log(2 * variables / delta)
    q = 1 / m  # the least q of the variables that must be seen often: the hardest for Chernoff's bound
    off = math.sqrt(6 * q * log / (2 * half))
    if q - off < 1 / (2 * m) or rounds < 48 * m * log:
        return ()
    lemma_3 = variables * 2 * math.exp(-half * off**2 / (3 * q))  # Chernoff, every variable
    least = half // (2 * m)  # plays of each of 2m rare actions, or rounds in which an action was seen
    epsilon = math.sqrt(2 / least * log)
    rare = (2 * variables + 1) * 2 * math.exp(-2 * least * epsilon**2)  # Hoeffding, every action
    seen = 2 * variables * 4 * (delta / variables)  # Lemma 2, every action but do()
    return lemma_3, rare, seen, epsilon, epsilon  # regret is at most 1 where something fails


def steps_of_theorem_3(m_eta, actions, rounds):
    """What each step of the proof of Theorem 3 adds to the regret."""
    log = math.log(2 * rounds * actions)
    truncation = math.sqrt(m_eta * rounds / log)
    epsilon = math.sqrt(2 * m_eta / rounds * log) + 3 * truncation / rounds * log
    bias = m_eta / truncation  # Markov
    tail = epsilon**2 * rounds / (2 * (m_eta + truncation * epsilon / 3))  # Bernstein's exponent
    failed = actions * 2 * math.exp(-tail)
    assert failed <= 1 / rounds * (1 + 1e-9)
    return epsilon, epsilon, bias, 1 / rounds


@pytest.mark.parametrize(("m", "variables", "rounds"), GRID)
def test_theorem_1_is_not_below_the_sum_of_its_events(m, variables, rounds):
    steps = steps_of_theorem_1(m, variables, rounds)
    bound = regret_bound_parallel(m, variables, rounds)
    if not steps:
        assert bound == math.inf
        return
    assert sum(steps) <= bound < sum(steps) * 1.1  # Hoeffding's chance is far below the delta that the proof gives it


@pytest.mark.parametrize(("m_eta", "actions", "rounds"), [(m + 0.3, 2 * n + 1, t) for m, n, t in GRID])
def test_theorem_3_is_the_sum_of_its_steps(m_eta, actions, rounds):
    assert regret_bound_general(m_eta, actions, rounds) == pytest.approx(
        sum(steps_of_theorem_3(m_eta, actions, rounds))
    )


def test_theorem_1_says_nothing_where_its_proof_does_not_hold():
    assert regret_bound_parallel(2, 50, 400) == math.inf
    first = rounds_for_parallel(2, 50, 1.0)
    assert first >= rounds_lemma_3(2, 50, 2 / first)
    assert regret_bound_parallel(2, 50, first - 1) == math.inf


def test_theorem_1_by_hand():
    assert regret_bound_parallel(2, 3, 3000) == pytest.approx(20 / 3000 + 2 * math.sqrt(2 / 374 * math.log(9000)))


def test_theorem_3_by_hand():
    assert regret_bound_general(4, 101, 400) == pytest.approx(
        (2 * math.sqrt(2) + 7) * math.sqrt(0.01 * math.log(800 * 101)) + 0.0025
    )


def test_the_events_of_theorem_1_hold_in_simulations():
    """Algorithm 1 in a world with common, rare and never seen values: every mean within epsilon, and m-hat at most 2m.

    1,000 lanes at seed 0, T just enough for Lemma 3. The proof allows 10 delta = 10 m/T of the lanes to fail, 2 %;
    the inequalities are loose, and none does.
    """
    q = [0.0, 0.0, 0.02, 0.3, 0.5, 0.5]
    world, made, m = parallel(q, epsilon=0.3), learner("algorithm-1"), int(difficulty_of_variables(q))
    rounds = rounds_for_parallel(m, 6, 1.0)
    least = rounds // 2 // (2 * m)
    epsilon = math.sqrt(2 / least * math.log(2 * 6 * rounds / m))
    contenders = world.problem.contenders
    state = final(world, made, rounds, 1000, np.random.default_rng(0))
    off = np.abs(made.estimates(state).mean - world.means)[:, contenders]
    assert (off <= epsilon).all()
    assert (state.rare.sum(axis=1) <= 2 * m).all()
    assert (state.counts.tally.weight[:, contenders] >= least).all()


def test_theorem_2_with_its_constant_put_right():
    assert lower_bound(5, 1000) == 0  # vacuous
    assert lower_bound(6, 1000) > 0
    m, rounds = 20, 10_000
    epsilon = math.sqrt(m / (6 * (2 + 20 / 19) * rounds))
    assert lower_bound(m, rounds) == pytest.approx((1 / (2 * math.e) - 1 / 20) * epsilon / 2)
    assert lower_bound(50, 1) == pytest.approx((1 / (2 * math.e) - 1 / 50) / 8)  # epsilon is at most 1/4


def test_no_learner_beats_what_no_learner_can_beat():
    for m in (6, 20, 50):
        for rounds in (100, 1000, 100_000):
            assert lower_bound(m, rounds) < regret_bound_parallel(m, 50, rounds)


def test_rounds_are_the_least_that_suffice():
    for target in (0.5, 0.1, 0.01):
        rounds = rounds_for_parallel(2, 50, target)
        assert regret_bound_parallel(2, 50, rounds) <= target < regret_bound_parallel(2, 50, rounds - 1)
        rounds = rounds_for_general(4.0, 101, target)
        assert regret_bound_general(4.0, 101, rounds) <= target < regret_bound_general(4.0, 101, rounds - 1)


def test_no_regret_at_all_is_not_for_sale():
    with pytest.raises(ValueError, match="above 0"):
        rounds_for_parallel(2, 50, 0)


def test_lemma_3():
    assert rounds_lemma_3(2, 50, 0.1) == math.ceil(96 * math.log(1000))
