"""A torn file, at every byte of its last page: it opens with the last committed state, or with one clear sentence."""

import random
import re
import shutil
import sqlite3
import sys

import pytest

import bestdo
from bestdo.cli import main
from bestdo.errors import StorageError
from bestdo.study import Study
from bestdo.study.connections import log_is_safe
from bestdo.study.storage import Storage
from support import ROOT, numbers_of

FARM = bestdo.read(ROOT / "examples" / "farm.toml")
PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A study with 60 rounds: the path of its file and what it says."""
    path = tmp_path_factory.mktemp("whole") / "farm.db"
    study = Study.create(
        FARM.problem, 200, learner="ucb", name="farm", storage=f"sqlite:///{path}", parameters={"block": 4}
    )
    for k in range(60):
        (asked,) = study.ask("ann")
        study.tell(asked.number, {"yield": "good" if k % 3 else "bad"})
    study.storage.engine.dispose()
    assert path.stat().st_size % PAGE == 0
    return path, said(path)


def said(path):
    """Everything that a study says, and that it goes on; its error in one sentence instead."""
    study = Study.open("farm", f"sqlite:///{path}")
    found = study.history(), study.rounds(), study.status(), str(study.best()), numbers_of(study.estimates())
    study.storage.engine.dispose()
    return found


def places(every, start, end):
    """Which bytes are tried: all of them in the campaign."""
    rng = random.Random(0)
    some = {start, start + 1, end - 1, *(rng.randrange(start, end) for _ in range(20))}
    return range(start, end) if every else sorted(some)


def either(path, expected, outcomes):
    """The last committed state, or one clear sentence; and the command line says the same."""
    try:
        found = said(path)
    except StorageError as error:
        found = str(error)
    clear = re.fullmatch(r"the storage \S+ is damaged, or not a database; restore a backup, or .+", str(found))
    assert clear or found == expected
    outcomes.append("a clear error" if clear else "the last committed state")


@pytest.fixture
def command(monkeypatch, capfd):
    """`bestdo history` in this process: its exit code and what it says beside."""

    def once(path):
        monkeypatch.setattr(sys, "argv", ["bestdo", "history", "--storage", f"sqlite:///{path}"])
        with pytest.raises(SystemExit) as done:
            main()
        return done.value.code, capfd.readouterr().err

    return once


TEARS = {
    "cut off": lambda data, at, rng: data[:at],
    "zeros from there on": lambda data, at, rng: data[:at] + bytes(len(data) - at),
    "garbage from there on": lambda data, at, rng: data[:at] + rng.randbytes(len(data) - at),
    "garbage up to there": lambda data, at, rng: data[:-PAGE] + rng.randbytes(PAGE - len(data) + at) + data[at:],
}
ALL = pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.campaign)])


@ALL
@pytest.mark.parametrize("tear", TEARS)
def test_a_last_page_that_is_torn(whole, tmp_path, tear, every, command, record):
    path, expected = whole
    data, rng, outcomes = path.read_bytes(), random.Random(1), []
    end = PAGE - 16 if "garbage" in tear else PAGE  # fewer random bytes can be readable text by chance
    for place in places(every, 0, end):
        (torn := tmp_path / "torn.db").write_bytes(TEARS[tear](data, len(data) - PAGE + place, rng))
        either(torn, expected, outcomes)
        if not place % 64:
            code, err = command(torn)
            assert code == (0 if outcomes[-1].startswith("the") else 4)
            assert (not err) if code == 0 else err.startswith("error: the storage sqlite:")
    if every:
        record(f"torn, {tear}: {len(outcomes)} places, {outcomes.count('a clear error')} clear errors")


@ALL
@pytest.mark.parametrize("what", ["the database", "its journal"])
def test_a_transaction_that_a_crash_cut_off(whole, tmp_path, what, every, record):
    """The files as a crash in the middle of a commit leaves them: a journal, and a page that was written up to any byte."""
    path, expected = whole
    shutil.copy(path, crashed := tmp_path / "crashed.db")
    connection = sqlite3.connect(crashed, isolation_level=None)
    connection.execute("PRAGMA cache_size = 1")  # changed pages go to the file before the commit
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE rounds SET worker = 'bob', body = '{}'")
    connection.execute("UPDATE events SET who = 'nobody'")
    after, journal = crashed.read_bytes(), (tmp_path / "crashed.db-journal").read_bytes()
    connection.execute("ROLLBACK")
    connection.close()
    before = path.read_bytes()
    changed = [p for p in range(0, len(before), PAGE) if before[p : p + PAGE] != after[p : p + PAGE]]
    assert changed
    outcomes, last = [], changed[-1]
    for place in places(every, 0, PAGE if what == "the database" else min(PAGE, len(journal))):
        torn = tmp_path / "torn.db"
        if what == "the database":  # the journal is whole, as the page before it was written: it is rolled back
            torn.write_bytes(after[: last + place] + before[last + place :])
            (tmp_path / "torn.db-journal").write_bytes(journal)
        else:  # the journal is not whole yet, and no page was written
            torn.write_bytes(before)
            (tmp_path / "torn.db-journal").write_bytes(journal[:place])
        either(torn, expected, outcomes)
    assert set(outcomes) == {"the last committed state"}
    if every:
        record(f"a crash in a commit, {what} torn: {len(outcomes)} places, all with the last committed state")


def test_files_that_are_hardly_there(tmp_path, command):
    for size in (1, 15, 16, 100, 511, 512, 4095):
        (tmp_path / "x.db").write_bytes(b"SQLite format 3\0"[:size] + bytes(max(0, size - 16)))
        code, err = command(tmp_path / "x.db")
        assert code in (1, 4), size
        assert err.startswith("error: ")
        assert "Traceback" not in err


def test_the_rule_of_the_write_ahead_log_is_followed(whole, tmp_path):
    """WAL only where SQLite is without its reset bug, else the rollback journal; and always with FULL synchronisation."""
    path, expected = whole
    shutil.copy(path, copy := tmp_path / "farm.db")
    with sqlite3.connect(copy) as connection:
        connection.execute("PRAGMA journal_mode = WAL")  # as another program, or a newer machine, may have left it
    connection.close()
    storage = Storage(f"sqlite:///{copy}")
    mode = "wal" if log_is_safe(sqlite3.sqlite_version_info) else "truncate"
    with storage.writing() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == mode
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
    storage.engine.dispose()
    assert set(copy.read_bytes()[18:20]) == {2 if mode == "wal" else 1}  # the header's own word for it
    assert said(copy) == expected
