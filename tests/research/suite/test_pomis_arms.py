"""POMIS × any learner: on the suite's worlds of Lee & Bareinboim all play settings of possibly-optimal sets only."""

import numpy as np
import pytest

from bestdo.causal.where import possibly_optimal_sets
from bestdo.errors import BestdoError
from bestdo.learners import LEARNERS, learner
from bestdo.research.suite.suite_worlds import WORLDS
from bestdo.simulate import final


@pytest.mark.parametrize("name", ["pomis-iv", "pomis-markovian", "pomis-xyzwst"])
def test_contenders_are_the_settings_of_possibly_optimal_sets(name):
    problem = WORLDS[name].make().problem
    sets = {frozenset(s) for s in possibly_optimal_sets(problem.graph)}
    assert problem.contenders.tolist() == [frozenset(action) in sets for action in problem.actions]
    assert 0 < problem.contenders.sum() < len(problem.actions)


def test_learners_play_nothing_else():
    """Those that earn, and do() where watching teaches; the ones that the world does not suit say so."""
    world, played = WORLDS["pomis-iv"].make(), 0
    for name, entry in LEARNERS.items():
        if "earn" in entry.goals:
            made = learner(name)
            try:
                state = final(world, made, 30, 2, np.random.default_rng(0))
            except BestdoError:
                continue
            counts = made.estimates(state).played
            others = ~world.problem.contenders & np.array([bool(action) for action in world.problem.actions])
            assert not counts[:, others].any(), name
            played += 1
    assert played >= 6
