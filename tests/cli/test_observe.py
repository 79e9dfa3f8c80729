"""`bestdo observe` and `bestdo check --data`, as a person gives them."""

import json
import os

import numpy as np
import polars as pl

import bestdo as library
from bestdo.bandit.rounds import Plan
from bestdo.simulate import World
from support import ROOT, bestdo

FARM = ROOT / "examples" / "farm.toml"


def log(path, rows=4000):
    farm = library.read(FARM)
    counts = np.zeros((1, len(farm.problem.actions)), int)
    counts[0, farm.problem.actions.index(library.do())] = rows
    x = World(farm.problem, farm.model).rounds(Plan(counts), np.random.default_rng(0)).x
    frame = pl.DataFrame({n: np.array(farm.graph.variable(n).values)[x[:, i]] for i, n in enumerate(farm.graph.names)})
    frame.write_csv(path)
    return frame


def test_old_data_into_a_study_and_out_again(tmp_path):
    log(tmp_path / "log.csv")
    here = {"cwd": tmp_path, "path": os.environ.get("PYTHONPATH", "")}
    assert bestdo("new", str(FARM), "--rounds", "40", **here).returncode == 0
    done = bestdo("observe", "log.csv", "--who", "Ada", **here)
    assert done.returncode == 0, done.stderr
    assert "observed 4,000 rows, fingerprint" in done.stdout
    assert "No experiment is needed: do(moisture=wet) is the best" in done.stdout
    again = bestdo("observe", "log.csv", **here)
    assert again.returncode == 2
    assert "observed already" in again.stderr
    assert "say --force" in again.stderr
    data = json.loads(bestdo("observe", "log.csv", "--force", "-f", "json", **here).stdout)
    assert (data["rows"], data["cells"]) == (4000, 16)
    assert [a["learned_by"] for a in data["actions"]] == ["seeing"] * 7
    assert "observed by Ada: 4,000 rows" in bestdo("history", **here).stdout
    assert bestdo("observe", "--undo", data["fingerprint"][:5], "--why", "twice", **here).returncode == 0
    assert "name the file" in bestdo("observe", **here).stderr
    wrong = bestdo("observe", "none.csv", **here)
    assert (wrong.returncode, wrong.stderr) == (1, "error: there is no file 'none.csv'\n")


def test_check_with_data(tmp_path):
    frame = log(tmp_path / "log.csv")
    here = {"cwd": tmp_path, "path": os.environ.get("PYTHONPATH", "")}
    done = bestdo("check", str(FARM), "--data", "log.csv", **here)
    assert done.returncode == 0, done.stderr
    assert "The data: 4,000 rows" in done.stdout
    assert (
        "Your data fit the graph: 3 of 3 checks passed. The weakest would have missed differences below " in done.stdout
    )
    assert " points (" in done.stdout
    wet = pl.col("moisture") == "wet"  # moisture and temperature go together, which the graph says they do not
    frame.with_columns(temperature=pl.when(wet).then(pl.lit("high")).otherwise("temperature")).rename(
        {"yield": "harvest"}
    ).write_parquet(tmp_path / "odd.parquet")
    done = bestdo("check", str(FARM), "--data", "odd.parquet", "--column", "yield=harvest", **here)
    assert "Your data contradict the graph: 1 of 3 checks failed." in done.stdout
    assert "temperature" in done.stdout.partition("contradict")[2]
    data = json.loads(
        bestdo("check", str(FARM), "--data", "odd.parquet", "--column", "yield=harvest", "-f", "json", **here).stdout
    )["data"]
    assert (data["independences"], data["tested"], data["not_tested"]) == (3, 3, [])
    assert data["contradictions"][0]["chance"] < 0.05
    assert [each["unit"] for each in data["would_miss"]] == ["chance"] * 3
    assert all(0 < each["difference"] < 0.1 for each in data["would_miss"])
    frame.with_columns(temperature=pl.lit("low")).drop("moisture").write_csv(tmp_path / "little.csv")
    done = bestdo("check", str(FARM), "--data", "little.csv", **here)
    assert "Your data do not tell whether they fit the graph: none of 3 checks could be made." in done.stdout
    assert "– not tested: temperature and nutrient; temperature always is low." in done.stdout
    assert "moisture not recorded." in done.stdout
    data = json.loads(bestdo("check", str(FARM), "--data", "little.csv", "-f", "json", **here).stdout)["data"]
    assert (data["independences"], data["tested"]) == (3, 0)
    assert {each["why"] for each in data["not_tested"]} == {"temperature always is low", "moisture not recorded"}
