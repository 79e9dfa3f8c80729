"""A study moved between SQLite and PostgreSQL by the command line, with every kind of round in it: it goes on the same."""

import contextlib
import functools
import json
import os
import random

import pytest

import bestdo
from bestdo.errors import BestdoError, Finished, Waiting
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.study.storage import Storage
from bestdo.study.study import names
from support import ROOT, numbers_of
from support import bestdo as command

FARM = bestdo.read(ROOT / "examples" / "farm.toml")


def lived(url, name):
    """A study in which rounds were told, amended, lost, never played, late, expired and left open."""
    study = Study.create(
        FARM.problem, 30, learner="causal-top-two", name=name, storage=url, seed=4, parameters={"block": 8}, lease=0.0
    )
    gone, late = study.ask("gone", 2)
    study.ask("ann", 8)  # both leases are over
    study.tell(late.number, {"yield": "good", **late.action})
    mine = [r["number"] for r in study.rounds() if r["status"] == "open"]
    for k in mine[:4]:
        study.tell(k, {"yield": "good" if k % 2 else "bad"}, key=f"plot {k}")
    study.amend(mine[0], {"yield": "bad"}, "misread")
    study.withdraw(mine[1], "hail")
    study.withdraw(mine[4], "no seed", lost=False)
    study.note("a dry spring", mine[0], who="bob")
    study.extend(26, "less money")
    assert {r["status"] for r in study.rounds()} == {"told", "expired", "lost", "unplayed", "open"}
    assert gone.number in [r["number"] for r in study.rounds() if r["status"] == "expired"]
    return study


def goes_on(study):
    """The rest of the study with fixed answers: every action with its reason, and what is known at the end."""
    asked = []
    while True:
        try:
            rounds = study.ask("cat", 3)
        except Finished:
            break
        for each in rounds:
            asked.append((each.number, str(each.action), each.reason))
            study.tell(each.number, {"yield": "good" if each.number % 3 else "bad"})
    return asked, str(study.best()), numbers_of(study.estimates())


@pytest.mark.parametrize("there_and_back", [False, True])
def test_a_study_is_moved_by_export_and_import(tmp_path, postgres, there_and_back):
    here, there = f"sqlite:///{tmp_path}/farm.db", postgres
    if there_and_back:
        here, there = there, here
    name = f"moved {os.getpid()} {there_and_back}"
    study = lived(here, name)
    assert command("export", "-o", tmp_path / "study.json", "--storage", here, "--study", name).returncode == 0
    done = command("import", tmp_path / "study.json", "--storage", there)
    assert done.returncode == 0, done.stderr
    moved = Study.open(name, there)
    assert moved.history() == study.history()
    assert moved.rounds() == study.rounds()
    assert moved.status() == study.status()
    assert goes_on(moved) == goes_on(study)


def places(data, path=()):
    """Every place in nested data."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inside:
        yield (*path, key)
        yield from places(value, (*path, key))


@pytest.mark.parametrize("times", [60, pytest.param(3000, marks=pytest.mark.campaign)])
def test_a_damaged_export_is_refused_whole_or_taken_whole(tmp_path, times):
    """One thing in the file is deleted or changed: an error in words and nothing kept, or a study that works."""
    study, rng, taken = lived(f"sqlite:///{tmp_path}/farm.db", "farm"), random.Random(0), 0
    storage = Storage(there := f"sqlite:///{tmp_path}/there.db")
    for attempt in range(times):
        data = json.loads(json.dumps(exported(study)))
        event = rng.choice(data["events"])
        event["body"] = json.loads(event["body"])
        whole = event["body"] if rng.random() < 0.7 else data
        *path, last = rng.choice(list(places(whole)))
        holder = functools.reduce(lambda part, key: part[key], path, whole)
        if rng.random() < 0.4:
            del holder[last]
        else:
            holder[last] = rng.choice([None, -1, 10**30, "", "x", [], {}, 1.5, True, float("nan")])
        if isinstance(event.get("body"), dict):
            event["body"] = json.dumps(event["body"])
        before = names(storage)
        try:
            copy = imported(there, data, f"copy {attempt}")
        except BestdoError:
            assert names(storage) == before
            continue
        taken += 1
        with contextlib.suppress(Finished, Waiting):
            copy.ask("eve")
        assert copy.best()
        assert copy.status()
        assert copy.rounds()
        assert copy.history()
    assert 0 < taken < times
