"""Tables of the paper's figures are what version 0.1 wrote, byte for byte; its tables and runs are read."""

import json
import shutil

import numpy as np
import pytest

from bestdo.bandit.problem import Problem
from bestdo.experiments import experiment, run
from bestdo.memory_cache import memory_cache
from bestdo.report.figure import draw
from support import DATA
from support import bestdo_here as command_here

HERE = DATA / "v0.1" / "results"
FIGURES = ["regret-vs-m", "regret-vs-horizon", "regret-vs-horizon-small-gap"]


@pytest.mark.parametrize("name", FIGURES)
def test_the_table_is_the_same_byte_for_byte(name, tmp_path):
    run(experiment(name), 50, 0, tmp_path)
    assert (tmp_path / f"{name}.csv").read_bytes() == (HERE / f"{name}.csv").read_bytes()


def test_another_seed_gives_another_table(tmp_path):
    run(experiment("regret-vs-horizon"), 50, 1, tmp_path)
    assert (tmp_path / "regret-vs-horizon.csv").read_bytes() != (HERE / "regret-vs-horizon.csv").read_bytes()


def test_a_run_that_version_0_1_was_interrupted_in_ends_with_the_same_table(tmp_path):
    """Its chunks are of other code, and are played again: that is said."""
    shutil.copytree(HERE / "interrupted", tmp_path, dirs_exist_ok=True)
    words = []
    run(experiment("regret-vs-horizon"), 50, 0, tmp_path, say=words.append)
    assert ["starting anew" in text for text in words] == [True]
    assert (tmp_path / "regret-vs-horizon.csv").read_bytes() == (HERE / "regret-vs-horizon.csv").read_bytes()
    assert not list(tmp_path.glob("*.partial.jsonl"))


@pytest.mark.parametrize("name", ["regret-vs-m", "compare", "rehearse"])
def test_a_picture_is_drawn_from_a_table_and_its_manifest(name, tmp_path):
    for end in ("csv", "json"):
        shutil.copy(HERE / f"{name}.{end}", tmp_path)
    for path in draw(tmp_path, name):
        assert path.stat().st_size > 5000


def test_the_command_line_gives_the_same_numbers(tmp_path, monkeypatch):
    """Where actions that cannot be the best compete as well, as in version 0.1; a rehearsal has had other worlds since."""
    monkeypatch.setattr(Problem, "contenders", property(lambda problem: np.ones(len(problem.actions), bool)))
    farm = HERE.parent / "farm.toml"
    learners = [part for label in _learners("compare") for part in ("--learner", label)]
    memory_cache.clear()  # what is cached depends on who competes
    command_here("compare", farm, "--rounds", "20,40", "--sims", "30", "--workers", "1", "-o", tmp_path, *learners)
    memory_cache.clear()
    assert _unchanged(tmp_path / "compare.csv") == _unchanged(HERE / "compare.csv")


def _unchanged(path):
    """The lines of a table, those of learners that were improved since without their numbers."""
    lines = path.read_text().splitlines()
    improved = "Causal top-two", "Watch, then act"
    return [",".join(line.split(",")[:3]) if any(name in line for name in improved) else line for line in lines]


def _learners(name):
    """The learners that version 0.1 took when none was named, in its order."""
    names = {
        "Causal top-two": "causal-top-two", "Watch, then act": "watch-then-act", "Algorithm 1": "algorithm-1",
        "Algorithm 2": "algorithm-2", "Successive Rejects": "successive-rejects",
        "Sequential Halving": "sequential-halving", "Uniform": "uniform",
    }  # fmt: skip
    return [names[label] for label in json.loads((HERE / f"{name}.json").read_text())["learners"]]
