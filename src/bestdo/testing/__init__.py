"""Contract tests for learners, worlds, statistics and samplers, also for those of other packages.

    from bestdo.simulate import parallel
    from bestdo.testing import check_learner, measured
    check_learner(MyLearner())
    check_learner(MyLearner(), measured(parallel([0.0, 0.1, 0.5])))  # with a number as the reward

Each raises an AssertionError that says what is wrong.
"""

from bestdo.testing.lane_tools import one_lane, relabelled
from bestdo.testing.learner_checks import check_learner
from bestdo.testing.world_checks import check_sampler, check_statistic, check_world, measured

__all__ = ["check_learner", "check_sampler", "check_statistic", "check_world", "measured", "one_lane", "relabelled"]
