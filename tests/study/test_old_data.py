"""Old data in a study: they count, they cost nothing, they can be taken back, and they travel with the log."""

import json
import os

import numpy as np
import polars as pl
import pytest

from bestdo import compose, do
from bestdo.bandit.rounds import Plan
from bestdo.errors import Conflict, NotValid
from bestdo.study import Study, blocks
from bestdo.study.exchange import exported, imported
from bestdo.study.verbs import observe as old_of_studies
from farm import FARM, NAMES, WORLD, created, everything, played
from support import SINGLE, numbers_of

ACTIONS = FARM.problem.actions
LAWFUL = compose(FARM).problem


def seasons(rows, seed=0):
    """A log of seasons in which nobody set anything."""
    counts = np.zeros((1, len(ACTIONS)), int)
    counts[0, ACTIONS.index(do())] = rows
    x = WORLD.rounds(Plan(counts), np.random.default_rng(seed)).x
    return pl.DataFrame(
        {n: np.array(FARM.graph.variable(n).values)[x[:, i]].tolist() for i, n in enumerate(FARM.graph.names)}
    )


def lawful(url, learner, horizon=20, **more):
    return Study.create(
        LAWFUL, horizon, learner=learner, name=f"lawful {os.getpid()} {next(NAMES)}", storage=url, **more
    )


def folded(study):
    with study.reading() as log:
        return blocks.fold_log(log, study.book(log))


@pytest.mark.parametrize("learner", SINGLE)
def test_every_learner_takes_old_data_and_plays_all_its_rounds(tmp_path, learner):
    study = lawful(f"sqlite:///{tmp_path}/farm.db", learner, 24)
    before = study.estimates()
    found = study.observe(seasons(300), who="ann")
    assert found.rows == found.whole == 300
    after = study.estimates()
    assert after.seen.sum() > before.seen.sum()
    assert not after.played.any()
    assert study.status()["used"] == 0
    assert 0 < len(played(study, np.random.default_rng(0))) <= 24
    assert study.estimates().played.sum() <= 24


def test_observed_once_taken_back_and_again(url, tmp_path):
    study, rng = created(url, "algorithm-1", 40), np.random.default_rng(1)
    log = seasons(30)
    log.write_csv(tmp_path / "log.csv")
    played(study, rng, most=5)
    before = everything(study)
    found = study.observe(tmp_path / "log.csv", who="ann")
    assert everything(study) != before
    with pytest.raises(Conflict, match="observed already"):
        study.observe(log.sample(fraction=1, shuffle=True, seed=3))
    study.observe(log, force=True)
    assert len(study.old_data()) == 2
    study.observe(seasons(20, seed=5))
    event = next(e for e in study.history() if e["kind"] == "observed")
    assert (event["who"], event["rows"], event["fingerprint"]) == ("ann", 30, found.fingerprint)
    assert "x" not in event
    for _ in range(2):
        study.unobserve(found.fingerprint[:6], "the wrong field", who="bob")
    with pytest.raises(Conflict, match="unknown fingerprint"):
        study.unobserve(found.fingerprint)
    study.unobserve(study.old_data()[0].fingerprint)
    assert everything(study) == before == everything(Study.open(study.name, url))
    assert study.history()[-1]["kind"] == "unobserved"


def test_old_data_are_folded_exported_and_imported(url, tmp_path):
    study, rng = created(url, "algorithm-1", 30), np.random.default_rng(1)
    study.observe(seasons(50))
    played(study, rng, most=12)
    study.observe(seasons(15, seed=2))
    copy = imported(f"sqlite:///{tmp_path}/copy.db", json.loads(json.dumps(exported(study))))
    assert everything(copy) == everything(study)
    assert [o.fingerprint for o in copy.old_data()] == [o.fingerprint for o in study.old_data()]
    assert [str(a) for a in played(copy, np.random.default_rng(5))] == [
        str(a) for a in played(study, np.random.default_rng(5))
    ]
    for each in (study, copy):
        with each.reading() as log:
            kept = each.book(log).state
        game = each.journal.game
        assert numbers_of(game.estimates(kept)) == numbers_of(game.estimates(folded(each)))
    copy.change_learner("top-two", "another idea")  # knows the old data as well
    assert copy.estimates().seen[0, ACTIONS.index(do())] >= 65


def test_old_rounds_are_as_good_as_rounds_that_were_told(tmp_path):
    """The estimates after so many old rows are those after the same rows told one by one as rounds of do()."""
    url, log = f"sqlite:///{tmp_path}/farm.db", seasons(25)
    told, seen = created(url, "watching", 25), created(url, "watching", 25)
    for row in log.iter_rows(named=True):
        (asked,) = told.ask("me")
        assert asked.action == do()
        told.tell(asked.number, row)
    seen.observe(log)
    for part in ("mean", "low", "high", "seen"):
        np.testing.assert_array_equal(getattr(told.estimates(), part), getattr(seen.estimates(), part))


def test_algorithm_2_knows_how_many_old_rounds_there_are_and_takes_them_only_first(tmp_path):
    url = f"sqlite:///{tmp_path}/farm.db"
    study = lawful(url, "algorithm-2")
    study.observe(seasons(500))
    study.observe(seasons(100, seed=1).with_columns(moisture=pl.lit(None)))  # no use to it
    assert study.learner.watched == 500
    assert Study.open(study.name, url).learner.watched == 500
    assert played(study, np.random.default_rng(0)).count(do()) == 0
    for wrong in (lambda: study.observe(seasons(9, seed=7)), lambda: study.unobserve(study.old_data()[0].fingerprint)):
        with pytest.raises(NotValid, match="before the first round"):
            wrong()
    assert len(study.old_data()) == 2
    plugged = lawful(url, "algorithm-2", parameters={"estimator": "plug-in"})
    played(plugged, np.random.default_rng(0), most=3)
    plugged.observe(seasons(500))
    assert plugged.estimates().seen[0, 0] >= 500


def test_with_too_many_different_rows_the_sums_are_kept_and_the_learner_is_fixed(tmp_path, monkeypatch):
    url, log = f"sqlite:///{tmp_path}/farm.db", seasons(200)
    whole, study = created(url, "algorithm-1"), created(url, "algorithm-1")
    whole.observe(log)
    few = old_of_studies.observed
    monkeypatch.setattr(old_of_studies, "observed", lambda *some: few(*some, most=5))
    found = study.observe(log)
    assert found.sums is not None
    assert study.answered(found) == []
    assert everything(study) == everything(whole)
    for change in (
        lambda: study.change_learner("uniform", "no"),
        lambda: study.add_action("do(nutrient=rich, moisture=wet)", ""),
    ):
        with pytest.raises(NotValid, match="only the sums"):
            change()
    study.unobserve(found.fingerprint)
    study.change_learner("uniform", "now it can be")
    with pytest.raises(NotValid, match="too many different rows"):
        lawful(url, "algorithm-2").observe(log)


def test_old_data_that_contradict_the_graph_raise_the_alarm_with_the_rounds(tmp_path):
    study = created(f"sqlite:///{tmp_path}/farm.db", "algorithm-1", 40)
    together = seasons(3000).with_columns(
        temperature=pl.when(pl.col("moisture") == "wet").then(pl.lit("high")).otherwise("temperature")
    )
    study.observe(together)
    assert any("temperature" in alarm.claim and "moisture" in alarm.claim for alarm in study.alarms())
    played(study, np.random.default_rng(0), most=16)
    assert study.status()["learner"] == "top-two"
    assert study.estimates().seen[0, ACTIONS.index(do())] == 3000  # what was seen of do() needs no graph


def test_a_rehearsal_of_what_is_left_knows_the_old_data(tmp_path):
    study = created(f"sqlite:///{tmp_path}/farm.db", "algorithm-1", 40)
    assert study.progress().old is None
    study.observe(seasons(120))
    study.observe(seasons(30, seed=1))
    assert study.progress().old.times.sum() == 150


def test_the_reason_for_a_round_knows_the_old_data(tmp_path):
    study = created(f"sqlite:///{tmp_path}/farm.db", "algorithm-1", 40)
    study.observe(seasons(400))
    (asked,) = study.ask("me")
    assert asked.reason.startswith("rarely seen, in ")
    assert " of 400 rounds of watching: now such actions are played; " in asked.reason
