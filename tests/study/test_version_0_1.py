"""Everything that version 0.1 wrote is read, means the same, and goes on (see tests/fixtures/v0.1/README.md)."""

import contextlib
import csv
import gzip
import json
import math
import os

import numpy as np
import polars as pl
import pytest
import sqlalchemy as sa

from bestdo.bandit.problem import Problem
from bestdo.errors import Conflict, Finished, Waiting
from bestdo.learners import LEARNERS
from bestdo.memory_cache import memory_cache
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.study.storage import Storage
from bestdo.study.study import names
from support import DATA
from support import bestdo as command
from support import bestdo_here as command_here

HERE = DATA / "v0.1"
ANSWERS = json.loads((HERE / "answers.json").read_text())
STUDIES, OF_LEARNERS = ANSWERS["studies"], ANSWERS["learners"]
WORDS = {"name", "sure", "one_by_one"}  # may be said in other words; whom it makes wait is said by any_time
IMPROVED = {
    "lucb": "told round by round, it breaks other ties",
    "track-and-stop": "told round by round, it breaks other ties",
    "watch-then-act": "intervals by formula are honest since 0.2",
    "causal-top-two": "believes since 0.2 that an arrow may matter, not that it must",
}
"""Learners that estimate otherwise than in version 0.1: their studies open and go on, with other numbers."""

SHOWN = {"thompson", "top-two"}
"""Learners that show since 0.2 the posterior means by which they recommend: they play and recommend the same."""

ALARMS = {"another learner": 0}
"""How many alarms these studies raise now: perfect agreement of few rounds is found one round later."""


@pytest.fixture(autouse=True, scope="module")
def _forget():
    """Nothing that was cached is shared with tests in which not all actions compete."""
    memory_cache.clear()
    yield
    memory_cache.clear()


@pytest.fixture(autouse=True)
def all_compete(monkeypatch):
    """As in version 0.1, actions that cannot be the best compete as well; `monkeypatch.undo()` ends it."""
    monkeypatch.setattr(Problem, "contenders", property(lambda problem: np.ones(len(problem.actions), bool)))


def close(one, other):
    """The same to 1e-9, NaN included."""
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(one) and math.isnan(other))


def same_numbers(study, answered):
    estimates, learner = study.estimates(), study.status()["learner"]
    improved = learner in IMPROVED
    if learner in SHOWN:
        answered = {part: answered[part] for part in ("played", "seen")}
    for part, numbers in answered.items():
        now = getattr(estimates, part)[0].tolist()
        assert len(now) == len(numbers)
        assert improved or all(map(close, now, numbers)), part


def says_the_same(study, answered, later=frozenset()):
    """Where it stands, what is best, what is estimated and what happened is what version 0.1 said."""
    status, before = study.status(), answered["status"]
    keys = set(before) - WORDS - later
    assert {k: status[k] for k in keys} == {k: before[k] for k in keys}
    assert (status["sure"] is None) == (before["sure"] is None)
    best, (action, *numbers) = study.best(), answered["best"]
    if before["learner"] not in IMPROVED:
        assert str(best.action) == action
        assert close(best.left, numbers[-1])
        if before["learner"] not in SHOWN:
            assert all(map(close, (best.mean, best.low, best.high), numbers))
    same_numbers(study, answered["estimates"])
    assert [each["status"] for each in study.rounds()] == answered["rounds"]
    assert len(study.history()) == answered["events"]
    assert len(study.alarms()) == ALARMS.get(study.name, answered["alarms"])
    assert [old.rows for old in study.old_data()] == answered["old rows"]


def seen(problem, action, number):
    """What round `number` shows: the formula with which the answers were made."""
    graph, values = problem.graph, {}
    for place, name in enumerate(graph.observed):
        options = graph.variable(name).values
        values[name] = action[name] if name in action else options[(number * (place + 2) + number // 3) % len(options)]
    return values


def goes_on(study, answered):
    """Asked again, it hands out the rounds that version 0.1 handed out, and ends with the same estimates."""
    improved = study.status()["learner"] in IMPROVED
    for expected in answered["asked"]:
        if expected == "Waiting" and study.status()["any_time"]:
            assert study.ask("eve")
            return
        if isinstance(expected, str):
            with pytest.raises({"Finished": Finished, "Waiting": Waiting}[expected]):
                study.ask("eve")
            continue
        (one,) = study.ask("eve")
        assert one.number == expected[0]
        assert improved or str(one.action) == expected[1]
        study.tell(one.number, seen(study.problem, one.action, one.number), who="eve")
    assert improved or str(study.best().action) == answered["best"]
    same_numbers(study, answered["estimates"])


def unpacked(name, folder):
    """The URL of a copy of a database of version 0.1."""
    (folder / f"{name}.db").write_bytes(gzip.decompress((HERE / f"{name}.db.gz").read_bytes()))
    return f"sqlite:///{folder}/{name}.db"


@pytest.fixture(scope="module")
def databases(tmp_path_factory):
    """The databases that tests look into and go on with, each test with a study of its own."""
    folder = tmp_path_factory.mktemp("v0.1")
    return {name: unpacked(name, folder) for name in ("studies", "learners")}


def test_every_kind_of_line_is_there():
    assert ANSWERS["kinds"] == [
        "added", "alarmed", "amended", "archived", "asked", "closed", "created", "expired", "extended", "learner", "noted",
        "observed", "planned", "reopened", "told", "unarchived", "unobserved", "withdrawn",
    ]  # fmt: skip
    assert set(OF_LEARNERS) <= set(LEARNERS)
    assert len(OF_LEARNERS) == 20


def test_all_studies_are_listed(databases):
    assert set(names(Storage(databases["studies"]))) == set(STUDIES)
    done = command("studies", "--storage", databases["studies"], "-f", "json")
    assert done.returncode == 0, done.stderr
    assert {each["name"] for each in json.loads(done.stdout)} == set(STUDIES) - {"archived"}


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_in_a_database_goes_on(name, databases, tmp_path):
    answered, study = STUDIES[name], Study.open(name, databases["studies"])
    says_the_same(study, answered["said"])
    before = exported(study)
    assert before == json.loads((HERE / "exports" / answered["file"]).read_text())
    goes_on(study, answered["goes on"])
    again = imported(f"sqlite:///{tmp_path}/again.db", json.loads(json.dumps(exported(study))))
    same_numbers(again, answered["goes on"]["estimates"])
    assert exported(study)["events"][: len(before["events"])] == before["events"]  # nothing is rewritten


@pytest.mark.parametrize("name", STUDIES)
def test_an_export_is_imported_and_goes_on(name, tmp_path):
    data = json.loads((HERE / "exports" / STUDIES[name]["file"]).read_text())
    study = imported(f"sqlite:///{tmp_path}/there.db", data)
    says_the_same(study, STUDIES[name]["said"], later={"finished"})  # version 0.1 did not say so of an import
    assert exported(study) == data
    goes_on(study, STUDIES[name]["goes on"])


@pytest.mark.parametrize("name", OF_LEARNERS)
def test_every_learner_goes_on(name, databases):
    study = Study.open(name, databases["learners"])
    says_the_same(study, OF_LEARNERS[name]["said"])
    goes_on(study, OF_LEARNERS[name]["goes on"])


@pytest.mark.parametrize("name", OF_LEARNERS)
def test_a_study_goes_on_without_what_cannot_be_the_best(name, tmp_path, monkeypatch):
    monkeypatch.undo()
    memory_cache.clear()  # it holds states in which all compete
    study = Study.open(name, unpacked("learners", tmp_path))
    problem = study.problem
    assert not problem.contenders.all()
    with contextlib.suppress(Finished):
        for _ in range(3):
            (one,) = study.ask("eve")
            study.tell(one.number, seen(problem, one.action, one.number), who="eve")
    assert problem.contenders[problem.actions.index(study.best().action)]
    assert not study.estimates().p_best[0, ~problem.contenders].any()
    memory_cache.clear()


def test_a_database_of_postgresql_goes_on(postgres):
    engine = sa.create_engine(postgres.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql("CREATE DATABASE version_0_1")
    engine.dispose()
    url = postgres.replace("/postgres?", "/version_0_1?")
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as connection:
        connection.connection.driver_connection.execute((HERE / "postgresql.sql").read_text())
    engine.dispose()
    for name in ("in progress", "another action"):
        study = Study.open(name, url)
        says_the_same(study, STUDIES[name]["said"])
        goes_on(study, STUDIES[name]["goes on"])
    assert Study.create(study.problem, 7, learner="uniform", name="one more", storage=url).ask("ann")


def test_a_backup_is_restored_and_goes_on(tmp_path):
    unpacked("backup", tmp_path)
    os.rename(tmp_path / "backup.db", tmp_path / "kept.backup")
    done = command("restore", tmp_path / "kept.backup", "--yes", "--storage", url := f"sqlite:///{tmp_path}/new.db")
    assert done.returncode == 0, done.stderr
    study = Study.open("in progress", url)
    says_the_same(study, STUDIES["in progress"]["said"])
    goes_on(study, STUDIES["in progress"]["goes on"])


def test_the_command_line_goes_on(tmp_path):
    at = ("--storage", f"sqlite:///{tmp_path}/cli.db", "--study", "another learner")
    done = command("import", HERE / "exports" / "another-learner.json", *at[:2])
    assert done.returncode == 0, done.stderr
    asked = json.loads(command("ask", "--worker", "eve", *at, "-f", "json").stdout)
    assert [asked[0]["number"], asked[0]["action"]] == STUDIES["another learner"]["goes on"]["asked"][0]
    assert command("tell", str(asked[0]["number"]), "yield=good", *at).returncode == 0
    best = json.loads(command("best", *at, "-f", "json").stdout)
    assert best["action"]
    with pytest.raises(Conflict):
        imported(at[1], json.loads((HERE / "exports" / "another-learner.json").read_text()))


def test_tables_of_rounds_are_written_the_same(databases, tmp_path):
    url = unpacked("studies", tmp_path)
    for form in ("csv", "parquet"):
        path = tmp_path / f"rounds.{form}"
        done = command("export", "-o", path, "--storage", url, "--study", "all kinds of rounds")
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "rounds.csv").read_bytes() == (HERE / "rounds.csv").read_bytes()
    assert pl.read_parquet(tmp_path / "rounds.parquet").equals(pl.read_parquet(HERE / "rounds.parquet"))
    with (HERE / "rounds.csv").open(newline="") as file:
        statuses = [row["status"] for row in csv.DictReader(file)]
    assert statuses == STUDIES["all kinds of rounds"]["said"]["rounds"]


def test_a_plan_that_was_filled_in_is_estimated_the_same(capsys):
    command_here("estimate", HERE / "plan.toml", HERE / "plan.csv", "-f", "json")
    assert_the_same_data(json.loads(capsys.readouterr().out), ANSWERS["estimate"])


def test_a_plan_is_designed_the_same(tmp_path):
    old, sheet = HERE / "farm_log.csv", tmp_path / "plan.csv"
    done = command("design", HERE / "farm.toml", "--rounds", "30", "--data", old, "-o", sheet)
    assert done.returncode == 0, done.stderr
    assert_the_same_data(json.loads((tmp_path / "plan.json").read_text()), json.loads((HERE / "plan.json").read_text()))
    columns = [pl.read_csv(folder / "plan.csv").select("round", "action") for folder in (tmp_path, HERE)]
    assert columns[0].equals(columns[1])


def assert_the_same_data(now, before):
    """What version 0.1 said is said, numbers to 1e-9; there may be more."""
    if isinstance(before, dict):
        for key, value in before.items():
            assert_the_same_data(now[key], value)
    elif isinstance(before, list):
        assert len(now) == len(before)
        for one, other in zip(now, before, strict=True):
            assert_the_same_data(one, other)
    elif isinstance(before, float):
        assert close(now, before)
    else:
        assert now == before
