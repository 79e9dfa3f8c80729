"""The theorems with their constants."""

import math

import pytest

from bestdo.design.bounds import (
    lower_bound,
    regret_bound_general,
    regret_bound_parallel,
    rounds_for_general,
    rounds_for_parallel,
    rounds_lemma_3,
)


def test_theorem_1_at_the_papers_setting():
    assert regret_bound_parallel(2, 50, 400) == pytest.approx(1.24, abs=0.005)


def test_theorem_1_by_hand():
    assert regret_bound_parallel(3, 10, 1000) == pytest.approx(0.018 + math.sqrt(0.096 * math.log(10_000 / 3)))


def test_theorem_3_by_hand():
    assert regret_bound_general(4, 101, 400) == pytest.approx(
        (math.sqrt(2) + 4) * math.sqrt(0.01 * math.log(800 * 101)) + 0.0025
    )


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
