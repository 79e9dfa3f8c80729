"""Eight processes on one SQLite file: no error, fair shares, short waits; and nobody waits for ever for one that is stuck."""

import os
import signal
import threading
import time

import numpy as np
import psycopg
import pytest

import bestdo
from bestdo.errors import StorageError
from bestdo.study import Study, connections
from support import ROOT
from workers import PROCESSES, lines_of, started, stop_in_the_middle, work

FARM = bestdo.read(ROOT / "examples" / "farm.toml")


@pytest.mark.parametrize("seconds", [4, pytest.param(20, marks=pytest.mark.campaign)])
def test_eight_processes_share_one_file(tmp_path, seconds, record):
    """How long they wait and who gets how much is measured in the campaign only: that is the machine's as much as ours.

    So the machine's part is taken out: a worker's share is of the time in which it did not wait for a processor, and waits
    may be as much longer as the workers were slower than they would be with processors of their own.
    """
    url = f"sqlite:///{tmp_path}/farm.db"
    study = Study.create(FARM.problem, 10**6, learner="ucb", name="farm", storage=url, parameters={"block": 64})
    (folder := tmp_path / "lines").mkdir()
    together = PROCESSES.Barrier(8)
    crew = [started(work, url, "farm", f"worker{i}", folder / f"worker{i}.0", seconds, together) for i in range(8)]
    for process in crew:
        process.join(seconds + 100)
        assert process.exitcode == 0
    found = lines_of(folder.iterdir())
    told = [sum(words[0] == "told" for words in lines) for lines in found.values()]
    waits = [float(words[1]) for lines in found.values() for words in lines if words[0] in ("asked", "told", "waited")]
    held_up = [float(words[1]) for lines in found.values() for words in lines if words[0] == "held-up"]
    assert len(told) == len(held_up) == 8
    assert study.status()["told"] == sum(told)
    assert min(told) > 0
    if seconds == 20:
        record(
            f"8 processes, {seconds} s: {sum(told)} rounds, {len(waits)} calls; waits p50 {np.quantile(waits, 0.5):.3f} s, "
            f"p99 {np.quantile(waits, 0.99):.3f} s, longest {max(waits):.3f} s; shares {min(told)} to {max(told)}; "
            f"without a processor for {min(held_up):.1f} to {max(held_up):.1f} s"
        )
        share = np.array(told) / (seconds - np.array(held_up))
        assert share.max() < 3 * share.min() > 0, (told, held_up)
        assert np.quantile(waits, 0.99) < 1 / (1 - np.mean(held_up) / seconds), held_up


@pytest.mark.parametrize("in_time", [True, False])
def test_nobody_waits_for_ever_for_one_that_was_stopped(tmp_path, monkeypatch, in_time):
    monkeypatch.setattr(connections, "WAIT", 60.0 if in_time else 0.5)  # 30 seconds are too long for a test
    url = f"sqlite:///{tmp_path}/farm.db"
    study = Study.create(FARM.problem, 10, learner="ucb", name="farm", storage=url)
    holder = started(stop_in_the_middle, url, tmp_path / "stopped")
    while not (tmp_path / "stopped").exists():
        assert holder.is_alive()
        time.sleep(0.01)
    if in_time:
        threading.Timer(0.2, os.kill, (holder.pid, signal.SIGCONT)).start()
        study.ask("ann")
    else:
        with pytest.raises(StorageError, match=r"in use for more than|locked"):
            study.ask("ann")
        os.kill(holder.pid, signal.SIGKILL)
        holder.join()  # on a busy machine it takes a while to end, and holds the lock until then
        study.ask("ann")
    holder.join()


def test_postgresql_takes_the_lock_from_one_that_does_nothing(postgres, monkeypatch):
    monkeypatch.setattr(connections, "WAIT", 3.0)
    postgres += "&application_name=held"  # another address: connections of its own
    study = Study.create(FARM.problem, 10, learner="ucb", name=f"held {os.getpid()}", storage=postgres)
    other = Study.open(study.name, postgres)
    holding = other.journal.changing("bob")
    log, _ = holding.__enter__()
    log.add("noted", {"number": None, "text": "half"})
    assert study.ask("ann")
    with pytest.raises(StorageError, match="idle-in-transaction"):
        holding.__exit__(None, None, None)
    assert [e["kind"] for e in study.history()] == ["created", "planned", "asked"]
    other.note("whole")


def test_a_server_that_went_away_is_found_again(postgres):
    study = Study.create(FARM.problem, 10, learner="ucb", name=f"away {os.getpid()}", storage=postgres)
    study.ask("ann")
    with psycopg.connect(postgres) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
    with pytest.raises(StorageError, match="Nothing was half-written; try again"):
        study.tell(1, {"yield": "good"})
    study.tell(1, {"yield": "good"})
    assert study.status()["told"] == 1
