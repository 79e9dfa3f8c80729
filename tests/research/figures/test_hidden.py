"""The experiment with hidden causes: what it shows, in small."""

from dataclasses import replace

import numpy as np
import pytest

from bestdo.errors import NotValid
from bestdo.learners import learner
from bestdo.research.figures.hidden import NothingHidden, experiment
from bestdo.research.worlds.confounded_worlds import bow, front_door, instrument, napkin
from bestdo.simulate import play
from bestdo.testing import check_learner

LANES = 300


@pytest.mark.parametrize("world", [bow, instrument, front_door, napkin])
def test_algorithm_1_refuses_such_graphs_and_is_fooled_when_told_another(world):
    made = world()
    with pytest.raises(NotValid, match="seeing to be as good as doing"):
        play(made, "algorithm-1", 400, 1, seed=0)
    wrong = play(made, NothingHidden(learner("algorithm-1")), 800, LANES, seed=0)
    right = play(made, "watch-then-act", 800, LANES, seed=0)
    # its regret is a tenth, and far more than 5 sigma lower
    assert right.mean() < wrong.mean() / 10
    assert wrong.mean() - right.mean() > 5 * np.sqrt((wrong.var() + right.var()) / LANES)


def test_a_learner_with_a_wrong_graph_is_a_learner():
    world = front_door()
    check_learner(
        NothingHidden(learner("algorithm-1")), replace(world, problem=replace(world.problem, all_compete=True))
    )


def test_every_graph_has_a_panel():
    assert len({s.panel for s in experiment().settings}) == 4
