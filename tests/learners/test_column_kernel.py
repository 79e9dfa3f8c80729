"""The compiled posterior of a regression on columns agrees with the one in numpy, which is checked against densities."""

from itertools import combinations

import numpy as np
import pytest

from bestdo.learners.beliefs.column_design import Design
from bestdo.learners.beliefs.column_members import Members
from bestdo.learners.kernels import column_lanes
from learners.column_oracle import LanePosterior, Moments


def posteriors(sizes, paired, number, rounds=60):
    """The posterior of random rounds, compiled and in numpy."""
    rng = np.random.default_rng([len(sizes), paired, number, rounds])
    design = Design.of(sizes, [list(combinations(range(len(sizes)), 2))] if paired else [])
    codes = np.stack([rng.integers(size, size=rounds) for size in sizes], axis=1)
    columns, mean = design.columns(codes), 0.4 + 0.2 * (codes[:, 0] == 1)
    y = 5 * mean + rng.standard_normal(rounds) if number else (rng.random(rounds) < mean).astype(float)
    members = Members(design, number, 0.5, 0.25)
    gram, xy, yy = columns.T @ columns, columns.T @ y, float(y @ y)
    ours = column_lanes.Posterior(members).told(gram[np.triu_indices(design.size)], xy, yy)
    return ours, LanePosterior(members, Moments(gram, xy, yy)), design


@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("sizes", [(2, 2, 2), (2, 3, 4), (5, 2, 2, 2), (2,)])
@pytest.mark.parametrize("rounds", [0, 1, 60])
def test_weights_means_and_covariances(sizes, paired, number, rounds):
    ours, oracle, design = posteriors(sizes, paired, number, rounds)
    assert ours.none == pytest.approx(oracle.none, abs=1e-10)
    np.testing.assert_allclose(ours.arrays["normal"], oracle.normal, atol=1e-10)
    np.testing.assert_allclose(ours.arrays["outlier"][oracle.slots], oracle.outlier, atol=1e-10)
    np.testing.assert_allclose(ours.arrays["sets"], oracle.sets, atol=1e-10)
    np.testing.assert_allclose(ours.arrays["effects"], oracle.mean, atol=1e-10)
    sums = np.random.default_rng(0).standard_normal((3, design.size))
    np.testing.assert_allclose(ours.covariance_with(sums), oracle.covariance_with(sums.T).T, atol=1e-9)
