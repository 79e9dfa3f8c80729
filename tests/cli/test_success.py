"""The commands on a reward of three values, one of which is success: blood pressure in the alarm network."""

import csv
import gzip
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from bestdo import Actions, do, read
from support import bestdo

MODELS = Path(importlib.util.find_spec("pgmpy").origin).parent / "utils" / "example_models"
LOW = ["alarm.bif", "--reward", "BP", "--success", "LOW"]


@pytest.fixture
def run(tmp_path):
    """The command line in a folder with alarm.bif; what it prints."""
    (tmp_path / "alarm.bif").write_bytes(gzip.decompress((MODELS / "alarm.bif.gz").read_bytes()))

    def once(*arguments):
        done = bestdo(*map(str, arguments), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return once


def write_rows(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def test_a_study(run, tmp_path):
    """Whatever the reward was is in the log; two failures are not the same."""
    assert "BP is LOW or NORMAL or HIGH" in run("new", *LOW, "--rounds", 9, "--learner", "top-two") + run("ask")
    run("tell", 1, "BP=NORMAL")
    again = bestdo("tell", "1", "BP=HIGH", cwd=tmp_path)
    assert again.returncode == 2
    assert "'NORMAL'" in bestdo("tell", "1", "BP=NORML", cwd=tmp_path).stderr
    run("amend", 1, "BP=HIGH", "--why", "read it wrongly")
    log = [e["values"]["BP"] for e in json.loads(run("history", "-f", "json")) if "values" in e]
    assert log == ["NORMAL", "HIGH"]


def test_check_and_draw(run):
    assert "Which action makes BP = LOW likeliest?" in run("check", *LOW)
    found = json.loads(run("check", *LOW, "-f", "json"))
    assert (found["reward"], found["success"]) == ("BP", "LOW")
    assert "LOW = success" in run("draw", *LOW)


def test_old_data(run, tmp_path):
    """What 400 rows answer about do() is the share of LOW among them."""
    graph = (model := read(tmp_path / "alarm.bif", "BP", "LOW").model).graph
    x = model.sample(Actions(graph, [do()]), np.zeros(400, int), np.random.default_rng(0))
    rows = [[graph.variables[i].values[code] for i, code in enumerate(row)] for row in x]
    write_rows(tmp_path / "old.csv", [graph.names, *rows])
    share = np.mean([row[graph.names.index("BP")] == "LOW" for row in rows])
    found = json.loads(run("check", *LOW, "--data", "old.csv", "-f", "json"))["data"]["actions"]
    assert next(a for a in found if a["action"] == "do()")["mean"] == pytest.approx(share)
    run("new", *LOW, "--rounds", 9, "--learner", "causal-top-two")
    assert "observed 400 rows" in run("observe", "old.csv")
    assert json.loads(run("best", "-f", "json"))["action"] == "do(TPR=LOW)"


def test_a_fixed_plan(run, tmp_path):
    """Only LOW counts as success: HIGH and NORMAL in the same sheet are failures, and keep their names in it."""
    assert (
        "--reward BP --success LOW plan.csv"
        in bestdo("design", *LOW, "--rounds", "40", "-o", "plan.csv", cwd=tmp_path).stderr
    )
    lines = list(csv.DictReader((tmp_path / "plan.csv").read_text().splitlines()))
    for i, line in enumerate(lines):
        line.update(CO=line["CO"] or "LOW", TPR=line["TPR"] or "LOW", BP="HIGH" if i % 2 else "NORMAL")
        if line["CO"] == "HIGH":
            line["BP"] = "LOW"
    write_rows(tmp_path / "filled.csv", [list(lines[0]), *([*line.values()] for line in lines)])
    found = json.loads(run("estimate", *LOW, "filled.csv", "-f", "json"))
    assert found["action"] == "do(CO=HIGH)"


def test_rehearse_and_compare(run):
    few = ["--rounds", "5,10", "--learner", "top-two", "--workers", 1]
    assert "table of BP drawn at random" in run("rehearse", *LOW, *few, "--worlds", 20)
    assert "Top-two" in run("compare", *LOW, *few, "--sims", 20)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--reward", "BP"], "which value of the reward 'BP' is success, 'LOW', 'NORMAL' or 'HIGH'"),
        (["--reward", "BP", "--success", "low"], "unknown value 'low' of the variable 'BP'; allowed: 'LOW', 'NORMAL'"),
        (["--success", "LOW"], "success is 'LOW', but alarm.bif names no reward"),
        ([], "observed variables with two values or more: 'HISTORY', 'CVP'"),
    ],
)
@pytest.mark.parametrize("command", [["check"], ["new", "--rounds", "9"]])
def test_what_is_missing_is_said(run, tmp_path, command, options, message):
    done = bestdo(*command, "alarm.bif", *options, cwd=tmp_path)
    assert done.returncode == 1
    assert message in done.stderr
