"""What a rule is worth where contexts are counted by themselves: contexts and actions have effects in common."""

import numpy as np

from bestdo.learners.context_effects import with_common_effects


def independent(mean, error, seed=0):
    rng = np.random.default_rng(seed)
    seen = mean + error * rng.standard_normal(mean.shape)
    return seen + error * rng.standard_normal((1000, *mean.shape))


def chance_of_a_gain(drawn, common=True):
    """How often the rule of the best means is better than the best single action."""
    means = drawn.mean(axis=0)
    rule, single = means.argmax(axis=1), means.mean(axis=0).argmax()
    own = with_common_effects(drawn, np.ones(means.shape)) if common else drawn
    by_rule = own[:, np.arange(len(rule)), rule].mean(axis=1)
    return (by_rule > own[:, :, single].mean(axis=1)).mean()


def test_noise_alone_is_no_rule_and_a_large_difference_is_one():
    """Of 40 tables of noise at most 4 are said to be worth a rule with 0.8; by independent draws more than 20 are."""
    effects = np.array([0.5, 0.55, 0.45, 0.5]) + np.array([[0.0], [0.1], [-0.1], [0.05]])
    tables = [independent(effects, 0.1, seed) for seed in range(40)]
    assert sum(chance_of_a_gain(table) > 0.8 for table in tables) <= 4
    assert sum(chance_of_a_gain(table, common=False) > 0.8 for table in tables) > 20
    crossed = effects + 0.3 * np.array([[1, -1, 0, 0], [-1, 1, 0, 0], [1, -1, 0, 0], [-1, 1, 0, 0]])
    assert min(chance_of_a_gain(independent(crossed, 0.05, seed)) for seed in range(10)) > 0.95


def test_draws_keep_their_means_where_they_are_certain():
    rng = np.random.default_rng(0)
    mean = rng.random((3, 4))
    drawn = mean + 1e-4 * rng.standard_normal((1000, 3, 4))
    assert abs(with_common_effects(drawn, np.ones((3, 4))).mean(axis=0) - mean).max() < 1e-3
    many = rng.random((10, 400, 2))
    assert with_common_effects(many, np.ones((400, 2))) is many


def test_a_pair_without_any_success_and_without_a_prior():
    """As MABUC counts old data: 0 of 20 stays within 3 standard errors of 0, and leaves the other means between 0 and 1."""
    rng = np.random.default_rng(0)
    good, bad = np.array([[1e-9, 5.0], [3.0, 4.0]]), np.array([[20.0, 3.0], [3.0, 2.0]])
    found = with_common_effects(rng.beta(good, bad, (1000, 2, 2)), np.array([[20.0, 6], [4, 4]]), chances=True)
    assert abs(found[:, 0, 0].mean()) < 3 * (21 / 22**2 / 20) ** 0.5
    assert 0 < found.mean(axis=0).reshape(-1)[1:].min() < found.mean(axis=0).max() < 1


def test_before_the_first_round_draws_wider_than_chances_say_nothing():
    """As a regression draws them: no pair is worth a round. Warnings are errors here."""
    drawn = np.random.default_rng(0).normal(0.5, 3.0, (200, 2, 3))
    found = with_common_effects(drawn, np.zeros((2, 3)), chances=True)
    assert np.isfinite(found).all()
