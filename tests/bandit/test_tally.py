"""Sums add, whichever arrays they happen to share."""

import numpy as np
import pytest

from bestdo.bandit.tally import Tally


def arrays(number):
    rng = np.random.default_rng(number)
    return [rng.integers(0, 9, (3, 4)) * 1.0 for _ in range(5)]


def kinds():
    n, w, w2, s, s2 = arrays(0)
    return {
        "zeros": Tally.zeros(3, 4),
        "something in one cell only": Tally.from_counts(*(np.eye(1, 12, 11).reshape(3, 4) * k for k in (2, 1))),
        "counts": Tally.from_counts(n, s),
        "every round a success": Tally.from_counts(n, n),
        "weights": Tally(n, w, w2, s, s2),
        "some could not be weighed": Tally(n, w, w, s, s),
        "squares of rewards of their own": Tally(w, w, w, s, s2),
        "numbers": Tally.from_counts(n, s, s2),
        "weighted numbers": Tally(n, w, w2, s, s2, w2 + s, w + s2),
        "all the same": Tally(w, w, w, w, w),
    }


@pytest.mark.parametrize("one", kinds())
@pytest.mark.parametrize("two", kinds())
def test_every_part_is_added(one, two):
    mine, theirs = kinds()[one], kinds()[two]
    for sums in (mine.plus(theirs), Tally.total([mine, theirs], 3, 4)):
        for part, a, b in zip(sums.sums, mine.sums, theirs.sums, strict=True):
            np.testing.assert_array_equal(part, a + b)


@pytest.mark.parametrize("one", kinds())
def test_every_part_of_a_lane_is_taken(one):
    which = np.array([2, 0])
    for part, whole in zip(kinds()[one].lanes(which).sums, kinds()[one].sums, strict=True):
        np.testing.assert_array_equal(part, whole[which])


def test_the_total_of_nothing_is_zero_and_counts_stay_counts():
    n, _, _, s, _ = arrays(1)
    assert not any(part.any() for part in Tally.total([], 3, 4).sums)
    assert Tally.total([], 3, 4).rounds.shape == (3, 4)
    one = Tally.from_counts(n, s)
    assert Tally.total([one], 3, 4) is one  # no pass over the arrays
    assert Tally.zeros(3, 4).plus(one) is one
    assert one.plus(one).is_counts
