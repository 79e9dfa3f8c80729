"""What happens to a study as a whole: another learner, a further action, costs, the archive; and its log alone."""

import contextlib
import json
import os
import shutil
import sqlite3
from dataclasses import replace

import numpy as np
import pytest

import bestdo
from bestdo.errors import BestdoError, Conflict, Finished, NotValid
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.study.replay import replay_log
from bestdo.study.storage import restored
from farm import FARM, NAMES, created, everything, happened, played
from support import DATA

EXPECTED = {
    "best": "do(moisture=wet)",
    "mean": [0.777777777778, 0.75, 0.666666666667, 0.333333333333, 1.0, 0.75, 1.0],
    "played": [9.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0],
    "asked": "do(temperature=high)",
}
"""What the version that wrote tests/fixtures/schema-0001.db said of it."""


def test_another_learner_goes_on_with_all_that_is_known(url):
    study, rng = created(url, "algorithm-1", 20), np.random.default_rng(0)
    played(study, rng, most=12)
    before = study.estimates().played.sum()
    study.change_learner("top-two", "seeing is not doing after all", parameters={"block": 2}, who="ann")
    assert study.status()["learner"] == "top-two"
    assert study.estimates().played.sum() == before
    other = Study.open(study.name, url)
    assert everything(other) == everything(study)
    assert len(played(other, rng)) == 8  # what was planned is handed out, then the new learner's blocks
    assert study.estimates().played.sum() == 20  # an object that was open all the time has heard of it
    event = next(e for e in study.history() if e["kind"] == "learner")
    assert (event["who"], event["learner"], event["why"]) == ("ann", "top-two", "seeing is not doing after all")
    with pytest.raises(BestdoError, match="unknown learner 'nobody'"):
        study.change_learner("nobody", "a slip")
    assert study.status()["learner"] == "top-two"


def test_a_learner_that_needs_its_own_design_cannot_come_later(url):
    study = Study.create(FARM.problem, 20, learner="uniform", name=f"lawful {os.getpid()} {next(NAMES)}", storage=url)
    with pytest.raises(NotValid, match="needs the law"):
        study.change_learner("algorithm-2", "the tables are known")
    lawful = bestdo.compose(FARM).problem
    study = Study.create(lawful, 20, learner="top-two", name=f"lawful {os.getpid()} {next(NAMES)}", storage=url)
    played(study, np.random.default_rng(0), most=3)
    with pytest.raises(NotValid, match="only be chosen before the first round"):
        study.change_learner("algorithm-2", "the tables are known")
    assert study.status()["learner"] == "top-two"


def test_an_action_is_added(url):
    study, rng = created(url, "top-two", 30), np.random.default_rng(1)
    stale = Study.open(study.name, url)
    played(study, rng, most=8)
    study.add_action("do(temperature=high, moisture=wet)", "both at once can be paid for")
    assert len(study.problem.actions) == len(FARM.problem.actions) + 1
    assert study.estimates().played.shape[1] == len(study.problem.actions)
    rest = []
    while True:
        try:
            (asked,) = stale.ask("me")  # opened before the action was there
        except Finished:
            break
        rest.append(asked.action)
        stale.tell(asked.number, {**happened(next(iter(FARM.problem.actions)), rng), **asked.action, "yield": "good"})
    assert bestdo.do(temperature="high", moisture="wet") in rest
    with pytest.raises(Conflict, match="among the study's actions already"):
        study.add_action("do(temperature=high, moisture=wet)", "again")
    with pytest.raises(BestdoError, match="moisture"):
        study.add_action("do(moisture=soaked)", "no such value")
    with pytest.raises(BestdoError, match="cost nothing"):
        study.add_action("do(temperature=low, moisture=wet)", "dear", cost=3)


def test_what_is_known_from_tables_is_known_of_an_added_action(url):
    lawful = bestdo.compose(FARM).problem
    study = Study.create(lawful, 20, learner="algorithm-2", name=f"lawful {os.getpid()} {next(NAMES)}", storage=url)
    study.add_action("do(temperature=high, moisture=wet)", "both can be paid for")
    actions = study.problem.actions
    assert study.problem.law == FARM.model.parent_law(actions)
    assert len(actions) == 8


def costly(url, learner="thompson", budget=30.0):
    cost = tuple(1.0 if not a else 2.5 for a in FARM.problem.actions)
    problem = replace(FARM.problem, cost=cost)
    return Study.create(
        problem, budget=budget, learner=learner, name=f"costly {os.getpid()} {next(NAMES)}", storage=url
    )


def test_a_budget_is_never_overspent_and_given_back_for_what_was_not_played(url):
    study, rng = costly(url), np.random.default_rng(2)
    (asked,) = study.ask("me")
    spent = study.status()["used"]
    assert spent == (1.0 if not asked.action else 2.5)
    study.withdraw(asked.number, "rain", lost=False)
    assert study.status()["used"] == 0
    actions = played(study, rng)
    assert study.status()["used"] == sum(1.0 if not a else 2.5 for a in actions) <= 30
    assert study.best().left == 30 - study.status()["used"]
    assert study.status()["unit"] == "cost"
    with pytest.raises(BestdoError, match="the cheapest action costs 1"):
        costly(url, budget=0.5)
    study.extend(budget=40, why="a gift")
    assert played(study, rng)
    study.add_action("do(temperature=high, moisture=wet)", "new", cost=4)
    assert study.problem.cost[-1] == 4
    with pytest.raises(BestdoError, match="needs a cost"):
        study.add_action("do(temperature=low, moisture=wet)", "new")


def test_closed_and_archived_and_back(url):
    study = created(url, "uniform", 7)
    (asked,) = study.ask("ann")
    study.archive("the season is over")
    assert study.status()["archived"]
    with pytest.raises(Finished, match="closed"):
        study.ask("bob")
    study.tell(asked.number, {"yield": "good"})  # what was out can still be told
    study.unarchive()
    assert len(played(study, np.random.default_rng(0))) == 6
    with pytest.raises(Conflict, match="not archived"):
        study.unarchive()
    with pytest.raises(Conflict, match="not closed"):
        study.reopen()


def test_everything_follows_from_the_log(url, tmp_path):
    study, rng = created(url, "algorithm-1", 16, lease=0.0), np.random.default_rng(3)
    (late,) = study.ask("ann")
    played(study, rng, most=5)
    study.tell(late.number, happened(late.action, rng))
    study.withdraw(3, "hail")
    study.withdraw(4, "never played", lost=False)
    study.amend(2, happened(late.action, rng), "misread", happened=True)
    study.extend(18, "another field")
    study.change_learner("top-two", "another idea")
    study.add_action("do(temperature=high, moisture=wet)", "both at once")
    played(study, rng, most=2)
    data = json.loads(json.dumps(exported(study)))
    assert set(data) == {"bestdo study", "name", "events"}
    book, rounds = replay_log(data["events"])
    assert len(rounds) == len(study.rounds())
    for mine, theirs in zip(rounds, study.rounds(), strict=True):
        assert {k: mine[k] for k in ("number", "action", "worker", "status")} == {
            k: theirs[k] for k in ("number", "action", "worker", "status")
        }
    assert book.used == study.status()["used"]
    copy = imported(f"sqlite:///{tmp_path}/copy.db", data)
    assert everything(copy) == everything(study)
    assert [a.action for a in copy.ask("bob")] == [a.action for a in study.ask("bob")]
    data["events"][5]["kind"] = "unheard of"
    with pytest.raises(BestdoError, match="'unheard of'"):
        replay_log(data["events"])


def test_a_backup_is_restored(tmp_path):
    url = f"sqlite:///{tmp_path}/farm.db"
    study, rng = created(url, "top-two", 30), np.random.default_rng(4)
    played(study, rng, most=5)
    before = everything(study)
    study.storage.backup(tmp_path / "copy.db")
    played(study, rng, most=5)
    kept = restored(url, tmp_path / "copy.db")
    assert everything(Study.open(study.name, url)) == before
    assert everything(Study.open(study.name, f"sqlite:///{kept}")) == everything_of_ten(study, kept)
    (tmp_path / "no.db").write_text("no database")
    with pytest.raises(BestdoError):
        restored(url, tmp_path / "no.db")
    assert everything(Study.open(study.name, url)) == before


def everything_of_ten(study, kept):
    found = Study.open(study.name, f"sqlite:///{kept}")
    assert found.estimates().played.sum() == 10
    return everything(found)


def test_a_database_of_an_older_schema_is_brought_up_to_date_after_a_backup(tmp_path):
    old = tmp_path / "old.db"  # 13 rounds told, one amended, one lost; one is out with Bob
    shutil.copy(DATA / "schema-0001.db", old)
    study = Study.open("farm", f"sqlite:///{tmp_path}/old.db")
    dumps = []
    for file in (DATA / "schema-0001.db", tmp_path / "old.db.schema-0001.backup"):
        with contextlib.closing(sqlite3.connect(file)) as connection:
            dumps.append(list(connection.iterdump()))
    assert dumps[0] == dumps[1]
    assert str(study.best().action) == EXPECTED["best"]
    assert study.estimates().mean[0] == pytest.approx(EXPECTED["mean"], nan_ok=True)
    assert study.estimates().played[0].tolist() == EXPECTED["played"]
    (asked,) = study.ask("bob")
    assert (asked.number, str(asked.action)) == (14, EXPECTED["asked"])
    assert len(played(study, np.random.default_rng(0), worker="bob")) == 7
    copy = imported(f"sqlite:///{tmp_path}/copy.db", exported(study))
    assert everything(copy) == everything(study)
