import math

import numpy as np
import pytest

from bestdo.learners.algorithm_1 import ParallelBandit
from bestdo.research.figures.old_data import After, experiment, measure, rounds_needed
from bestdo.simulate import paper_parallel
from bestdo.testing import check_learner


def test_a_learner_after_old_rounds_is_a_learner():
    check_learner(After(ParallelBandit()))


def test_old_rounds_lower_the_regret_of_the_same_number_of_rounds():
    # 2,000 lanes: the difference is 0.21 with a standard error of 0.003; without telling them it is 0 within 4 sigma
    world, rng = paper_parallel(10, 2, 0.3), np.random.default_rng(0)
    plain, told, none = (
        measure(world, learner, 16, 2000, rng)["regret"]
        for learner in (ParallelBandit(), After(ParallelBandit()), After(ParallelBandit(), 0))
    )
    error = math.hypot(plain.std(), told.std()) / math.sqrt(2000)
    assert plain.mean() - told.mean() > 10 * error
    assert abs(plain.mean() - none.mean()) < 4 * error


def row(horizon, regret, learner="a", error=0.0):
    return {"x": 2, "learner": learner, "horizon": horizon, "regret": regret, "regret_error": error}


def test_rounds_needed_are_where_the_regret_falls_to_the_goal_for_good():
    found = rounds_needed([row(10, 0.2), row(20, 0.04), row(40, 0.1), row(80, 0.0)])
    assert found[0]["rounds_needed"] == pytest.approx(40 * 2**0.5)  # half of the way in log T
    assert rounds_needed([row(10, 0.01)])[0]["rounds_needed"] == 10
    assert math.isnan(rounds_needed([row(10, 0.3)])[0]["rounds_needed"])
    (one,) = rounds_needed([row(10, 0.15, error=0.05), row(100, 0.0)])
    assert one["rounds_error"] > 0


def test_the_figure_compares_each_learner_with_itself():
    whole = experiment()
    assert {s.x for s in whole.settings} == {2, 10, 20}
    assert [isinstance(learner, After) for learner in whole.learners.values()] == [False, True] * 2
