"""Learners by name with parameters of one's own."""

import pytest

from bestdo import learner
from bestdo.errors import BestdoError
from bestdo.learners import LEARNERS


def test_parameters_by_keyword():
    assert learner("ucb", alpha=1).alpha == 1
    assert learner(learner("ucb", alpha=1.0), block=3) == learner("ucb", alpha=1.0, block=3)
    assert learner("ucb", alpha=2.0) == learner("ucb")


def test_every_preset_takes_its_own_parameters_again():
    for name in LEARNERS:
        made = learner(name)
        given = vars(made)
        assert not given or learner(name, **given) == made


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alpa": 1.0}, "alpha"),
        ({"alpha": "much"}, "the parameter alpha of UCB is a finite number, not 'much'"),
        ({"block": 1.5}, "the parameter block of UCB is a whole number"),
        ({"block": -1}, "the parameter block of UCB is a whole number"),
    ],
)
def test_wrong_parameters_are_named(given, message):
    with pytest.raises(BestdoError, match=message):
        learner("ucb", **given)


def test_a_learner_without_parameters_says_so():
    with pytest.raises(BestdoError, match="Uniform has no parameters"):
        learner("uniform", alpha=1.0)
