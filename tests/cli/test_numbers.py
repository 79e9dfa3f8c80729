"""The commands on an example with a reward that is a number, a cut cause and a grid."""

import json
import math
from pathlib import Path

import pytest

from bestdo.cli.options import TypedReward
from bestdo.errors import BestdoError
from support import bestdo

HARVEST = Path(__file__).parents[2] / "examples" / "harvest.toml"
GOAL = "Which action makes harvest largest on average?"


@pytest.fixture
def run(tmp_path):
    (tmp_path / "harvest.toml").write_text(HARVEST.read_text(encoding="utf-8"))

    def once(*arguments, code=0):
        done = bestdo(*map(str, arguments), cwd=tmp_path)
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr

    return once


def test_check_says_aim_unit_bounds_cuts_and_grids(run):
    said = run("check", "harvest.toml")
    assert said.startswith(GOAL)
    for words in (
        "a number in t/ha from 0 to 14",
        "dry, wet (cut at 18 %)",
        "The aim is to maximise the mean of harvest, in t/ha",
        "fertiliser is tried at 5 numbers only",
    ):
        assert words in " ".join(said.split())
    found = json.loads(run("check", "harvest.toml", "-f", "json"))
    assert found["aim"] == "maximise"
    assert found["variables"][3]["number"] == {"low": 0.0, "high": 14.0, "spread": None}
    assert found["variables"][2]["cut"] == [18.0]


def test_a_study(run, tmp_path):
    run("new", "harvest.toml", "--rounds", 20, "--learner", "top-two")
    assert "harvest is a number in t/ha from 0 to 14" in run("ask")
    run("tell", 1, "harvest=7,25", "moisture=20.5")
    best = json.loads(run("best", "-f", "json"))
    assert (best["reward"], best["unit"], best["aim"]) == ("harvest", "t/ha", "maximise")
    assert math.isclose(max(each["mean"] or 0 for each in best["actions"] if each["played"]), 7.25)
    (tmp_path / "old.csv").write_text(
        "fertiliser;sowing;moisture;harvest\n" + "60;early;19,5;6,5\n90;late;25;7\n30;late;3;4\n" * 4
    )
    assert "12 rows" in run("observe", "old.csv")
    run("recut", "moisture", -20)
    assert "recut: moisture at -20" in run("history")
    assert "mean (t/ha)" in run("best")
    run("export", "-o", "harvest.csv")
    assert ",20.5,7.25," in (tmp_path / "harvest.csv").read_text()


def test_a_plan_on_paper(run, tmp_path):
    run("design", "harvest.toml", "--rounds", 24, "-o", "plan.csv")
    lines = (tmp_path / "plan.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[0].endswith(",moisture,harvest")
    filled = [line[: -len(",")] + f"{'20' if i % 2 else '12'},{5 + i % 4}.5" for i, line in enumerate(lines[1:])]
    (tmp_path / "plan.csv").write_text("\n".join([lines[0], *filled]))
    found = json.loads(run("estimate", "harvest.toml", "plan.csv", "-f", "json"))
    assert found["unit"] == "t/ha"
    assert 5.5 <= found["mean"] <= 8.5


def test_aim_and_worth_are_asked_for_and_given(run, tmp_path):
    text = HARVEST.read_text(encoding="utf-8").replace('aim = "maximise"\n', "")
    (tmp_path / "aimless.toml").write_text(text)
    assert "say --aim maximise or --aim minimise" in run("check", "aimless.toml", code=1)
    assert run("check", "aimless.toml", "--aim", "minimise").startswith("Which action makes harvest smallest")
    (tmp_path / "pain.dot").write_text('digraph { dose -> pain; pain [values="NO,MILD,SEVERE"]; }')
    options = ["--reward", "pain", "--worth", "NO=0", "--worth", "MILD=-1", "--worth", "SEVERE=-4"]
    assert run("check", "pain.dot", *options).startswith("Which action makes the worth of pain largest")
    assert "both a success" in run("check", "pain.dot", *options, "--success", "NO", code=1)


@pytest.mark.parametrize(
    ("worth", "message"),
    [
        (("NO=1", "NO=3"), "is said twice"),
        (("NO",), "VALUE=NUMBER"),
        (("=3",), "VALUE=NUMBER"),
        (("NO=nan",), "a number"),
    ],
)
def test_a_wrong_worth(worth, message):
    with pytest.raises(BestdoError, match=message):
        _ = TypedReward("pain", None, worth, None).said


def test_a_worth_with_odd_values():
    assert TypedReward("pain", None, ("a=b=-1,5", "c=2"), "minimise").said.worth == {"a=b": -1.5, "c": 2.0}
