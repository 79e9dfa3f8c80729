"""A study that earns while it learns, on the command line: new, ask, tell, status, best."""

from __future__ import annotations

import json
from pathlib import Path

from support import bestdo

FARM = Path(__file__).parents[2] / "examples" / "farm.toml"


def test_new_ask_tell_status_best(tmp_path):
    def run(*command):
        done = bestdo(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    said = run("new", FARM, "--goal", "earn", "--rounds", "30")
    assert "Which action makes yield = good likeliest, while every round counts?" in said
    assert "learner causal-thompson" in said
    assert "every round counts: an action is played as often as it may be the best" in said
    good = 0
    for k in range(6):
        asked = json.loads(run("ask", "-f", "json"))[0]
        assert "the best in a draw" in asked["reason"]
        good += k % 2
        run("tell", str(asked["number"]), f"yield={'good' if k % 2 else 'bad'}")
    for command in ("status", "best"):
        said = run(command)
        assert f"Earned so far: {good} of 6 rounds had yield = good, 50 %. By what is known now, do(" in said
        found = json.loads(run(command, "-f", "json"))["earned"]
        assert (found["rounds"], found["total"]) == (6, 3)
        assert found["low"] < found["expected"] < found["high"]
    assert json.loads(run("status", "-f", "json"))["goal"] == "earn"
    run("learner", "uniform", "--why", "to see")
    assert "uniform is made to find the best action, whatever its rounds earn" in run("status")
    exported = tmp_path / "study.json"
    run("export", "-o", str(exported))
    created = json.loads(json.loads(exported.read_text())["events"][0]["body"])
    assert 'goal = "earn"' in created["problem"]
