"""NPTS: means drawn by weighing the rewards seen."""

import numpy as np
import pytest

from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.model import Model
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.research.learners.npts import NPTS, drawn_means
from bestdo.simulate import World, arms, play
from bestdo.testing import measured

LANES = 40_000


def zeros(world):
    """A world whose rewards are mostly 0, with the means 0.7 to 1.5."""
    world = measured(world)
    (name, outcome), tables = next(iter(world.model.numbers.items())), world.model.tables
    outcome = Outcome(outcome.mean + 1.1, np.full(outcome.mean.shape, 2.0), "zeros")
    return World(world.problem, Model(world.model.graph, tables, {name: outcome}))


def told(problem, blocks):
    """The state of many equal lanes after blocks of (action, rewards)."""
    rng = np.random.default_rng(1)
    state = NPTS().start(problem, 100, LANES, rng)
    for action, rewards in blocks:
        here = (np.arange(len(problem.actions)) == action).astype(np.float64)
        n, s, q = (np.tile(here * sum(r**k for r in rewards), (LANES, 1)) for k in range(3))
        state = NPTS().tell(state, Plan(n.astype(np.int64)), Tally.from_counts(n, s, q))
    return state


def test_with_two_values_it_is_thompson_sampling_with_beta_posteriors():
    """Mean and variance of Beta(1 + 2, 3) within 4 sigma of 40,000 draws; an action not played draws the bound, 1."""
    problem = arms([0.5, 0.5]).problem
    drawn = drawn_means(told(problem, [(0, [r]) for r in (1, 0, 0, 1, 0)]), np.random.default_rng(2))
    mean, variance = 3 / 6, 3 * 3 / (6**2 * 7)
    assert abs(drawn[:, 0].mean() - mean) < 4 * (variance / LANES) ** 0.5
    assert abs(drawn[:, 0].var() / variance - 1) < 4 * (2 / LANES) ** 0.5
    assert (drawn[:, 1] == 1).all()


@pytest.mark.parametrize(("number", "top"), [(Number(), 0.7), (Number(0, 1), 1.0)])
def test_means_are_those_of_dirichlet_weights(number, top):
    """Rewards -0.2, 0.7 and 0.1: mean and variance of Σ w x, w ~ Dirichlet(1, 1, 1, 1) with the largest reward as the fourth.

    Within 4 sigma; told one at a time, or two of them by their sums.
    """
    problem = measured(arms([0.5, 0.5]), number).problem
    values = np.array([-0.2, 0.7, 0.1, top])
    mean, variance = values.mean(), values.var() / 5
    for blocks in ([(0, [-0.2]), (0, [0.7]), (0, [0.1])], [(0, [0.7, -0.2]), (0, [0.1])]):
        drawn = drawn_means(told(problem, blocks), np.random.default_rng(3))[:, 0]
        assert abs(drawn.mean() - mean) < 4 * (variance / LANES) ** 0.5
        assert abs(drawn.var() / variance - 1) < 4 * (2 / LANES) ** 0.5


def test_it_finds_the_best_of_skewed_numbers():
    """200 rounds in which most rewards are 0: the regret is less than a quarter of that of an action at random."""
    world = zeros(arms([0.1, 0.5, 0.4, 0.9]))
    regret = play(world, NPTS(), 200, 100, seed=4)
    assert regret.mean() < (world.gains.max() - world.gains.mean()) / 4
