"""Random tables of a family: which parents matter, how much, and base rates."""

import numpy as np
import pytest

from bestdo.errors import TooLarge
from bestdo.learners.beliefs.families import ALL, EFFECTS, SIZES
from bestdo.simulate.family_tables import drawn_given, drawn_tables, family


def mattering(table):  # float[*parents, values] -> bool[parents]
    """Which parents matter: the table differs along their axes."""
    return np.array([np.ptp(table, axis=i).max() > 1e-9 for i in range(table.ndim - 1)])


def test_parents_matter_as_often_as_the_belief_says():
    """4 sigma, 4,000 tables of a variable with four parents."""
    tables = drawn_tables((2, 3, 2, 2), 2, 4000, np.random.default_rng(0))
    number = np.array([mattering(t).sum() for t in tables])
    share = np.bincount(number, minlength=5) / 4000
    expected = np.array([*SIZES, 0.0, 1 - sum(SIZES)])
    assert np.all(np.abs(share - expected) <= 4 * np.sqrt(expected * (1 - expected) / 4000))
    assert np.allclose(tables.sum(axis=-1), 1)
    for i in range(4):  # of single parents each as often as the others
        alone = np.mean([mattering(t)[i] for t in tables[number == 1]])
        assert abs(alone - 0.25) < 4 * np.sqrt(0.25 * 0.75 / (number == 1).sum())


def test_few_and_all():
    """Rows drawn near 0 or 1 may be equal by rounding, so a few tables seem to have fewer parents that matter."""
    rng = np.random.default_rng(1)
    few = np.array([mattering(t).sum() for t in drawn_tables((2, 2, 2, 3), 2, 300, rng, "few")])
    assert few.max() == 2
    assert (few > 0).mean() > 0.97
    assert np.mean([mattering(t).all() for t in drawn_tables((2, 2, 2, 3), 2, 300, rng, "all")]) > 0.97


def test_effects_have_the_spread_of_the_belief_and_base_rates_are_anything():
    """4 sigma: differences of log odds along a parent, of tables in which each parent adds its own effect."""
    tables = drawn_tables((2, 2, 2), 2, 6000, np.random.default_rng(2), "all")[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):  # rows of 0 and 1
        odds = np.log(tables) - np.log1p(-tables)
        effect = odds[:, 1] - odds[:, 0]  # float[L, 2, 2]
        same = np.ptp(effect.reshape(len(effect), -1), axis=1) < 1e-6  # main effects: the same in all rows
    chance = (1 - sum(SIZES) - ALL) / (1 - sum(SIZES))
    assert abs(same.mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / 6000)
    drawn = effect[same, 0, 0]
    variance = 2 * np.mean(np.square(EFFECTS))
    assert abs((drawn**2).mean() - variance) < 4 * (drawn**2).std() / np.sqrt(len(drawn))
    whole = drawn_tables((2,), 2, 6000, np.random.default_rng(3))[..., 1].mean(axis=1)
    for low in (0.0, 0.9):  # base rates near 0 and 1 are as common as others
        assert 0.05 < ((low <= whole) & (whole < low + 0.1)).mean() < 0.25


@pytest.mark.parametrize("causes", ["few", "all"])
def test_draws_given_counts_keep_to_the_causes(causes):
    counts = np.random.default_rng(0).integers(0, 4, size=(1, 2 * 2 * 3 * 2)).astype(float)
    found = drawn_given(family((2, 2, 3), 2, causes), counts, 200, np.random.default_rng(1))
    number = {int(mattering(t).sum()) for t in found.reshape(200, 2, 2, 3, 2)}
    assert number <= {1, 2} if causes == "few" else number == {3}
    each = drawn_given(family((2, 2, 3), 2, causes), np.repeat(counts, 3, axis=0), 3, np.random.default_rng(1))
    assert np.allclose(each.reshape(3, -1, 2).sum(axis=2), 1)


def test_tables_that_take_too_long_are_refused():
    with pytest.raises(TooLarge, match="a variable with 18 causes"):
        family((2,) * 18, 2)
