import json
import os
import signal
import subprocess
import sys
import time

import pytest

from support import ROOT, bestdo

FARM = str(ROOT / "examples" / "farm.toml")


def test_rehearse_shows_a_table_a_picture_and_advice(tmp_path):
    done = bestdo("rehearse", FARM, "--rounds", "20,40", "--worlds", "100", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "table of yield drawn at random" in done.stdout
    assert "If few causes matter, on average the best action succeeds with probability 0.6" in done.stdout
    assert "If all causes matter, on average the best action succeeds with probability 0.6" in done.stdout
    assert "how many causes matter" in done.stdout
    assert "Algorithm 2" in done.stdout
    assert "of the worlds, and what it keeps is worse than the best by" in done.stdout
    made = {f.name for f in (tmp_path / "out").iterdir()}
    assert made == {f"rehearse.{e}" for e in ("csv", "parquet", "json", "svg", "png")}
    assert "how often the best action is kept" in (tmp_path / "out" / "rehearse.svg").read_text()
    again = bestdo("rehearse", FARM, "--rounds", "20,40", "--worlds", "100", "-o", "out", cwd=tmp_path)
    assert "rehearse is in out already" in again.stderr
    assert again.stdout == done.stdout


def test_rehearse_for_programs_with_beliefs(tmp_path):
    arguments = ("rehearse", FARM, "--rounds", "20", "--worlds", "100", "-f", "json", "--learner", "uniform")
    done = bestdo(*arguments, "--different", "0.05", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr  # a picture with one point on its logarithmic axis
    data = json.loads(done.stdout)
    assert abs(data["rows"][0]["better_than_average"] - 0.05) < 0.005
    assert data["advice"]
    done = bestdo(*arguments, "--graph-only", "--learner", "algorithm-2", cwd=tmp_path)
    data = json.loads(done.stdout)
    assert [row["learner"] for row in data["rows"]] == ["Uniform"] * 2
    assert data["left_out"][0]["learner"] == "Algorithm 2"
    assert "Algorithm 2 is left out: Algorithm 2 needs the law" in done.stderr


def test_files_that_know_how_often_values_occur(tmp_path):
    (tmp_path / "chain.toml").write_text(
        """bestdo = 1
[variables.Z]
[variables.X]
[variables.Y]
[graph]
edges = ["Z -> X -> Y"]
reward = "Y"
[actions]
set = ["Z", "X"]
[tables]
Z = [0.9, 0.1]
[tables.X]
given = ["Z"]
rows = [{ when = ["0"], p = [0.9, 0.1] }, { when = ["1"], p = [0.2, 0.8] }]
"""
    )
    done = bestdo("rehearse", "chain.toml", "--rounds", "30", "--worlds", "50", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "table of Y drawn" in done.stdout
    assert "Algorithm 2" in done.stdout


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on(tmp_path):
    arguments = [
        "rehearse",
        FARM,
        "--rounds",
        "20",
        "--learner",
        "uniform",
        "--learner",
        "thompson",
        "--worlds",
        "12000",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "bestdo", *arguments, "--workers", "1"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    partial = tmp_path / "out" / "rehearse.partial.jsonl"
    while not partial.exists() or partial.read_bytes().count(b"\n") < 5:
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "what is done is kept in out; the same command continues from there" in error
    assert "Traceback" not in error
    again = bestdo(*arguments, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert "going on with rehearse" in again.stderr


def test_what_more_rounds_of_a_study_buy(tmp_path):
    assert bestdo("new", FARM, "--rounds", "40", "--name", "wheat", cwd=tmp_path).returncode == 0
    bestdo("ask", cwd=tmp_path)
    assert bestdo("tell", "1", "yield=good", cwd=tmp_path).returncode == 0
    done = bestdo("rehearse", "--study", "wheat", "--rounds", "10,20", "--worlds", "30", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "drawn given what has been seen" in done.stdout
    assert "more rounds" in done.stdout
    assert "as things stand" in done.stdout
    kept = json.loads(bestdo("best", "-f", "json", cwd=tmp_path).stdout)
    assert f"As things stand {kept['action']} is kept, the best with probability {kept['p_best']:.2f}." in done.stdout


def test_budgets(tmp_path):
    text = (ROOT / "examples" / "farm.toml").read_text()
    (tmp_path / "farm.toml").write_text(text + '\n[costs]\ndefault = 1\n"do(moisture=wet)" = 3\n')
    arguments = ("rehearse", "farm.toml", "--worlds", "50", "--learner", "uniform")
    done = bestdo(*arguments, "--budget", "20,40.5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "for a budget of 40.5" in done.stdout
    assert "a budget of 20  " in done.stdout  # the heading of a column
    for wrong in (["--rounds", "20"], [], ["--budget", "nan"], ["--budget", "x"]):
        done = bestdo(*arguments, *wrong, cwd=tmp_path)
        assert done.returncode == 1
        assert "say --budget B,…, as in 50,100: the actions have costs (1 to 3 a round)" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rehearse"], "there is no database"),
        (["rehearse", FARM, "--study", "x"], "give a FILE, or --study NAME, not both"),
        (["rehearse", FARM, "--budget", "10"], "the actions have no costs"),
        (["rehearse", "nowhere.toml"], "there is no file 'nowhere.toml'"),
        (["rehearse", FARM, "--rounds", "0"], "is not a list of whole numbers above 0"),
        (["rehearse", FARM, "--worlds", "1"], "is not a whole number of at least 2"),
        (["rehearse", FARM, "--different", "0.9"], "cannot be chosen so that it is 0.9 on average"),
        (["rehearse", FARM, "--learner", "thomson"], "did you mean 'thompson'"),
    ],
)
def test_mistakes_end_in_one_sentence_and_exit_code_1(tmp_path, arguments, message):
    done = bestdo(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_what_a_delay_costs_is_said(tmp_path):
    given = ("rehearse", FARM, "--rounds", "10", "--worlds", "20", "--workers", "1", "-o", tmp_path, "--learner", "ucb")
    done = bestdo(*given, "--at-once", "4", "--delay", "10", "-f", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [row["in_flight"] for row in found["rows"]] == [4] * len(found["rows"])
    assert {"waited", "delay_cost", "delay_cost_error"} <= set(found["rows"][0])
    assert found["cost_of_delay"][0].startswith("UCB, 10 rounds: what it keeps is worse than the best by")
    assert "What it costs not to wait for results: UCB" in bestdo(*given, "--at-once", "4").stdout
    assert bestdo(*given, "--at-once", "0").returncode == 1


def test_a_number_without_bounds_has_means_of_no_known_size(tmp_path):
    psa = ROOT / "examples" / "psa.toml"
    arguments = ["rehearse", str(psa), "--rounds", "5", "--worlds", "4", "--learner", "uniform", "--workers", "1"]
    done = bestdo(*arguments, cwd=tmp_path)
    assert "within the limit" in done.stdout
    assert "If all causes matter, on average the best action is 0." in done.stdout
    assert "brings a mean of" not in done.stdout
