"""Numbers far outside all others are found, and honest numbers of any shape are hardly ever questioned."""

import numpy as np
import pytest

from bestdo.evidence.far_numbers import Others, far_places

WIDE = np.sqrt(np.log(5))  # of logarithms: the spread of the numbers is twice their mean
HONEST = {
    "normal, far from 0": lambda rng, n: rng.normal(100, 10, n),
    "normal, around 0": lambda rng, n: rng.normal(0, 1, n),
    "lognormal, spread twice the mean": lambda rng, n: rng.lognormal(0, WIDE, n),
    "lognormal, spread half the mean": lambda rng, n: rng.lognormal(0, 0.47, n),
    "94 % zeros": lambda rng, n: (rng.random(n) < 0.06) * rng.lognormal(3, WIDE, n),
    "80 % zeros": lambda rng, n: (rng.random(n) < 0.2) * rng.lognormal(3, 0.8, n),
    "rare counts": lambda rng, n: rng.poisson(0.1, n).astype(float),
    "counts": lambda rng, n: rng.poisson(20, n).astype(float),
    "counts of many sizes": lambda rng, n: rng.poisson(rng.gamma(0.3, 10, n)).astype(float),
    "Student's t, 2 degrees of freedom": lambda rng, n: rng.standard_t(2, n),
    "eight actions, little noise": lambda rng, n: rng.normal(10, 2, 8)[rng.integers(8, size=n)] + rng.normal(0, 0.1, n),
}


@pytest.mark.parametrize("shape", HONEST)
def test_honest_numbers_are_questioned_less_than_once_in_a_thousand(shape):
    """150 studies of 100 rounds; the largest true rate, 0.5 in 1,000, is 2.7 sigma below the bound."""
    rng = np.random.default_rng(7)
    asked = tells = 0
    for _ in range(150):
        numbers = HONEST[shape](rng, 100)
        asked += sum(Others.of(numbers[:r]).has_far(numbers[r]) for r in range(8, 100))
        tells += 100
    assert asked / tells < 1e-3, asked


@pytest.mark.parametrize("factor", [10, 0.1, -1, 1000])
def test_a_slip_among_numbers_far_from_zero_is_seen(factor):
    rng = np.random.default_rng(1)
    seen = [Others.of(rng.normal(100, 5, 30)).has_far(factor * rng.normal(100, 5)) for _ in range(200)]
    assert np.mean(seen) > 0.99


@pytest.mark.parametrize(
    ("before", "number", "far"),
    [
        ([300.0, 250, 280, 260, 290, 240, 270], 12_000.0, False),  # seven are too few
        ([300.0, 250, 280, 260, 290, 240, 270, 255, 265], 12_000.0, True),
        ([5.0] * 50, 5000.0, False),  # nobody knows how far they reach
        ([0.0] * 50, 1.0, False),
        ([0.0] * 50 + [1.0] * 8, 1e6, True),
        ([10.0, 11, 12, 10, 9, 11, 13, 10, 12.5], 0.0, False),  # nothing may have happened
        ([10.0, 11, 12, 10, 9, 11, 13, 10, 12.5], 30.0, False),  # a strong effect
        ([], 3.0, False),
    ],
)
def test_what_is_far(before, number, far):
    assert Others.of(np.array(before)).has_far(number) is far
    assert Others.of(-np.array(before)).has_far(-number) is far


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (12_000.0, "40 times the largest so far (300 euro)"),
        (2.5, "and the smallest so far is 100 times as large (250 euro)"),
        (-270.0, "and no other so far is below 0"),
    ],
)
def test_the_question_in_words(number, words):
    assert Others.of(np.linspace(250, 300, 20)).in_words(number, "euro") == words


def test_a_table_counts_its_rows():
    """Cells that occur several times are as many rows: the same summary as of the rows."""
    rng = np.random.default_rng(2)
    numbers, times = rng.normal(size=30), rng.integers(1, 5, 30)
    cells, rows = Others.of(numbers, times.astype(float)), Others.of(np.repeat(numbers, times))
    assert (cells.reach, cells.different, cells.largest) == pytest.approx((rows.reach, rows.different, rows.largest))
    assert sorted(np.repeat(numbers, times))[times.sum() // 2 - 1] <= cells.median <= rows.median + 1e-12


def test_several_slips_of_a_table_do_not_hide_each_other():
    rng = np.random.default_rng(3)
    numbers = rng.normal(100, 10, 2000)
    slipped = np.array([3, 77, 500, 1500, 1999])
    numbers[slipped] *= [10, 100, 0.1, 10, 0.01]
    numbers[12] = np.nan
    assert far_places(numbers, np.ones(2000, np.int64)).tolist() == slipped.tolist()


@pytest.mark.parametrize("shape", HONEST)
def test_honest_tables_are_seldom_questioned(shape):
    """Of 200 tables with 500 rows at most 10: one number of a table may be far, as heavy tails have it."""
    rng = np.random.default_rng(4)
    asked = sum(far_places(HONEST[shape](rng, 500), np.ones(500, np.int64)).size > 0 for _ in range(200))
    assert asked <= 10
