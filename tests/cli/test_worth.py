"""The commands on a reward whose values are worth numbers."""

import csv
import json

import pytest

from support import bestdo

PAIN = """bestdo = 1
[variables]
dose = { values = ["low", "high"] }
drug = { values = ["A", "B"] }
pain = { values = ["NO", "MILD", "SEVERE"] }
[graph]
edges = ["dose -> pain", "drug -> pain"]
reward = "pain"
worth = { NO = 0, MILD = -1, SEVERE = -4 }
[actions]
set = ["dose", "drug"]
[tables]
dose = [0.5, 0.5]
drug = [0.3, 0.7]
[tables.pain]
given = ["dose", "drug"]
rows = [
    { when = ["low", "A"], p = [0.2, 0.3, 0.5] },
    { when = ["low", "B"], p = [0.6, 0.1, 0.3] },
    { when = ["high", "A"], p = [0.1, 0.7, 0.2] },
    { when = ["high", "B"], p = [0.8, 0.2, 0.0] },
]
"""
GOAL = "Which action makes the worth of pain largest on average?"


@pytest.fixture
def run(tmp_path):
    (tmp_path / "pain.toml").write_text(PAIN)

    def once(*arguments):
        done = bestdo(*map(str, arguments), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return once


def test_check_and_draw(run):
    assert run("check", "pain.toml").startswith(GOAL)
    found = json.loads(run("check", "pain.toml", "-f", "json"))
    assert (found["success"], found["worth"]) == (None, {"NO": 0.0, "MILD": -1.0, "SEVERE": -4.0})
    assert "NO is worth most" in run("draw", "pain.toml")


def test_a_study_and_old_data(run, tmp_path):
    assert run("new", "pain.toml", "--rounds", 9).startswith(GOAL)
    run("ask")
    run("tell", 1, "pain=SEVERE", "dose=low", "drug=A", "--happened")
    rows = [["dose", "drug", "pain"], *(["low", "A", "SEVERE"], ["high", "B", "NO"]) * 30]
    with (tmp_path / "old.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert run("observe", "old.csv").startswith(GOAL)
    said = run("best", "--picture", "a.svg")
    assert said.startswith(GOAL)
    assert "95 % interval -" in said
    best = json.loads(run("best", "-f", "json"))
    assert best["set"] in ({"dose": "high"}, {"drug": "B"})
    assert -4 <= best["low"] <= best["mean"] <= best["high"] <= 0
    assert "mean worth of pain" in (tmp_path / "a.svg").read_text()


def test_a_fixed_plan(run, tmp_path):
    run("design", "pain.toml", "--rounds", 12, "-o", "plan.csv")
    lines = list(csv.DictReader((tmp_path / "plan.csv").read_text().splitlines()))
    for line in lines:
        line.update(dose=line["dose"] or "low", drug=line["drug"] or "A")
        line["pain"] = "NO" if line["drug"] == "B" else "SEVERE"
    with (tmp_path / "filled.csv").open("w", newline="") as file:
        csv.writer(file).writerows([list(lines[0]), *([*line.values()] for line in lines)])
    found = json.loads(run("estimate", "pain.toml", "filled.csv", "-f", "json"))
    assert found["action"] == "do(drug=B)"
    assert found["mean"] == pytest.approx(0, abs=0.01)


def test_rehearse_and_compare(run):
    few = ["--rounds", "5,10", "--learner", "top-two", "--workers", 1]
    said = run("rehearse", "pain.toml", *few, "--worlds", 20)
    assert said.startswith(GOAL)
    assert "the best action brings a mean of -" in said
    rows = json.loads(run("compare", "pain.toml", *few, "--sims", 20, "-f", "json"))["rows"]
    assert 0 <= rows[0]["regret"] <= 1.9 - 0.59  # do(drug=A), the worst, and do(dose=high), the best
