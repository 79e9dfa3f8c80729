"""The probability of being best: by quadrature, against draws."""

import numpy as np
import pytest

from bestdo.learners.families.bernoulli import wilson


@pytest.mark.parametrize("rounds", [20.0, 400.0, 10_000.0])
def test_against_draws_from_the_posterior(rounds):
    n = np.full((1, 6), rounds)
    s = np.round(n * [[0.3, 0.5, 0.52, 0.5, 0.56, 0.55]])
    drawn = np.random.default_rng(0).beta(0.5 + s, 0.5 + n - s, size=(100_000, 6)).argmax(axis=1)
    share = np.bincount(drawn, minlength=6) / 100_000
    found = wilson(n, s, n).p_best[0]
    assert found.sum() == pytest.approx(1)
    assert np.abs(found - share).max() < 0.03  # Wilson's interval is not the posterior's; the draws err by 0.0016
    assert np.abs(found[::-1] - share).max() > 0.03  # and the check can fail


def test_where_nothing_is_known_all_are_equally_likely():
    n = np.zeros((2, 101))
    assert wilson(n, n, n).p_best == pytest.approx(np.full((2, 101), 1 / 101))
