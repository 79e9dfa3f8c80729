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
