"""The archive: it says how it came about, is complete, and comes out again."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import bestdo
from bestdo.learners import LEARNERS, by_title
from bestdo.research.suite import archive
from bestdo.research.suite.efforts import simulations
from bestdo.research.suite.suite import keep_archive
from bestdo.research.suite.suite_rows import SuiteRow
from bestdo.research.suite.suite_run import Player, play_suite
from bestdo.research.suite.suite_worlds import WORLDS
from support import ROOT

KEPT = archive.read()
FOLDER = ROOT / "src" / "bestdo" / "research" / "suite" / "archive"
CHEAP, COSTLY = 0.05, 20.0  # seconds that a cell takes
SIGMA = 3.0
OTHER_SEED = 1

made = pytest.mark.skipif(not KEPT.rows, reason="no archive was made yet")


def sample(count, seconds, seed):
    """Some random cells that cost at most so many seconds, and whose regret is not the same in all simulations."""
    costs = {(c.world, c.learner, c.horizon): c.cpu_seconds * c.simulations for c in KEPT.costs}
    rows = [r for r in KEPT.rows if costs.get((r.world, r.learner, r.horizon), math.inf) <= seconds]
    rows = [r for r in rows if r.standard_error and r.learner in LEARNERS and r.world in WORLDS]
    return [rows[i] for i in np.random.default_rng(seed).choice(len(rows), size=count, replace=False)]


def again(row):
    """The cell, played with another seed."""
    world = replace(WORLDS[row.world], horizons=(row.horizon,))
    ((title, learner),) = by_title(row.learner).items()
    (found,) = play_suite([world], [Player(row.learner, title, learner)], "full", OTHER_SEED).rows
    return found


def differs(row, found):
    """The difference of two runs of a cell in standard errors."""
    return abs(row.regret - found.regret) / math.hypot(row.standard_error, found.standard_error)


@made
def test_it_says_how_it_came_about():
    manifest = KEPT.manifest
    assert re.fullmatch(r"[0-9a-f]{40}", manifest["commit"]), "made from files that are in no commit"
    assert manifest["versions"].keys() >= {"bestdo", "numpy", "scipy", "python"}
    assert (manifest["seed"], manifest["effort"]["name"]) == (0, "full")
    assert manifest["command"].startswith("bestdo suite run all --full")
    assert sum(file.stat().st_size for file in FOLDER.iterdir() if file.is_file()) < 2_000_000


@made
def test_every_world_and_learner_is_in_it():
    """A new learner or world: run `make archive`."""
    assert {(r.world, r.version) for r in KEPT.rows} == {(w.name, w.version) for w in WORLDS.values()}
    assert {r.learner for r in KEPT.rows} == set(LEARNERS)
    wanted = {(w.name, name, t) for w in WORLDS.values() for name in LEARNERS for t in w.horizons}
    assert {(r.world, r.learner, r.horizon) for r in KEPT.rows} == wanted
    assert all((r.regret is None) == bool(r.refused) for r in KEPT.rows)
    assert not [r for r in KEPT.rows if r.refused.startswith("failed: ")]
    assert not [r for r in KEPT.rows if not r.refused and r.simulations != _planned(r)]


def _planned(row):
    return simulations(WORLDS[row.world].world, row.horizon, row.learner, "full")


@made
def test_a_sample_of_cheap_cells_comes_out_again():
    rows = sample(6, CHEAP, seed=0)
    assert {f"{r.world} {r.learner} {r.horizon:g}": d for r in rows if (d := differs(r, again(r))) > SIGMA} == {}


@made
@pytest.mark.campaign
def test_ten_random_cells_come_out_again():
    rows = sample(10, COSTLY, seed=1)
    assert {f"{r.world} {r.learner} {r.horizon:g}": d for r in rows if (d := differs(r, again(r))) > SIGMA} == {}


def test_a_wrong_cell_would_be_found():
    row = SuiteRow("bow", 1, "hidden causes", "find", "uniform", "Uniform", 50.0, "regret", 0.5, 0.01, 0.2, 1000)
    found = again(row)
    assert differs(row, found) > SIGMA
    assert differs(row._replace(regret=found.regret), found) == 0


def test_an_archive_is_read_as_it_was_written(tmp_path):
    found = bestdo.suite_run("uniform", "bow", progress=False)
    keep_archive(found, tmp_path / "kept")
    kept = archive.read(tmp_path / "kept")
    assert (kept.rows, kept.costs, kept.manifest) == (found.rows, found.costs, found.manifest)
    assert kept.manifest["learners"] == {"uniform": "Uniform()"}
    assert archive.read(tmp_path) == archive.Archive([], {}, [])


def test_the_archive_of_the_package_is_read_once():
    """It was parsed twice in a run of the suite, which took most of its calls."""
    assert archive.read() is archive.read()
