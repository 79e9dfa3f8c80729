import csv
import json
import re

import numpy as np
import pytest

from bestdo import Actions, Intervention, read
from support import ROOT, bestdo

FARM = str(ROOT / "examples" / "farm.toml")


def fill(path, seed=1, empty=0.2):
    """Fills in a sheet of the farm with simulated seasons, and leaves some lines as they are."""
    farm, rng = read(FARM), np.random.default_rng(seed)
    with open(path, newline="") as file:
        heading, *lines = csv.reader(file)
    for line in lines:
        action = Intervention.parse(line[1])
        seen = farm.model.sample(Actions(farm.graph, [action]), np.array([0]), rng)[0]
        if rng.random() >= empty:
            line[3:] = [farm.graph.variable(n).values[c] for n, c in zip(heading[3:], seen, strict=True)]
    with open(path, "w", newline="", encoding="utf-16") as file:
        csv.writer(file, delimiter=";").writerows([heading, *lines])
    return sum(1 for line in lines if line[-1])


def test_design_then_estimate(tmp_path):
    done = bestdo("design", FARM, "--rounds", "200", "-o", "plan.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "An optimal fixed plan of 200 rounds" in done.stdout
    assert "moisture=wet occurs by itself in 10% of the rounds" in done.stdout
    assert "proven, by sums over 8 states" in done.stdout
    assert "bestdo estimate" in done.stderr
    beside = json.loads((tmp_path / "plan.json").read_text())
    assert beside["rounds"] == sum(row["rounds"] for row in beside["actions"]) == 200
    assert abs(sum(row["eta"] for row in beside["actions"]) - 1) < 1e-9
    assert beside["gap"] <= 1e-6

    filled = fill(tmp_path / "plan.csv")
    done = bestdo("estimate", FARM, "plan.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{filled} of 200 lines count\n  {200 - filled} lines left empty: missing, not failures" in done.stdout
    assert re.search(r"^do\(moisture=wet\): 0\.\d\d, 95 % interval", done.stdout, re.M)
    data = json.loads(bestdo("estimate", FARM, "plan.csv", "-f", "json", cwd=tmp_path).stdout)
    assert data["action"] == "do(moisture=wet)"
    assert data["left"] == data["sheet"]["empty"] == 200 - filled
    assert sum(row["played"] for row in data["actions"]) == filled


def test_a_sheet_that_is_there_is_never_replaced(tmp_path):
    arguments = ("design", FARM, "--rounds", "20", "-o", "plan.csv")
    assert bestdo(*arguments, cwd=tmp_path).returncode == 0
    assert bestdo(*arguments, cwd=tmp_path).returncode == 0  # the same again
    fill(tmp_path / "plan.csv")
    before = (tmp_path / "plan.csv").read_bytes()
    done = bestdo(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert "'plan.csv' exists already, perhaps filled in" in done.stderr
    assert (tmp_path / "plan.csv").read_bytes() == before


def test_a_budget(tmp_path):
    text = (ROOT / "examples" / "farm.toml").read_text()
    (tmp_path / "farm.toml").write_text(text + '\n[costs]\ndefault = 1\n"do(moisture=wet)" = 10\n')
    done = bestdo("design", "farm.toml", "--budget", "100", "-f", "json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert 90 < plan["cost"] <= 100
    done = bestdo("design", FARM, "--budget", "100")
    assert "of 100 rounds" in done.stdout
    assert "every round costs 1" in done.stderr


def test_tables_without_that_of_the_reward_are_enough(tmp_path):
    text = (ROOT / "examples" / "farm.toml").read_text()
    (tmp_path / "farm.toml").write_text(text[: text.index("[tables.yield]")])
    assert bestdo("design", "farm.toml", "--rounds", "20", cwd=tmp_path).returncode == 0
    (tmp_path / "farm.toml").write_text(text[: text.index("[tables]")])
    done = bestdo("design", "farm.toml", "--rounds", "20", cwd=tmp_path)
    assert done.returncode == 1
    assert "how often the direct causes of 'yield' ('temperature', 'nutrient', 'moisture') take each" in done.stderr


def test_old_data_say_how_often_values_occur(tmp_path):
    farm, rng = read(FARM), np.random.default_rng(0)
    x = farm.model.sample(Actions(farm.graph, ["do()"]), np.zeros(20_000, int), rng)
    rows = [[v.values[c] for v, c in zip(farm.graph.variables, row, strict=True)] for row in x]
    with open(tmp_path / "old.csv", "w", newline="") as file:
        csv.writer(file).writerows([farm.graph.names, *rows])
    text = (ROOT / "examples" / "farm.toml").read_text()
    (tmp_path / "farm.toml").write_text(text[: text.index("[tables]")])
    done = bestdo("design", "farm.toml", "--rounds", "100", "--data", "old.csv", "-o", "plan.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "estimated from 20,000 old rounds in old.csv" in done.stderr
    assert "bestdo estimate plan.toml plan.csv" in done.stderr
    exact = json.loads(bestdo("design", FARM, "--rounds", "100", "-f", "json").stdout)
    assert abs(json.loads((tmp_path / "plan.json").read_text())["m"] - exact["m"]) < 0.05
    fill(tmp_path / "plan.csv")
    done = bestdo("estimate", "plan.toml", "plan.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "do(moisture=wet)" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["design", FARM], "say how many rounds the plan has (--rounds N)"),
        (["design", FARM, "--rounds", "10", "--budget", "3"], "say how many rounds the plan has (--rounds N)"),
        (["design", FARM, "--rounds", "0"], "--rounds"),
        (["design", FARM, "--budget", "0.5"], "a budget of 0.5 does not pay for one round"),
        (["design", FARM, "--rounds", "5", "-o", "plan.xlsx"], "give a name that ends in .csv"),
        (["design", FARM, "--rounds", "5", "-o", "no/where/plan.csv"], "cannot write 'no/where/plan.csv'"),
        (["design", FARM, "--rounds", "5", "--data", "nowhere.csv"], "nowhere.csv"),
        (["estimate", FARM, "plan.csv"], "there is no file 'plan.csv'"),
        (["estimate", FARM, FARM], "the heading has no column"),
        (["estimate", FARM], "Missing argument"),
    ],
)
def test_mistakes_end_in_one_sentence_and_exit_code_1(tmp_path, arguments, message):
    done = bestdo(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
