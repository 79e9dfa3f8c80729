"""A study driven at random, beside a dictionary that says what must be true of it.

Shown to fail: on a `tell` that forgets a late result when the study has finished, on an `expire` that does not give the
place back, and on phases that make people wait.
"""

import itertools
import json
import os
from collections import Counter

import hypothesis.strategies as st
import numpy as np
import polars as pl
import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import bestdo
from bestdo.data.counting import observed
from bestdo.errors import BestdoError, Conflict, Finished, StorageError, Waiting
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.study.schema import events, rounds
from support import ROOT

FARM = bestdo.read(ROOT / "examples" / "farm.toml")
NAMES = itertools.count()
BY_PLAYS = ("uniform", "ucb", "successive-rejects")  # their mean of an action is that of its plays
LEARNERS = (*BY_PLAYS, "algorithm-1", "thompson", "sequential-halving", "top-two", "lucb", "watch-then-act")


def _log(rows, good):
    """Old data: so many rows, the first of them good."""
    return pl.DataFrame(
        {
            "moisture": ["wet" if i % 3 == 0 else "dry" for i in range(rows)],
            "temperature": ["low"] * rows,
            "yield": ["good" if i < good else "bad" for i in range(rows)],
        }
    )


LOGS = {(rows, good): _log(rows, good) for rows, good in [(5, 2), (20, 13), (300, 100)]}
PRINTS = {key: observed(log, FARM.problem).fingerprint for key, log in LOGS.items()}


class Lost(Exception):
    """The connection to the database broke."""


def everything(study):
    found = study.estimates()  # as text: NaN equals NaN
    parts = (found.mean, found.low, found.high, found.p_best, found.played, found.seen)
    return json.dumps([np.asarray(part).tolist() for part in parts]), str(study.best())


class Machine(RuleBasedStateMachine):
    """The study is driven by its verbs; `rounds`, `horizon`, `closed` and `keys` are the model."""

    url = copies = None

    @initialize(
        learner=st.sampled_from(LEARNERS),
        block=st.integers(1, 4),
        horizon=st.integers(3, 14),
        seed=st.integers(0, 99),
        at_once=st.sampled_from([None, None, 1, 3]),
        wait=st.sampled_from([False, False, True]),
    )
    def begin(self, learner, block, horizon, seed, at_once, wait):
        parameters = {"block": block} if learner in ("ucb", "thompson") else {}
        name = f"machine {os.getpid()} {next(NAMES)}"
        more = {"seed": seed, "parameters": parameters, "at_once": at_once, "wait": wait}
        self.study = Study.create(FARM.problem, horizon, learner=learner, name=name, storage=self.url, **more)
        self.at_once, self.wait = at_once or 99, wait
        self.learner, self.horizon, self.closed, self.trap = learner, horizon, False, 0
        self.rounds, self.keys, self.overdue, self.old = {}, {}, set(), []
        self.retired, self.ever_retired = [], False

    # what is done to it

    def do(self, verb, *arguments, **more):
        """Runs a verb, on a connection that breaks at some statement when a trap is set: then nothing has changed."""
        trap, self.trap = self.trap, 0
        if not trap:
            return getattr(self.study, verb)(*arguments, **more)
        before, left = exported(self.study), [trap]

        def spring(connection, *_):
            left[0] -= 1
            if not left[0]:
                connection.connection.dbapi_connection.close()
                raise Lost

        sa.event.listen(self.study.storage.engine, "before_cursor_execute", spring)
        try:
            return getattr(self.study, verb)(*arguments, **more)
        except (Lost, StorageError):
            assert left[0] <= 0
            assert exported(self.study) == before
            return getattr(self.study, verb)(*arguments, **more)  # the next try works
        finally:
            if sa.event.contains(self.study.storage.engine, "before_cursor_execute", spring):
                sa.event.remove(self.study.storage.engine, "before_cursor_execute", spring)

    def refused(self, error, verb, *arguments, **more):
        """Runs a verb that must be refused, and must change nothing."""
        before = exported(self.study)
        with pytest.raises(error):
            self.do(verb, *arguments, **more)
        assert exported(self.study) == before

    @rule()
    def reopen_the_database(self):
        self.study = Study.open(self.study.name, self.url)

    @rule(statement=st.integers(1, 12))
    def lose_the_connection(self, statement):
        self.trap = statement

    @rule(worker=st.sampled_from(["ann", "bob", ""]), n=st.integers(1, 3))
    def ask(self, worker, n):
        mine = [k for k in self.numbers("open") if self.rounds[k]["worker"] == worker and k not in self.overdue]
        mine = [k for k in mine if self.rounds[k]["action"] not in self.retired]  # others are not handed out again
        gone, following = set(self.overdue), len(self.rounds) + 1
        try:
            given = self.do("ask", worker, n)
        except Waiting:
            given = []
            still = set(self.numbers("open")) - gone
            assert still
            assert not self.closed
            full = len(still) >= self.at_once or self.used() - len(gone) >= self.horizon
            assert self.wait or full or self.ever_retired  # phases of fewer actions may leave rounds over
        except Finished:
            given = []
            assert self.closed or not set(self.numbers("open")) - gone
        for k in gone:
            self.rounds[k]["status"] = "expired"
        self.overdue.clear()
        assert [a.number for a in given[: len(mine)]] == mine[:n]
        assert len(given) <= n
        for a in given:
            if a.number in mine:
                assert str(a.action) == self.rounds[a.number]["action"]
                continue
            assert a.number == following
            assert not self.closed
            assert str(a.action) not in self.retired
            following += 1
            self.rounds[a.number] = {"status": "open", "worker": worker, "action": str(a.action)}
            assert len(self.numbers("open")) <= self.at_once

    @rule(
        data=st.data(),
        good=st.booleans(),
        extra=st.sampled_from([None, "dry", "wet"]),
        key=st.sampled_from([None, "k", "l"]),
    )
    def tell(self, data, good, extra, key):
        k = data.draw(st.integers(1, len(self.rounds) + 1))
        values = {"yield": "good" if good else "bad"}
        if k not in self.rounds:
            return self.refused(BestdoError, "tell", k, values)
        row, set_ = self.rounds[k], bestdo.Intervention.parse(self.rounds[k]["action"])
        if extra and "moisture" not in set_:
            values["moisture"] = extra
        whole = {**set_, **values}
        if row["status"] == "told" and row["values"] == whole:
            before = exported(self.study)
            self.do("tell", k, values, key=key)
            assert exported(self.study) == before
            return None
        if row["status"] in ("told", "lost", "unplayed") or self.keys.get(key, k) != k:
            return self.refused(Conflict, "tell", k, values, key=key)
        return self.told(k, values, key)

    def told(self, k, values, key=None):
        self.do("tell", k, values, key=key)
        row = self.rounds[k]
        self.rounds[k] = {**row, "status": "told", "values": {**bestdo.Intervention.parse(row["action"]), **values}}
        self.overdue.discard(k)
        if key:
            self.keys[key] = k

    @rule(most=st.integers(2, 14), good=st.booleans())
    def work(self, most, good):
        """One worker asks and tells for a while: often to the end."""
        for _ in range(most):
            self.ask("ann", 1)
            for k in [k for k in self.numbers("open") if self.rounds[k]["worker"] == "ann"]:
                self.told(k, {"yield": "good" if good else "bad"})

    @rule(good=st.booleans(), at_the_end=st.booleans())
    def vanish_and_come_back_late(self, good, at_the_end):
        before = set(self.rounds)
        self.ask("dan", 1)
        for k in set(self.rounds) - before:
            self.let_the_lease_pass(k)
            self.work(14 if at_the_end else 1, good)
            if self.rounds[k]["status"] == "expired":
                self.told(k, {"yield": "good" if good else "bad"})

    @rule(data=st.data(), values=st.sampled_from([{"yield": "great"}, {}, {"yeild": "good"}, {"moisture": "dry"}]))
    def tell_nonsense(self, data, values):
        self.refused(BestdoError, "tell", data.draw(st.integers(1, len(self.rounds) + 1)), values)

    @rule(data=st.data(), lost=st.booleans())
    def withdraw(self, data, lost):
        k = data.draw(st.integers(1, len(self.rounds) + 1))
        if k not in self.rounds:
            return self.refused(BestdoError, "withdraw", k, "hail", lost=lost)
        if self.rounds[k]["status"] in ("lost", "unplayed"):
            return self.refused(Conflict, "withdraw", k, "hail", lost=lost)
        self.do("withdraw", k, "hail", lost=lost)
        self.rounds[k]["status"] = "lost" if lost else "unplayed"
        self.overdue.discard(k)
        return None

    @rule(data=st.data(), good=st.booleans())
    def amend(self, data, good):
        k = data.draw(st.integers(1, len(self.rounds) + 1))
        values = {"yield": "good" if good else "bad"}
        if k not in self.rounds or self.rounds[k]["status"] != "told":
            return self.refused(BestdoError, "amend", k, values, "misread")
        self.do("amend", k, values, "misread")
        self.rounds[k]["values"] = {**self.rounds[k]["values"], **values}  # the others stay
        return None

    @rule(data=st.data())
    def undo(self, data):
        k = data.draw(st.integers(1, len(self.rounds) + 1))
        if k not in self.rounds or self.rounds[k]["status"] != "told":
            return self.refused(BestdoError, "undo", k)
        late = self.study.rounds(k - 1, 1)[0]["late"]
        self.do("undo", k)
        row = self.rounds[k]
        self.rounds[k] = {**{n: row[n] for n in ("worker", "action")}, "status": "expired" if late else "open"}
        self.keys = {key: number for key, number in self.keys.items() if number != k}
        return None

    @rule(data=st.data())
    def let_a_lease_pass(self, data):
        if still := [k for k in self.numbers("open") if k not in self.overdue]:
            self.let_the_lease_pass(data.draw(st.sampled_from(still)))

    def let_the_lease_pass(self, k):
        """As if the round had been asked for long ago."""
        (line,) = [e for e in self.study.history() if (e["kind"], e.get("round")) == ("asked", k)]
        kept = {name: line[name] for name in ("action", "worker", "extra") if name in line}
        body = json.dumps({"number": k, **kept, "expires": 0.0})
        with self.study.storage.writing() as connection:
            mine = rounds.c.study == self.study.journal.id, rounds.c.number == k
            connection.execute(rounds.update().where(*mine).values(expires=0.0))
            mine = events.c.study == self.study.journal.id, events.c.number == line["number"]
            connection.execute(events.update().where(*mine).values(body=body))
            for again in [e for e in self.study.history() if (e["kind"], e.get("round")) == ("undone", k)]:
                kept = {"number": k, "expires": 0.0, "block": again["block"], "why": ""}
                mine = events.c.study == self.study.journal.id, events.c.number == again["number"]
                connection.execute(events.update().where(*mine).values(body=json.dumps(kept)))
        self.overdue.add(k)

    @rule(by=st.integers(-2, 5))
    def extend(self, by):
        horizon = self.used() + by
        if by < 0 or horizon < 1:
            return self.refused(BestdoError, "extend", horizon, "less money")
        self.do("extend", horizon, "more money")
        self.horizon = horizon
        return None

    @rule()
    def note(self):
        self.do("note", "wind")

    @precondition(lambda self: not self.closed)
    @rule()
    def close(self):
        self.do("close", "winter")
        self.closed = True

    @precondition(lambda self: self.closed)
    @rule()
    def reopen(self):
        self.do("reopen", "spring")
        self.closed = False

    @rule(learner=st.sampled_from(LEARNERS))
    def change_the_learner(self, learner):
        self.do("change_learner", learner, "curious")
        self.learner = learner

    @rule(action=st.sampled_from(list(map(str, FARM.problem.actions))))
    def retire(self, action):
        if action in self.retired or len(self.retired) == len(FARM.problem.actions) - 1:
            return self.refused(Conflict, "retire", action, "broken")
        self.do("retire", action, "broken")
        self.retired.append(action)
        self.ever_retired = True
        return None

    @rule(action=st.sampled_from(list(map(str, FARM.problem.actions))))
    def unretire(self, action):
        if action not in self.retired:
            return self.refused(Conflict, "unretire", action, "mended")
        self.do("unretire", action, "mended")
        self.retired.remove(action)
        return None

    @rule(key=st.sampled_from(list(LOGS)), force=st.booleans())
    def observe(self, key, force):
        if key in self.old and not force:
            return self.refused(Conflict, "observe", LOGS[key])
        self.do("observe", LOGS[key], force=force)
        self.old.append(key)
        return None

    @rule(key=st.sampled_from(list(LOGS)), letters=st.integers(5, 16))
    def unobserve(self, key, letters):
        if key not in self.old:
            return self.refused(Conflict, "unobserve", PRINTS[key][:letters])
        self.do("unobserve", PRINTS[key][:letters], "another farm")
        self.old.remove(key)
        return None

    # what must be true

    def numbers(self, status):
        return [k for k, row in self.rounds.items() if row["status"] == status]

    def used(self):
        return len([row for row in self.rounds.values() if row["status"] in ("open", "told", "lost")])

    @invariant()
    def it_is_as_the_model_says(self):
        if not hasattr(self, "study"):
            return
        found = {r["number"]: r for r in self.study.rounds()}
        kept = ("status", "worker", "action", "values")
        assert {k: {n: row[n] for n in kept if n in row} for k, row in found.items()} == self.rounds
        status = self.study.status()
        assert (status["used"], status["horizon"], status["closed"]) == (self.used(), self.horizon, self.closed)
        assert status["told"] == len(self.numbers("told"))
        assert set(map(str, self.study.problem.retired)) == set(self.retired)
        assert str(self.study.best().action) not in self.retired
        assert [each["number"] for each in status["open"]] == self.numbers("open")
        log = self.study.history()
        assert [e["number"] for e in log] == list(range(1, len(log) + 1))
        assert Counter(e["round"] for e in log if e["kind"] == "asked") == Counter(list(self.rounds))
        self.it_knows_what_was_told()

    def it_knows_what_was_told(self):
        found = self.study.estimates()
        told = [self.rounds[k] for k in self.numbers("told")]
        plays = Counter(row["action"] for row in told)
        assert found.played[0].tolist() == [plays[str(a)] for a in FARM.problem.actions]
        assert sorted(old.rows for old in self.study.old_data()) == sorted(rows for rows, _ in self.old)
        if self.learner in BY_PLAYS:
            good = Counter(row["action"] for row in told if row["values"]["yield"] == "good")
            for rows, successes in self.old:
                plays["do()"] += rows
                good["do()"] += successes
            for i, action in enumerate(map(str, FARM.problem.actions)):
                if plays[action]:
                    assert found.mean[0, i] == pytest.approx(good[action] / plays[action])

    def teardown(self):
        """Opened again, and folded again from its log in another storage, it is the same and goes on the same."""
        if not hasattr(self, "study"):
            return
        name = f"copy {os.getpid()} {next(NAMES)}"
        studies = [Study.open(self.study.name, self.url), imported(self.copies, exported(self.study), name)]
        assert everything(studies[0]) == everything(self.study) == everything(studies[1])
        for _ in range(6):
            given = [self.asked(study) for study in studies]
            assert given[0] == given[1]
            for number in given[0] if isinstance(given[0], dict) else ():
                for study in studies:
                    study.tell(number, {"yield": "good" if number % 3 else "bad"})
        assert everything(studies[0]) == everything(studies[1])

    def asked(self, study):
        try:
            return {a.number: (str(a.action), a.reason) for a in study.ask("cat", 2)}
        except (Waiting, Finished) as nothing:
            return type(nothing)


@pytest.mark.parametrize("examples", [8, pytest.param(400, marks=pytest.mark.campaign)])
def test_a_study_driven_at_random_is_what_the_model_says(url, examples, tmp_path):
    class OnThisStorage(Machine):
        copies = f"sqlite:///{tmp_path}/copies.db"

    OnThisStorage.url = url
    steps = settings(
        max_examples=examples, stateful_step_count=30, deadline=None, database=None, derandomize=examples < 100
    )
    run_state_machine_as_test(OnThisStorage, settings=steps)
