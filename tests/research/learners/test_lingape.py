"""LinGapE: its regression and stopping by hand, how often it is wrong when it stops, and what it refuses."""

import math

import numpy as np
import pytest

from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid
from bestdo.research.learners.lingape import LinGapE
from bestdo.simulate import confounded, final, paper_parallel

WORLD = confounded([0.1, 0.4], [0.3, 0.7])


def test_means_and_stopping_are_those_of_the_regression_on_all_states():
    """In the coordinates of all states, where the library has fewer columns; 30 random sums, some of which end it."""
    table, rng, stopped = WORLD.problem.law.flat, np.random.default_rng(0), 0
    actions, states = table.shape
    for k in range(30):
        n = rng.integers(1, 40, size=(1, actions)).astype(float) * (400 if k % 2 else 1)
        s = np.floor(n * rng.random((1, actions)))
        made = LinGapE(within=0.3)
        state = made.start(WORLD.problem, 1e6, 1, np.random.default_rng(0))
        state = made.tell(state, Plan(n.astype(np.int64)), Tally.from_counts(n, s))
        design = np.eye(states) + (table.T * n) @ table
        theta = np.linalg.solve(design, table.T @ (s - n / 2)[0])
        mean = 0.5 + table @ theta
        assert made.estimates(state).mean[0] == pytest.approx(mean, abs=1e-8)
        width = 0.5 * math.sqrt(2 * math.log(math.sqrt(np.linalg.det(design)) / 0.05)) + math.sqrt(states) / 2
        can = np.flatnonzero(WORLD.problem.contenders)
        best = can[mean[can].argmax()]
        gaps = []
        for j in can[can != best]:
            y = table[best] - table[j]
            gaps.append(mean[j] - mean[best] + width * math.sqrt(y @ np.linalg.solve(design, y)))
        assert made.sure(state)[0] == (max(gaps) <= 0.3)
        stopped += max(gaps) <= 0.3
    assert 3 < stopped < 27


def test_it_stops_before_the_budget_and_is_hardly_ever_wrong():
    """With probability 0.95 the action kept is within ε; 30 lanes, all stop."""
    made = LinGapE(within=0.3)
    state = final(WORLD, made, 4000, 30, np.random.default_rng(0))
    assert made.sure(state).all()
    assert (state.played.sum(axis=1) < 4000).all()
    lost = WORLD.means.max() - WORLD.means[made.best(state)]
    assert (lost <= 0.3).mean() >= 0.9


def test_it_refuses_what_cannot_be_listed():
    with pytest.raises(NotValid, match="LinGapE needs to list all states"):
        LinGapE().start(paper_parallel(50, 2, 0.3).problem, 400, 1, np.random.default_rng(0))
