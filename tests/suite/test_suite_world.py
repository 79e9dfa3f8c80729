"""Worlds of the suite: what they must say."""

import pytest

from bestdo.errors import BestdoError
from bestdo.suite import SuiteWorld
from bestdo.suite.suite_worlds import WORLDS

GIVEN = ("one", 1, "parallel", lambda: None, (10, 20), "A world.", "nowhere")


def test_goal_and_measure_are_those_of_the_problem():
    assert (WORLDS["front-door"].goal, WORLDS["front-door"].measure) == ("find", "regret")
    assert (WORLDS["pomis-iv"].goal, WORLDS["pomis-iv"].measure) == ("earn", "summed regret")
    assert WORLDS["pomis-iv"].world is WORLDS["pomis-iv"].world


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (0, "One World", "named in lower case"),
        (2, "parallell", "parallel"),
        (4, (), "rising order"),
        (4, (20, 10), "rising order"),
        (4, (0, 10), "above 0"),
    ],
)
def test_what_makes_no_sense_is_said(place, value, said):
    given = [*GIVEN[:place], value, *GIVEN[place + 1 :]]
    with pytest.raises(BestdoError, match=said):
        SuiteWorld(*given)
