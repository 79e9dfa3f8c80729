"""95 % intervals at fixed designs: how often they hold the truth, over all actions."""

import numpy as np
import pytest

from bestdo.learners.fixed import Uniform
from bestdo.learners.general import GeneralAlgorithm
from bestdo.learners.parallel import ParallelBandit
from bestdo.simulate import confounded, final, parallel

LANES = 2000


def coverage(world, learner, horizon):
    found = learner.estimates(final(world, learner, horizon, LANES, np.random.default_rng(0)))
    return ((found.low <= world.means) & (world.means <= found.high)).mean()


@pytest.mark.parametrize("horizon", [4, 10, 20, 100])
@pytest.mark.parametrize("estimator", ["self-normalised", "plug-in", "importance"])
def test_algorithm_2_on_the_confounded_graph(horizon, estimator):
    world = confounded([0.1, 0.1, 0.4, 0.4, 0.4], [0.3, 0.3, 0.7, 0.7, 0.7])
    assert coverage(world, GeneralAlgorithm(estimator=estimator), horizon) > 0.9


@pytest.mark.parametrize("horizon", [4, 10, 20, 100])
@pytest.mark.parametrize("learner", [GeneralAlgorithm(), ParallelBandit(), Uniform()], ids=["two", "one", "uniform"])
def test_on_the_parallel_graph(horizon, learner):
    assert coverage(parallel([0.0, 0.1, 0.5, 0.4]), learner, horizon) > 0.9


def test_where_nothing_is_known_everything_is_possible():
    world = parallel([0.0, 0.5])
    eta = tuple(float(not a) for a in world.problem.actions)  # watching only: X1 = 1 never happens
    for estimator in ("importance", "self-normalised"):
        learner = GeneralAlgorithm(eta=eta, estimator=estimator)
        found = learner.estimates(final(world, learner, 50, 3, np.random.default_rng(0)))
        best = world.problem.actions.index("do(X1=1)")
        assert np.isnan(found.mean[:, best]).all()
        assert (found.low[:, best] == 0).all()
        assert (found.high[:, best] == 1).all()
