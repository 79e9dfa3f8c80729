"""bestdo suite: its commands."""

import json
import os
import subprocess
import sys
import time

import pytest

from bestdo.research.report.suite_summary import show_world
from bestdo.research.suite.suite import described
from bestdo.research.suite.suite_worlds import WORLDS
from support import ROOT, bestdo, ends_in_one_sentence

MINE = """from bestdo.learners.uniform import Uniform

class Mine(Uniform):
    pass
"""


def test_list_and_show():
    done = bestdo("suite", "list", "--kind", "hidden causes", "--format", "json")
    assert done.returncode == 0, done.stderr
    listed = {world["name"]: world for world in json.loads(done.stdout)}
    assert list(listed) == [name for name, world in WORLDS.items() if world.kind == "hidden causes"]
    assert listed["pomis-iv"]["measure"] == "summed regret"
    done = bestdo("suite", "show", "pomis-iv")
    assert "goal: to earn" in done.stdout
    assert "published: thompson at 5000: 18.06 ± 1.8 (authors' code" in done.stdout


def test_an_estimate_says_what_it_knows(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    done = bestdo("suite", "run", "mine:Mine", "--world", "bow", "--estimate", cwd=tmp_path)
    assert done.stdout == "2 cells that the archive says nothing about\n"


def test_what_is_measured_is_said(capsys):
    for world in described((), ["orders", "bow"]):
        show_world(world)
    said = capsys.readouterr().out
    assert (
        "the regret of the rule kept, an action for each device and country; an action that truly breaks a limit"
        in said
    )
    assert "the regret of the action kept\n" in said
    assert said.count("published: no number for these settings") == 2


def test_run_finds_a_learner_in_the_working_directory_and_goes_on(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    command = ["suite", "run", "mine:Mine", "uniform", "--world", "bow", "--no-report", "-o", "made"]
    done = bestdo(*command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mine:Mine: plays 1 world and refuses 0" in done.stdout
    assert sorted(f.name for f in (tmp_path / "made").iterdir())[:4] == [
        "archive.json",
        "cells.jsonl",
        "costs.csv",
        "results.csv",
    ]
    manifest = json.loads((tmp_path / "made" / "archive.json").read_text())
    assert manifest["command"] == f"bestdo {' '.join(command)}"
    table = (tmp_path / "made" / "results.csv").read_bytes()
    played = (tmp_path / "made" / "cells.jsonl").read_bytes().count(b"sums")
    (tmp_path / "made" / "results.csv").unlink()
    assert bestdo(*command, cwd=tmp_path).returncode == 0
    assert (tmp_path / "made" / "results.csv").read_bytes() == table
    assert (tmp_path / "made" / "cells.jsonl").read_bytes().count(b"sums") == played
    (tmp_path / "mine.py").write_text(MINE.replace("pass", "more = 1"))
    assert bestdo(*command, cwd=tmp_path).returncode == 0
    assert (tmp_path / "made" / "cells.jsonl").read_bytes().count(b"sums") == played + 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["suite", "lst"], "No such command 'lst'"),
        (["suite", "show", "front-dor"], "did you mean 'front-door'"),
        (["suite", "run"], "Missing argument 'LEARNER…'"),
        (["suite", "run", "thomson"], "did you mean 'thompson'"),
        (["suite", "run", "nowhere:Mine"], "cannot be loaded"),
        (["suite", "run", "mine.py:Mine"], "write mine:Mine for mine.py:Mine"),
        (["suite", "run", "ucb", "--quick", "--full"], "say --quick or --full, not both"),
        (["suite", "run", "ucb", "--world", "nope"], "bestdo suite list says which there are"),
        (["suite", "run", "ucb", "--dask", "tcp://x:1", "--workers", "2"], "say --dask or --workers, not both"),
        (["suite", "list", "--kind", "nope"], "unknown kind of worlds 'nope'"),
        (["suite", "report", "nowhere.csv"], "nowhere.csv cannot be read: No such file or directory"),
    ],
)
def test_mistakes_end_in_one_sentence(tmp_path, arguments, message):
    done = bestdo(*arguments, cwd=tmp_path)
    ends_in_one_sentence(done, message)
    assert not (tmp_path / "out").exists()


def test_a_learner_that_fails_is_a_row_and_the_exit_code_says_so(tmp_path):
    (tmp_path / "wrong.py").write_text(MINE.replace("pass", "def ask(self, state, rng):\n        return state.nothing"))
    done = bestdo("suite", "run", "wrong:Mine", "--world", "bow", "--no-report", cwd=tmp_path)
    assert done.returncode == 1
    assert "wrong:Mine failed in bow at 50: failed: AttributeError" in done.stdout
    assert "(wrong.py, line " in done.stdout
    assert "2 cells failed" in done.stderr
    assert (tmp_path / "out" / "results.csv").read_text().count("AttributeError") == 2


@pytest.mark.parametrize("goals", ['("win",)', '"find"', "()"])
def test_a_goal_that_there_is_not_is_refused(tmp_path, goals):
    (tmp_path / "mine.py").write_text(MINE.replace("pass", f"goals = {goals}"))
    done = bestdo("suite", "run", "mine:Mine", "--world", "bow", cwd=tmp_path)
    assert done.returncode == 1
    assert "it is ('find',), ('earn',) or both" in done.stderr


def test_a_run_says_why_a_learner_does_not_play(tmp_path):
    (tmp_path / "mine.py").write_text(MINE.replace("pass", 'goals = ("find",)'))
    done = bestdo("suite", "run", "mine:Mine", "--world", "pomis-iv", "--no-report", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mine:Mine: plays 0 worlds and refuses 1" in done.stdout
    assert "  not in pomis-iv: it is made to find; here the goal is to earn" in done.stdout


def test_report_of_a_run(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    assert bestdo("suite", "run", "mine:Mine", "--world", "bow", "--no-report", cwd=tmp_path).returncode == 0
    done = bestdo("suite", "report", "out/results.csv", "-o", "made", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "report: made/report.html report.md report.tex pictures"
    text = (tmp_path / "made" / "report.md").read_text()
    assert text.startswith("# Mine on the suite of causal bandits\n")
    assert (tmp_path / "made" / "pictures" / "world-bow.svg").exists()


def test_the_working_directory_comes_last(monkeypatch, tmp_path):
    from bestdo.cli.simulation import own_modules

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["a"])
    own_modules(["ucb"])
    assert sys.path == ["a"]
    own_modules(["mine:Mine", "mine:Other"])
    assert sys.path == ["a", str(tmp_path)]


@pytest.mark.campaign
def test_a_killed_run_goes_on_with_the_same_bytes(tmp_path):
    command = ["suite", "run", "ucb", "thompson", "successive-rejects", "--kind", "real network", "--no-report", "-o"]
    assert bestdo(*command, "whole", "--workers", "1", cwd=tmp_path).returncode == 0
    cells = tmp_path / "killed" / "cells.jsonl"
    with subprocess.Popen(
        [sys.executable, "-m", "bestdo", *command, "killed", "--workers", "2"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        stderr=subprocess.DEVNULL,
    ) as process:
        while not (cells.exists() and cells.read_bytes().count(b"\n") > 5):
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
    done = bestdo(*command, "killed", "--workers", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "parts were played before" in done.stderr
    whole, killed = ((tmp_path / folder / "results.csv").read_bytes() for folder in ("whole", "killed"))
    assert whole == killed
