"""The compiled posterior of a regression, against the one in numpy that is checked against whole rows."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy.stats import kstest

from bestdo.learners.beliefs.column_design import Design
from bestdo.learners.beliefs.column_members import Members
from bestdo.learners.kernels import column_lanes
from learners.column_gain_oracle import gain
from learners.column_oracle import LanePosterior, Moments

DESIGNS = {
    "one cause": Design((2,)),
    "a pair": Design((2, 2), ((0, 1),)),
    "many values": Design((2, 7, 3), ((0, 1), (1, 2))),
    "twelve causes": Design.of((2,) * 12, [[(i, j) for j in range(12) for i in range(j)]]),
    "thirty causes": Design((2,) * 30),
    "forty values": Design((40,)),
    "settings": Design((3, 3, 2, 2, 2, 2), ((0, 1), (0, 2), (2, 3))),
}


def rows_of(design, number, rounds, seed):
    rng = np.random.default_rng(seed)
    codes = np.stack([rng.choice(k, rounds, p=rng.dirichlet(np.full(k, 2.0))) for k in design.sizes], axis=1)
    x = design.columns(codes.astype(np.int64))
    mean = x @ (rng.standard_normal(design.size) * rng.choice([0.6, 0.05, 0.0], design.size))
    y = 3 + mean + rng.standard_normal(rounds) if number else (rng.random(rounds) < 1 / (1 + np.exp(-mean))) * 1.0
    return x, y


def both(design, number, rounds, seed=0):
    """The compiled posterior and the one in numpy, of the same rounds."""
    x, y = rows_of(design, number, rounds, seed)
    members = Members(design, number, 0.5, 2.0)
    gram, xy, yy = x.T @ x, x.T @ y, float(y @ y)
    half = np.ascontiguousarray(gram[np.triu_indices(design.size)])
    return column_lanes.Posterior(members).told(half, xy, yy), LanePosterior(members, Moments(gram, xy, yy))


@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("name", ["twelve causes", "thirty causes", "forty values", "settings"])
@pytest.mark.parametrize("rounds", [40, 600])
def test_weights_means_and_covariances_of_large_designs(name, number, rounds):
    design = DESIGNS[name]
    mine, post = both(design, number, rounds)
    pairs = [(mine.none, post.none), (mine.base, post.base), (mine.variance, post.variance)]
    pairs += [(mine.arrays["normal"], post.normal), (mine.arrays["outlier"][post.slots], post.outlier)]
    pairs += [(mine.arrays["sets"], post.sets), (mine.arrays["effects"], post.mean)]
    for one, other in pairs:
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-11)
    sums = np.random.default_rng(1).standard_normal((5, design.size))
    found, wanted = mine.covariance_with(sums), post.covariance_with(sums.T).T
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-10 * np.abs(wanted).max())


@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("name", ["one cause", "a pair", "many values", "settings"])
@pytest.mark.parametrize("some", [False, True])
def test_draws(name, number, some):
    """40,000 draws of each have the same means, squares and cubes within 4.5 standard errors."""
    design, draws = DESIGNS[name], 40_000
    mine, post = both(design, number, 25, seed=3)
    one, other = (p.drawn(draws, np.random.default_rng(k), some) for k, p in enumerate((mine, post)))
    assert ((one == 0).all(axis=1).mean() == 0) == some
    for power in (1, 2, 3):
        gap = np.abs((one**power).mean(axis=0) - (other**power).mean(axis=0))
        error = np.sqrt(((one**power).var(axis=0) + (other**power).var(axis=0)) / draws)
        assert (gap <= 4.5 * error).all(), power
    turn = np.random.default_rng(2).standard_normal((design.size, design.size))
    gap = np.abs(((one @ turn) ** 2).mean(axis=0) - ((other @ turn) ** 2).mean(axis=0))
    error = np.sqrt((((one @ turn) ** 2).var(axis=0) + ((other @ turn) ** 2).var(axis=0)) / draws)
    assert (gap <= 4.5 * error).all()


def test_an_outlier_of_numbers_is_found_and_its_draws_have_the_spread_that_is_left():
    """One effect is twelve times those of 19 more causes: an outlier explains it, though the member without is hopeless.

    40,000 draws, 4.5 standard errors.
    """
    rng, design = np.random.default_rng(5), Design((2,) * 20)
    codes = rng.integers(0, 2, (150, 20))
    x = design.columns(codes)
    y = 6.0 * codes[:, 0] + 0.5 * (codes[:, 1:] * rng.choice([-1, 1], 19)).sum(axis=1) + rng.standard_normal(150)
    members, gram = Members(design, True, 0.5, 2.0), x.T @ x
    post = LanePosterior(members, Moments(gram, x.T @ y, float(y @ y)))
    assert post.outlier.sum() > 0.95
    mine = column_lanes.Posterior(members).told(gram[np.triu_indices(design.size)], x.T @ y, float(y @ y))
    np.testing.assert_allclose(
        mine.covariance_with(np.eye(design.size)), post.covariance_with(np.eye(design.size)), rtol=1e-7, atol=1e-9
    )
    one, other = (p.drawn(40_000, np.random.default_rng(k)) for k, p in enumerate((mine, post)))
    square, wanted = ((d - post.mean) ** 2 for d in (one, other))
    error = np.sqrt((square.var(axis=0) + wanted.var(axis=0)) / 40_000)
    assert (np.abs(square.mean(axis=0) - wanted.mean(axis=0)) <= 4.5 * error).all()


def expected_columns(design, rng):
    """Natural shares, and actions that set one cause each, as in a problem with independent causes."""
    natural = [rng.dirichlet(np.full(size, 2.0)) for size in design.sizes]
    actions = [natural]
    for k, size in enumerate(design.sizes):
        actions += [[*natural[:k], np.eye(size)[value], *natural[k + 1 :]] for value in range(size)]
    rows = []
    for shares in actions:
        main = np.concatenate([[1.0], *(s @ c for s, c in zip(shares, design.codings, strict=True))])
        rows.append(np.concatenate([main, design.products(main)]))
    return np.array(rows)


@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("name", ["a pair", "many values"])
def test_information_gain(name, number):
    """Means of 300 gains of each by 24 draws and 4 pairs, within 4.5 standard errors."""
    design, times = DESIGNS[name], 300
    x, y = rows_of(design, number, 40, seed=4)
    members, gram = Members(design, number, 0.5, 2.0), x.T @ x
    post = LanePosterior(members, Moments(gram, x.T @ y, float(y @ y)))
    expected = expected_columns(design, np.random.default_rng(6))
    rng = np.random.default_rng(7)
    wanted = np.array([gain(post, expected, 4, 24, rng) for _ in range(times)])
    found = np.empty((times, len(expected)))
    half = np.repeat(gram[np.triu_indices(design.size)][None], times, axis=0)
    two_valued = np.concatenate([[0], np.repeat([size == 2 for size in design.sizes], np.diff(design.start))])
    blocks = np.array([design.start[k : k + 2] for k, size in enumerate(design.sizes) if size > 2], np.int64)
    column_lanes.gains(
        members,
        half,
        np.repeat((x.T @ y)[None], times, axis=0),
        np.full(times, float(y @ y)),
        column_lanes.Columns(expected, np.zeros(0, np.int64)),
        np.zeros((times, 0, design.size)),
        np.arange(len(expected)),
        np.arange(len(expected)),
        two_valued.astype(np.uint8),
        blocks.reshape(-1, 2),
        np.ascontiguousarray(np.stack(design.of_pair, axis=1)),
        4,
        24,
        rng,
        found,
    )
    error = np.sqrt((found.var(axis=0) + wanted.var(axis=0)) / times)
    assert (np.abs(found.mean(axis=0) - wanted.mean(axis=0)) <= 4.5 * error).all()


def sums_of(design, number, rounds, seed):
    """The upper half of XᵀX, Xᵀy and yᵀy of drawn rounds."""
    x, y = rows_of(design, number, rounds, seed)
    return np.ascontiguousarray((x.T @ x)[np.triu_indices(design.size)]), x.T @ y, float(y @ y)


def test_a_posterior_that_is_kept_says_what_it_was_told_last():
    """Each thread has its own; told again what it knows, or something else, it says the same as a new one."""
    design = DESIGNS["settings"]
    members, others = Members(design, True, 0.5, 2.0), Members(design, False, 0.5, 2.0)
    one, other = (sums_of(design, True, 30, seed) for seed in (1, 2))
    kept = column_lanes.posterior_of(members)
    for told in (one, one, other, one):
        column_lanes.posterior_of(others).told(*other)
        new = column_lanes.Posterior(members).told(*told)
        assert column_lanes.posterior_of(members) is kept
        assert kept.told(*told).base == new.base
        for name in ("normal", "outlier", "gain", "sets", "effects"):
            np.testing.assert_array_equal(kept.arrays[name], new.arrays[name])
        each = np.eye(design.size)
        np.testing.assert_array_equal(kept.covariance_with(each), new.covariance_with(each))
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(column_lanes.posterior_of, members).result() is not kept


@pytest.mark.parametrize("number", [False, True])
def test_one_draw_in_each_lane(number):
    """20,000 lanes with the same rounds have draws with the means and squares of the numpy posterior, and its base."""
    design, lanes = DESIGNS["settings"], 20_000
    x, y = rows_of(design, number, 25, 3)
    members, gram = Members(design, number, 0.5, 2.0), x.T @ x
    post = LanePosterior(members, Moments(gram, x.T @ y, float(y @ y)))
    half, xy, yy = (np.repeat(np.atleast_1d(each)[None], lanes, axis=0) for each in sums_of(design, number, 25, 3))
    found = np.empty((lanes, design.size))
    base = column_lanes.draw_by_lane(members, half, xy, yy[:, 0].copy(), np.random.default_rng(0), found)
    np.testing.assert_allclose(base, post.base)
    wanted = post.drawn(lanes, np.random.default_rng(1))
    for power in (1, 2):
        error = np.sqrt(((found**power).var(axis=0) + (wanted**power).var(axis=0)) / lanes)
        assert (np.abs((found**power).mean(axis=0) - (wanted**power).mean(axis=0)) <= 4.5 * error).all()


def test_draws_of_a_normal_member_are_normal():
    """With 4,000 rounds one member is left: its draws, made independent by their covariance, fit the normal distribution."""
    design, rng = Design((2,) * 30), np.random.default_rng(0)
    x = design.columns(rng.integers(0, 2, (4_000, 30)))
    y = x @ rng.standard_normal(design.size) / 30 + 0.5 + 0.5 * rng.standard_normal(4_000)
    members, gram = Members(design, False, 0.5, 2.0), x.T @ x
    mine = column_lanes.Posterior(members).told(gram[np.triu_indices(design.size)], x.T @ y, float(y @ y))
    drawn = mine.drawn(20_000, rng)
    apart = (drawn - drawn.mean(axis=0)) @ np.linalg.cholesky(np.linalg.inv(np.cov(drawn.T)))
    assert kstest(apart.ravel(), "norm").pvalue > 1e-3
    assert np.abs(np.corrcoef(apart.T**2) - np.eye(design.size)).max() < 5 / np.sqrt(len(drawn))
