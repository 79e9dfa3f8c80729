"""The figure of graphs in doubt: its worlds are as it says, and the alarm makes way for plays."""

import numpy as np
import pytest

from bestdo.experiments import experiment
from bestdo.research.figures.doubt import AVERAGED, NONE, TRUE, WRONG, doubtful_world, measure


@pytest.mark.parametrize("i", [0, 1, 7])
def test_half_of_the_doubtful_arrows_are_there(i):
    world, true, wrong = doubtful_world(i)
    doubts = world.problem.doubts
    assert 6 <= len(true.names) <= 10
    assert 2 <= len(doubts.arrows) <= 6
    there = [doubt.a in true.parents[doubt.b] for doubt in doubts.arrows]
    assert sum(there) * 2 == len(there)
    assert [doubt.a in wrong.parents[doubt.b] for doubt in doubts.arrows] == [not one for one in there]
    assert world.model.graph == true


def test_every_learner_plays_every_world_with_its_own_problem():
    whole = experiment("doubt")
    played = {label: [s for s in whole.settings if label not in s.left_out] for label in whole.learners}
    assert {label: len(found) for label, found in played.items()} == dict.fromkeys(whole.learners, 100)
    assert all(s.world.problem.doubts is not None for s in played[AVERAGED])
    assert all(s.world.problem.graph == s.world.model.graph for s in played[TRUE])
    assert all(s.world.problem.contenders.all() for s in played[NONE])
    assert all(s.world.mistaken for s in played[WRONG])


def test_a_study_with_a_wrong_graph_ends_with_the_alarm_and_an_action():
    whole = experiment("doubt")
    setting = next(s for s in whole.settings if WRONG not in s.left_out and s.x == 2)
    found = measure(setting.world, whole.learners[WRONG], setting.horizon, 3, np.random.default_rng(0))
    assert found["regret"].shape == (3,)
    assert (found["regret"] >= 0).all()
