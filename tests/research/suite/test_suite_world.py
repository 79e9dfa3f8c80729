"""Worlds of the suite: what they must say."""

import pytest

from bestdo.errors import BestdoError
from bestdo.research.suite import SuiteWorld
from bestdo.research.suite.suite_worlds import WORLDS

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


def test_worlds_whose_package_is_missing_are_left_out_and_named(monkeypatch, capsys):
    from importlib import util

    from bestdo.research.suite.suite import chosen_worlds, left_out, suite_run

    assert not left_out((), ())
    found = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name, *more: None if name == "pgmpy" else found(name, *more))
    missing = [world.name for world in WORLDS.values() if world.needs]
    assert [world.name for world in chosen_worlds((), ())] == [name for name in WORLDS if name not in missing]
    assert left_out((), ()) == f"{len(missing)} worlds left out: pip install pgmpy"
    assert not left_out((), ["costs"])
    assert [world.name for world in chosen_worlds(["asia-1"], ())] == [
        "asia-1"
    ]  # who names it is told why it cannot be played
    with pytest.raises(BestdoError, match="left out: pip install pgmpy"):
        chosen_worlds((), ["real network"])
    suite_run("uniform", kinds="delays", progress=False)
    assert capsys.readouterr().err == "1 world left out: pip install pgmpy\n"
