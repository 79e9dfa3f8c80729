import json
import os
import sqlite3
import time
from datetime import timedelta

import numpy as np
import pytest

from bestdo import Actions, Graph, Problem
from bestdo.errors import BestdoError, Conflict, Finished, NotValid, StorageError, Waiting
from bestdo.learners import LEARNERS
from bestdo.simulate import paper_parallel
from bestdo.study import Study, blocks
from bestdo.study.connections import log_is_safe
from bestdo.study.default_learner import choose
from bestdo.study.exchange import exported, imported, table
from farm import FARM, created, everything, happened, played
from support import SINGLE

BOW = Graph.parse("X -> Y; X <-> Y", reward="Y")
FRONT_DOOR = Graph.parse("X -> M -> Y; X <-> Y", reward="Y")
PARALLEL = paper_parallel(50, 10, 0.3)


@pytest.mark.parametrize("learner", [name for name in SINGLE if "law" not in LEARNERS[name].problems])
def test_every_learner_plays_a_whole_study(tmp_path, learner):
    study = created(f"sqlite:///{tmp_path}/farm.db", learner, 24)
    actions = played(study, np.random.default_rng(0))
    assert 0 < len(actions) <= 24
    assert study.best().played <= 24
    with pytest.raises(Finished):
        study.ask("me")


def test_opening_again_goes_on_where_it_was(url):
    one = created(url, "ucb", 12, seed=5)
    two = created(url, "ucb", 12, seed=5)
    first = played(one, np.random.default_rng(1))
    rng = np.random.default_rng(1)
    second = []
    for _ in range(12):
        second += played(Study.open(two.name, url), rng, most=1)
    assert first == second
    assert everything(one) == everything(Study.open(two.name, url))


def test_asking_again_hands_back_the_same_round(url):
    study = created(url)
    (mine,) = study.ask("ann")
    assert study.ask("ann") == [mine]
    (other,) = study.ask("bob")
    assert other.number != mine.number
    assert study.ask("ann", n=3)[0].number == mine.number
    assert mine.reason == "watching: this teaches about 6 actions at once; nothing is known yet"
    assert study.reason(mine.number) == mine.reason


def test_telling_twice_late_otherwise_and_unknown(url):
    study = created(url)
    (asked,) = study.ask("ann")
    values = {"yield": "good", "moisture": "dry"}
    study.tell(asked.number, values, key="k1")
    before = study.history()
    study.tell(asked.number, values)
    study.tell(asked.number, dict(reversed(values.items())), key="k1")
    assert study.history() == before
    with pytest.raises(Conflict, match="amend it"):
        study.tell(asked.number, {**values, "yield": "bad"})
    for number in (99, 10**20):
        with pytest.raises(BestdoError, match=f"no round {number}"):
            study.tell(number, values)
    (again,) = study.ask("ann")
    with pytest.raises(Conflict, match="belongs to round"):
        study.tell(again.number, values, key="k1")
    assert study.history()[: len(before)] == before


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"moisture": "dry"}, "the reward 'yield' must be told: one of 'bad', 'good'"),
        ({"yield": "great"}, "unknown value 'great'"),
        ({"yield": "good", "moistur": "dry"}, "did you mean 'moisture'"),
    ],
)
def test_wrong_values_change_nothing(tmp_path, values, message):
    study = created(f"sqlite:///{tmp_path}/farm.db")
    (asked,) = study.ask("ann")
    before = study.history()
    with pytest.raises(BestdoError, match=message):
        study.tell(asked.number, values)
    assert study.history() == before


def test_what_was_set_and_what_happened(tmp_path):
    study = created(f"sqlite:///{tmp_path}/farm.db", "uniform", 7)
    asked = next(a for a in study.ask("ann", n=7) if a.action)
    (name, value) = next(iter(asked.action.items()))
    other = next(v for v in FARM.graph.variable(name).values if v != value)
    with pytest.raises(BestdoError, match="if that is what happened, say so"):
        study.tell(asked.number, {"yield": "good", name: other})
    study.tell(asked.number, {"yield": "good", name: other}, happened=True)
    assert study.estimates().played.sum() == 0  # a play that did not happen supports nothing


def test_missing_values_count_only_towards_what_they_support(tmp_path):
    study = created(f"sqlite:///{tmp_path}/farm.db")
    (asked,) = study.ask("ann")
    study.tell(asked.number, {"yield": "good", "moisture": "dry"})
    seen = dict(zip(map(str, FARM.problem.actions), study.estimates().seen[0], strict=True))
    assert seen["do(moisture=dry)"] == seen["do()"] == 1
    assert seen["do(temperature=low)"] == seen["do(temperature=high)"] == 0


def test_lost_rounds_use_up_their_place_and_unplayed_ones_give_it_back(url):
    for lost, expected in ((True, 9), (False, 10)):
        study = created(url, "uniform", 10)
        (asked,) = study.ask("ann")
        study.withdraw(asked.number, "hail", lost=lost)
        with pytest.raises(Conflict):
            study.tell(asked.number, {"yield": "good"})
        assert len(played(study, np.random.default_rng(0))) == expected


def test_amending_gives_what_telling_it_right_would_have_given(url):
    right, wrong = created(url, "successive-rejects", 30, seed=1), created(url, "successive-rejects", 30, seed=1)
    rng = np.random.default_rng(3)
    for i in range(12):
        (a,), (b,) = right.ask("x"), wrong.ask("x")
        assert a.action == b.action
        values = happened(a.action, rng)
        flipped = {**values, "yield": "bad" if values["yield"] == "good" else "good"}
        right.tell(a.number, values)
        wrong.tell(b.number, flipped if i == 4 else values)
        if i == 4:
            wrong.amend(b.number, values, "typed wrong")
    assert everything(right) == everything(wrong)
    kinds = [e["kind"] for e in wrong.history()]
    assert kinds.count("amended") == 1


def test_an_expired_round_is_handed_out_again_and_a_late_result_is_taken(url):
    study = created(url, "uniform", 8, lease=timedelta(seconds=0.2))
    (asked,) = study.ask("gone")
    time.sleep(0.3)
    handed = study.ask("ann", n=8)
    assert asked.number not in [a.number for a in handed]
    assert len(handed) == 8
    study.tell(asked.number, {"yield": "good", **asked.action})
    row = next(r for r in study.rounds() if r["number"] == asked.number)
    assert row["status"] == "told"
    assert row["late"]
    assert study.estimates().played.sum() == 1


def test_a_late_result_counts_even_after_the_end(url):
    study = created(url, "uniform", 4, lease=0.0)
    (gone,) = study.ask("gone")
    played(study, np.random.default_rng(0))
    assert study.status()["finished"]
    study.tell(gone.number, {"yield": "good"})
    assert study.estimates().played.sum() == study.status()["told"] == 5
    again = imported(url, exported(study), f"{study.name}, once more")
    assert everything(again) == everything(study) == everything(Study.open(study.name, url))


@pytest.mark.parametrize("lease", [-1.0, float("nan"), 1e300])
def test_a_lease_has_an_end(tmp_path, lease):
    with pytest.raises(BestdoError, match="a lease"):
        created(f"sqlite:///{tmp_path}/farm.db", "uniform", 8, lease=lease)


def test_waiting_says_for_whom(tmp_path):
    study = created(f"sqlite:///{tmp_path}/farm.db", "ucb", 10, wait=True)
    (asked,) = study.ask("ann")
    with pytest.raises(Waiting, match=rf"{asked.number} \(ann\)"):
        study.ask("bob")


def test_the_checkpoint_is_the_fold(url):
    study = created(url, "top-two", 30, seed=2)
    rng = np.random.default_rng(0)
    for step in range(20):
        played(study, rng, most=1)
        if step == 9:
            study.withdraw(4, "a mistake")
        with study.journal.changing("") as (log, book):
            again = blocks.fold_log(log, book)
            for one, two in zip(book.state.own.tally, again.own.tally, strict=True):
                assert np.array_equal(one, two)
            assert np.array_equal(book.state.own.played, again.own.played)
            assert np.array_equal(book.state.own.left, again.own.left)


def test_extend_close_note_and_delete(url):
    study = created(url, "uniform", 7)
    played(study, np.random.default_rng(0))
    study.extend(10, "a warm autumn")
    assert len(played(Study.open(study.name, url), np.random.default_rng(0))) == 3
    study.note("wind", 2, who="ann")
    study.close("enough")
    with pytest.raises(Finished, match="closed"):
        study.ask("ann")
    assert [e["kind"] for e in study.history()][-2:] == ["noted", "closed"]
    study.delete()
    with pytest.raises(BestdoError, match="unknown study"):
        Study.open(study.name, url)


def test_creating(url):
    study = created(url)
    again = Study.create(FARM.problem, 5, learner="ucb", name=study.name, storage=url, load_if_exists=True)
    assert again.name == study.name
    with pytest.raises(Conflict, match="already"):
        Study.create(FARM.problem, 5, learner="ucb", name=study.name, storage=url)
    with pytest.raises(NotValid, match="needs the law"):
        created(url, "algorithm-2")
    with pytest.raises(BestdoError, match="unknown parameter 'blok'"):
        created(url, "ucb", parameters={"blok": 3})
    assert len(created(url, "ucb", parameters={"block": 3}).ask("ann", n=3)) == 3


def test_a_newer_schema_is_refused_and_a_broken_file_is_one_sentence(tmp_path):
    url = f"sqlite:///{tmp_path}/farm.db"
    created(url)
    with sqlite3.connect(tmp_path / "farm.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StorageError, match="newer bestdo"):
        Study.open("x", url)
    (tmp_path / "torn.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StorageError, match="not a database"):
        Study.open("x", f"sqlite:///{tmp_path}/torn.db")
    with pytest.raises(BestdoError, match="neither sqlite"):
        Study.open("x", "mysql://x/y")


def test_the_write_ahead_log_is_used_only_where_it_is_safe():
    assert [log_is_safe(v) for v in ((3, 40, 1), (3, 44, 6), (3, 50, 6), (3, 50, 7), (3, 51, 2), (3, 51, 3))] == [
        False, True, False, True, False, True,
    ]  # fmt: skip


def test_a_study_moved_to_another_storage_goes_on_as_it_would_have(tmp_path, postgres):
    study = created(f"sqlite:///{tmp_path}/farm.db", "successive-rejects", 40, seed=4)
    played(study, np.random.default_rng(0), most=17)
    data = json.loads(json.dumps(exported(study)))
    moved = imported(postgres, data, f"moved {os.getpid()}")
    assert everything(moved) == everything(study)
    one, two = np.random.default_rng(9), np.random.default_rng(9)
    assert played(moved, one) == played(study, two)
    assert everything(moved) == everything(study)
    with pytest.raises(Conflict, match="already"):
        imported(postgres, data, moved.name)
    with pytest.raises(BestdoError, match="not a study written by bestdo"):
        imported(postgres, {})
    with pytest.raises(BestdoError, match="not whole"):
        imported(postgres, {"bestdo study": 1})


def test_the_table_of_rounds_is_harmless_in_a_spreadsheet(tmp_path):
    study = created(f"sqlite:///{tmp_path}/farm.db", "uniform", 7)
    (asked,) = study.ask('=HYPERLINK("x")')
    study.tell(asked.number, {"yield": "good"})
    (row,) = table(study)
    assert row["worker"] == '\'=HYPERLINK("x")'
    assert row["asked_at"].endswith("+00:00")
    assert row["yield"] == "good"


def test_status_and_backup(tmp_path):
    study = created(f"sqlite:///{tmp_path}/farm.db", "ucb", 5)
    (asked,) = study.ask("ann")
    status = study.status()
    assert (status["used"], status["told"], status["finished"]) == (1, 0, False)
    assert status["open"] == [{"number": 1, "action": str(asked.action), "worker": "ann"}]
    study.tell(1, {"yield": "bad", **asked.action})
    played(study, np.random.default_rng(0))
    assert study.status()["finished"]
    study.storage.backup(tmp_path / "copy.db")
    assert everything(Study.open(study.name, f"sqlite:///{tmp_path}/copy.db")) == everything(study)
    with pytest.raises(BestdoError, match="exists already"):
        study.storage.backup(tmp_path / "copy.db")


@pytest.mark.parametrize(
    ("problem", "horizon", "expected"),
    [
        (FARM.problem, 60, "causal-top-two"),
        (PARALLEL.problem, 60, "causal-top-two"),
        (Problem(BOW, Actions.single(BOW)), 60, "causal-top-two"),
        (Problem(FRONT_DOOR, Actions.single(FRONT_DOOR)), 60, "watch-then-act"),
        (Problem(FRONT_DOOR, Actions.single(FRONT_DOOR)), 3, "causal-top-two"),
    ],
)
def test_the_right_learner_is_chosen(problem, horizon, expected):
    name, why = choose(problem, horizon)
    assert name == expected
    assert why
