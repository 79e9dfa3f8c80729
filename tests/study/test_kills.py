"""kill -9 at random moments and at every statement: nothing that was acknowledged is lost, doubled or stuck."""

import itertools
import os
import random
import time
from collections import Counter
from datetime import timedelta

import numpy as np
import pytest

import bestdo
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from support import ROOT
from workers import audit, die_at_every_statement, has_told, last_words, lines_of, started, work

FARM = bestdo.read(ROOT / "examples" / "farm.toml")
NAMES = itertools.count()


def created(url, learner="ucb", horizon=10**6, **more):
    return Study.create(
        FARM.problem, horizon, learner=learner, name=f"killed {os.getpid()} {next(NAMES)}", storage=url, **more
    )


def killed(study, url, folder, kills):
    """Four workers; one of them is killed again and again, and comes back under its own name or under a new one.

    Returns what they were doing when they were killed, and the seconds that whoever came next waited for a round.
    """
    rng = random.Random(0)
    lives = itertools.count()

    def start(name):
        path = folder / f"{name}.{next(lives)}"
        return name, path, started(work, url, study.name, name, path)

    names = itertools.count(4)
    crew, moments, waits = [start(f"worker{i}") for i in range(4)], Counter(), []
    for _ in range(kills):
        anyone, until = rng.random() < 0.05, time.monotonic() + 60  # a few die before they have told anything
        while not (at_work := [i for i, (_, path, _) in enumerate(crew) if anyone or has_told(path)]):
            assert time.monotonic() < until
            time.sleep(0.005)
        name, path, process = crew.pop(rng.choice(at_work))
        time.sleep(rng.uniform(0, 0.05))
        aim, until = rng.choice(["in ask", "in tell", "anywhere"]), time.monotonic() + 0.5
        while aim not in ("anywhere", last_words(path)) and time.monotonic() < until:
            time.sleep(0.0002)
        time.sleep(rng.uniform(0, 0.004))
        process.kill()
        process.join()
        moments[last_words(path)] += 1
        following = name if rng.random() < 0.5 else f"worker{next(names)}"
        asked = time.monotonic()
        study.ask(following)  # or it raises: Waiting if others are waited for, StorageError if the dead one held a lock
        waits.append(time.monotonic() - asked)
        crew.append(start(following))
    study.extend(study.status()["used"] + 40, "the last rounds")
    for _, path, process in crew:
        process.join(60)
        assert process.exitcode == 0, f"stuck or failed: {path.read_text()[-300:] if path.exists() else path}"
    return moments, waits


@pytest.mark.parametrize("kills", [20, pytest.param(500, marks=pytest.mark.campaign)])
def test_workers_killed_at_random_lose_nothing(url, kills, tmp_path, record):
    """Shown to fail: with the statements of a tell committed one by one (no BEGIN IMMEDIATE) a round is told in the log
    and open in its table; and see the test below."""
    study = created(url, "causal-top-two" if kills > 20 else "ucb", lease=timedelta(seconds=0.5))
    (folder := tmp_path / "lines").mkdir()
    moments, waits = killed(study, url, folder, kills)
    acknowledged, status = audit(study, lines_of(folder.iterdir()))
    again = imported(f"sqlite:///{tmp_path}/again.db", exported(study))  # folded anew from the log
    assert again.best() == study.best()
    assert np.array_equal(again.estimates().mean, study.estimates().mean, equal_nan=True)
    if kills > 20:
        where = ", ".join(f"{n} {w}" for w, n in sorted(moments.items()))
        record(
            f"{study.storage.engine.name}: {kills} kills ({where}); {acknowledged} acknowledged; {dict(status)}; who came "
            f"next waited {np.median(waits):.3f} s in the middle, {max(waits):.3f} s at most"
        )


def test_an_acknowledgement_that_comes_too_early_is_found_out(tmp_path):
    """A worker that says it has told and is killed before it has: the audit must see that the round is lost."""
    url = f"sqlite:///{tmp_path}/farm.db"
    study = created(url, horizon=10, lease=0.0)
    (asked,) = study.ask("hasty")
    (folder := tmp_path / "lines").mkdir()
    work(url, study.name, "slow", folder / "slow.1")
    audit(study, lines_of(folder.iterdir()))
    (folder / "hasty.0").write_text(f"asked 0 {asked.number}\ntold 0 {asked.number} good\n")
    with pytest.raises(AssertionError, match="acknowledged and is lost"):
        audit(study, lines_of(folder.iterdir()))
    (folder / "hasty.0").write_text("asked 0 2\n")
    with pytest.raises(AssertionError, match="handed to two workers"):
        audit(study, lines_of(folder.iterdir()))


VERBS = {
    "ask": ("ask", ("bob", 2), {}),
    "tell": ("tell", (1, {"yield": "good"}), {"key": "k"}),
    "tell, and the block is complete": ("tell", (2, {"yield": "good"}), {}),
    "withdraw": ("withdraw", (2, "hail"), {}),
    "amend": ("amend", (1, {"yield": "bad"}, "misread"), {}),
    "note": ("note", ("wind",), {}),
    "extend": ("extend", (50, "more money"), {}),
    "close": ("close", (), {}),
}


@pytest.mark.parametrize("verb", VERBS)
def test_killed_before_any_statement_changes_nothing(url, verb, tmp_path):
    study = created(url, horizon=30, parameters={"block": 2 if "complete" in verb else 4})
    study.ask("ann", 2)
    if verb in ("amend", "tell, and the block is complete"):
        study.tell(1, {"yield": "good"})
    process = started(die_at_every_statement, url, study.name, *VERBS[verb], tmp_path / "deaths")
    process.join(60)
    assert process.exitcode == 0
    assert int((tmp_path / "deaths").read_text()) >= 4
