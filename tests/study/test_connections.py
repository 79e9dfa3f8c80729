"""Connections to databases: few for any number of studies, closed when asked, and never to a file that is gone."""

import contextlib
import gc
import os
import shutil
import threading
import time
from pathlib import Path

import psycopg
import pytest

import bestdo
from bestdo.study import Study
from support import ROOT

FARM = bestdo.read(ROOT / "examples" / "farm.toml").problem
SIZES = [30, pytest.param(2_000, marks=pytest.mark.campaign)]


def created(url, name):
    return Study.create(FARM, 10, learner="ucb", name=name, storage=url, load_if_exists=True)


def files_open(folder):
    """How often this process has databases of a folder open."""
    found = []
    for handle in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found.append(os.readlink(handle))
    return sum(name.startswith(str(folder)) and name.endswith(".db") for name in found)


def connected(postgres, application):
    """How many connections of an application the server has."""
    with psycopg.connect(postgres) as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"
        return connection.execute(query, (application,)).fetchone()[0]


@pytest.mark.parametrize("size", SIZES)
def test_any_number_of_studies_in_a_server_that_allows_20_connections(postgres, size):
    here = f"&application_name=many{size}"
    studies = [created(postgres + here, f"many {i}") for i in range(size)]
    for study in studies:
        study.tell(study.ask("ann")[0].number, {"yield": "good"})
    assert connected(postgres, f"many{size}") == 1
    opened = [Study.open(study.name, postgres + here) for study in studies]
    assert {study.status()["told"] for study in opened} == {1}
    assert connected(postgres, f"many{size}") == 1
    del study, studies, opened
    gc.collect()
    assert connected(postgres, f"many{size}") == 0


@pytest.mark.parametrize("size", SIZES)
def test_any_number_of_studies_in_one_file(tmp_path, size):
    url = f"sqlite:///{tmp_path}/farm.db"
    studies = [created(url, f"many {i}") for i in range(size)]
    for study in studies:
        study.tell(study.ask("ann")[0].number, {"yield": "good"})
    assert files_open(tmp_path) == 1
    del study, studies
    gc.collect()
    assert files_open(tmp_path) == 0


@pytest.mark.parametrize("size", SIZES)
def test_any_number_of_files(tmp_path, size):
    with created(f"sqlite:///{tmp_path}/0.db", "farm"):
        pass
    for i in range(1, size):
        shutil.copy(tmp_path / "0.db", tmp_path / f"{i}.db")
    studies = [Study.open("farm", f"sqlite:///{tmp_path}/{i}.db") for i in range(size)]
    for study in studies:
        study.tell(study.ask("ann")[0].number, {"yield": "good"})
    assert files_open(tmp_path) <= 16
    assert {study.status()["told"] for study in studies} == {1}


def test_thirty_threads_share_four_connections(url, postgres, tmp_path):
    url = url if url.startswith("sqlite") else f"{url}&application_name=threads"
    study = created(url, "threads")
    together = threading.Barrier(30)

    def work():
        together.wait()
        for _ in range(4):
            assert Study.open("threads", url).status()["used"] == 0
            study.note("here")

    threads = [threading.Thread(target=work) for _ in range(30)]
    for thread in threads:
        thread.start()
    most = 0
    while any(thread.is_alive() for thread in threads):
        now = files_open(tmp_path) if url.startswith("sqlite") else connected(postgres, "threads")
        most = max(most, now)
        time.sleep(0.02)
    assert 1 <= most <= 4
    assert len(study.history()) == 1 + 30 * 4


def test_connections_are_closed_when_asked(url, postgres, tmp_path):
    def count():
        return files_open(tmp_path) if url.startswith("sqlite") else connected(postgres, "asked")

    url = url if url.startswith("sqlite") else f"{url}&application_name=asked"
    with created(url, "asked") as study:
        assert study.ask("ann")
        with Study.open("asked", url) as other:
            other.status()
        assert count() > 0  # the first one is still in use
    assert count() == 0
    assert len(study.status()["open"]) == 1  # it opens a connection again
    assert count() > 0
    study.storage.close()
    assert count() == 0


def test_a_file_that_was_replaced_is_opened_again(tmp_path):
    url = f"sqlite:///{tmp_path}/farm.db"
    first = created(url, "farm")
    first.ask("ann")
    for file in tmp_path.iterdir():
        file.unlink()
    second = created(url, "farm")
    assert second.status()["used"] == 0
    assert first.status()["used"] == 0
    second.ask("ann")
    assert first.status()["used"] == 1


def test_a_relative_name_stays_the_same_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = created("sqlite:///farm.db", "farm")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    study.storage.close()
    study.ask("ann")
    assert [file.name for file in tmp_path.glob("**/*.db")] == ["farm.db"]
    assert created("sqlite:///farm.db", "farm").status()["used"] == 0


def test_a_forked_process_has_connections_of_its_own(url):
    study = created(url, "forked")
    (asked,) = study.ask("parent")
    child = os.fork()
    if not child:
        try:
            study.tell(asked.number, {"yield": "good"})
            os._exit(len(study.rounds()) != 1)
        finally:
            os._exit(2)
    study.note("meanwhile")
    assert os.waitpid(child, 0)[1] == 0
    assert study.status()["told"] == 1
    assert sorted(e["kind"] for e in study.history())[-2:] == ["planned", "told"]
