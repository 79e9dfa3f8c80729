"""The table of a folder into which the suite was run before."""

import json

import pytest

from bestdo.research.suite.earlier_rows import with_earlier
from bestdo.research.suite.suite import suite_run
from bestdo.research.suite.suite_rows import Cost, SuiteRow
from bestdo.research.suite.suite_run import SuiteRun
from suite_rows_made_up import row

NOW = {
    "seed": 0,
    "effort": {"name": "quick"},
    "versions": {},
    "worlds": {"bow": 1},
    "learners": {"mine:X": "X()"},
    "code": {"mine:X": "1"},
    "command": "now",
}


def run_of(*rows):
    return SuiteRun(list(rows), [Cost(r.world, r.version, r.learner, r.horizon, r.simulations, 1e-3) for r in rows])


@pytest.fixture
def folder(tmp_path):
    """A run of two learners in two worlds."""
    earlier = run_of(*(row(world, name, 0.1) for world in ("bow", "front-door") for name in ("ucb", "mine:X")))
    earlier.write(tmp_path)
    manifest = NOW | {
        "worlds": {"bow": 1, "front-door": 1},
        "learners": {"ucb": "UCB()", "mine:X": "X()"},
        "command": "one",
    }
    (tmp_path / "archive.json").write_text(json.dumps(manifest | {"code": {"ucb": "7", "mine:X": "1"}}))
    return tmp_path


def test_rows_of_other_learners_and_worlds_stay(folder):
    found = with_earlier(run_of(row("bow", "mine:X", 0.3)), NOW, folder)
    keys = [(r.world, r.learner, r.regret) for r in found.run.rows]
    assert keys == [
        ("bow", "mine:X", 0.3),
        ("bow", "ucb", 0.1),
        ("front-door", "mine:X", 0.1),
        ("front-door", "ucb", 0.1),
    ]
    assert [(c.world, c.learner) for c in found.run.costs] == [key[:2] for key in keys]
    assert found.manifest["worlds"] == {"bow": 1, "front-door": 1}
    assert found.manifest["earlier"] == ["one"]
    assert "keeps 3 rows of earlier runs (mine:X, ucb)" in found.said[0]


def test_what_is_not_alike_is_left_out_and_that_is_said(folder):
    run = run_of(row("bow", "mine:X", 0.3))
    found = with_earlier(run, NOW | {"seed": 1}, folder)
    assert found.run.rows == run.rows
    assert "3 rows of an earlier run with another seed left out" in found.said[0]
    changed = with_earlier(run, NOW | {"code": {"mine:X": "2"}}, folder)
    assert {(r.world, r.learner) for r in changed.run.rows} == {
        ("bow", "mine:X"),
        ("bow", "ucb"),
        ("front-door", "ucb"),
    }
    assert "mine:X changed since an earlier run" in changed.said[1]
    (folder / "results.csv").write_text("a,b\n")
    assert "nothing of earlier runs is kept" in with_earlier(run, NOW, folder).said[0]
    (folder / "results.csv").unlink()
    assert with_earlier(run, NOW, folder).said == []


def test_a_second_run_into_the_same_folder(tmp_path):
    said = []
    for learners, worlds in ((["uniform", "ucb"], "bow"), ("uniform", "front-door"), ("uniform", "front-door")):
        suite_run(learners, worlds, folder=tmp_path, progress=False, say=said.append)
    table = (tmp_path / "results.csv").read_text()
    assert table.splitlines()[0] == ",".join(SuiteRow._fields)
    found = {tuple(line.split(",")[k] for k in (0, 4)) for line in table.splitlines()[1:]}
    assert found == {("bow", "uniform"), ("bow", "ucb"), ("front-door", "uniform")}
    assert len([text for text in said if "keeps" in text]) == 2
