"""Numbers with heavy tails tell less about their spread; a mean that is too small goes with a spread that is too small."""

import numpy as np
import pytest

from bestdo.bandit.estimate import in_unit
from bestdo.learners.beliefs import families as members
from bestdo.learners.kernels import family_lanes
from bestdo.learners.registry import learner
from bestdo.research.figures.scaling_classes import scaling_classes
from bestdo.simulate import final


@pytest.mark.parametrize(
    ("name", "at_least"), [("number, 80 % zeros", 0.91), ("number, lognormal, spread twice the mean", 0.905)]
)
def test_intervals_of_skewed_numbers_hold_after_two_rounds_for_each_action(name, at_least):
    """240 lanes, sigma 1.2 %. 0.94 and 0.93; 0.85 and 0.89 where the spread was believed as if rewards were normal."""
    made, who = scaling_classes()[name], learner("causal-top-two")
    worlds = made.worlds(240, np.random.default_rng(1))
    state = final(worlds, who, 2 * len(made.problem.actions), 240, np.random.default_rng(2))
    _, low, high = in_unit(who.estimates(state), made.problem.actions)
    assert ((low <= worlds.means) & (worlds.means <= high)).mean() > at_least


def drawn(rewards, shape):
    """40,000 draws of the mean of all rounds (one in each row), and what is expected of it."""
    family = members.families([(shape, 1)], 0)
    told = np.concatenate([np.ones(len(rewards)), rewards, rewards**2])
    mean, draws = np.empty(len(rewards)), np.empty((40_000, len(rewards)))
    post = family_lanes.Posterior(family)
    post.update(told)
    post.mean_tables(True, mean)
    family_lanes.drawn_tables(family, told, np.random.default_rng(3), draws)
    return draws.mean(axis=1), mean.mean()


def test_draws_of_means_lean_to_where_rewards_have_their_tail():
    """64 rewards, one in each row: mostly zero, its mirror image, and even steps with neither tail. Sigma 1 to 2 %."""
    steps = np.random.default_rng(4).permutation(np.linspace(-1.7, 1.7, 64))
    rare = np.random.default_rng(5).permutation(np.where(np.arange(64) < 6, 3.0 + np.arange(64) / 3, 0.0))
    for rewards, leans in ((rare, 1), (10 - rare, -1), (steps, 0)):
        found, mean = drawn(rewards, (2,) * 6)
        assert found.mean() == pytest.approx(mean, abs=5 * found.std() / 200)
        low, high = mean - np.quantile(found, 0.025), np.quantile(found, 0.975) - mean
        if leans:
            assert (high / low) ** leans > 1.3
        else:
            assert high / low == pytest.approx(1, abs=0.1)
