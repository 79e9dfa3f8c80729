"""A full disk and a disk that may only be read: one clear sentence, nothing half-written, and the next try works."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys

import pytest

import bestdo
from bestdo.errors import StorageError
from bestdo.study import Study
from support import ROOT
from workers import PROCESSES, snapshot

FARM = bestdo.read(ROOT / "examples" / "farm.toml")
NAME = "farm"


def created(folder, told=12, horizon=2000):
    study = Study.create(FARM.problem, horizon, learner="ucb", name=NAME, storage=url(folder), parameters={"block": 4})
    for k in range(told):
        (asked,) = study.ask("ann")
        study.tell(asked.number, {"yield": "good" if k % 3 else "bad"})
    return study


def url(folder):
    return f"sqlite:///{folder}/farm.db"


def told_until_it_fails(study, note=""):
    """Asks, tells and writes long notes until the disk says no; the error."""
    try:
        for _ in range(1000):
            (asked,) = study.ask("ann")
            study.tell(asked.number, {"yield": "good"})
            study.note(note)
    except StorageError as error:
        return str(error)
    return pytest.fail("it never failed")


def goes_on(folder, before):
    """Nothing was half-written, and the next try works."""
    with sqlite3.connect(folder / "farm.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    study = Study.open(NAME, url(folder))
    log = study.history()
    assert log[: len(before)] == before
    told = study.status()["told"]
    (asked,) = study.ask("ann")
    study.tell(asked.number, {"yield": "bad"})
    assert study.status()["told"] == told + 1
    assert study.estimates().played.sum() == told + 1


def _limited(folder, size):
    """In a process of its own: no file may grow beyond a size, as on a full disk; then it may again."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    study = Study.open(NAME, url(folder))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    message = told_until_it_fails(study, "wind " * 100)
    assert "disk I/O error" in message or "full" in message, message
    assert "Nothing was half-written; try again" in message
    before = study.history()
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    goes_on(folder, before)


@pytest.mark.parametrize("room", [0, 100, 4096, 20_000])
def test_a_file_that_cannot_grow(tmp_path, room):
    """As on a full disk, at several places of the transaction: in the journal, in the database."""
    created(tmp_path)
    process = PROCESSES.Process(target=_limited, args=(tmp_path, os.path.getsize(tmp_path / "farm.db") + room))
    process.start()
    process.join(100)
    assert process.exitcode == 0


@pytest.fixture
def disk(tmp_path):
    """A disk of one megabyte of our own."""
    (folder := tmp_path / "disk").mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def test_a_full_disk(disk):
    study = created(disk)
    message = told_until_it_fails(study, "wind " * 400)
    assert "database or disk is full" in message
    log = study.history()
    done = subprocess.run(
        [sys.executable, "-m", "bestdo", "note", "wind " * 20_000, "--storage", url(disk)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert "database or disk is full. Nothing was half-written; try again" in done.stderr
    assert study.history() == log
    shutil.copy(disk / "farm.db", disk.parent / "farm.db")  # to where there is room
    goes_on(disk.parent, log)


def test_a_disk_that_becomes_read_only(disk):
    study = created(disk)
    (asked,) = study.ask("ann")
    before = snapshot(url(disk), NAME)
    study.storage.engine.dispose()  # a disk in use is not made read-only
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    for again in (study, Study.open(NAME, url(disk))):
        with pytest.raises(StorageError, match="readonly database"):
            again.tell(asked.number, {"yield": "good"})
        assert again.best()  # what is known can still be read
    tell = [sys.executable, "-m", "bestdo", "tell", str(asked.number), "yield=good", "--storage", url(disk)]
    done = subprocess.run(tell, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert "readonly database" in done.stderr
    assert "Traceback" not in done.stderr
    assert snapshot(url(disk), NAME) == before
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    assert subprocess.run(tell, capture_output=True, check=False).returncode == 0
    goes_on(disk, [])


def test_a_file_that_may_only_be_read(tmp_path):
    """The same without a mount: the file and its folder may not be changed, not even by root."""
    study = created(tmp_path)
    (asked,) = study.ask("ann")
    before = snapshot(url(tmp_path), NAME)
    locked = [tmp_path / "farm.db", tmp_path]
    if os.geteuid() == 0:
        if subprocess.run(["chattr", "+i", *locked], capture_output=True, check=False).returncode:
            pytest.skip("this file system knows no files that root may not change")
    else:
        for each in locked:
            each.chmod(0o500)
    try:
        with pytest.raises(StorageError, match=r"readonly database|unable to open"):
            Study.open(NAME, url(tmp_path)).tell(asked.number, {"yield": "good"})
        assert snapshot(url(tmp_path), NAME) == before
    finally:
        if os.geteuid() == 0:
            subprocess.run(["chattr", "-i", *locked], check=True)
        else:
            for each in locked:
                each.chmod(0o700)
    Study.open(NAME, url(tmp_path)).tell(asked.number, {"yield": "good"})
    goes_on(tmp_path, [])
