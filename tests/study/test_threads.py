"""One Study object for many threads, as on the page: each sees a problem, a learner and a state that belong together."""

import contextlib
import threading

import numpy as np
import pytest

from bestdo import Actions, Problem
from bestdo.causal.action import Intervention
from bestdo.errors import Conflict, Finished, Waiting
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import parallel
from bestdo.study import Study, blocks, queries
from bestdo.study.storage import Storage
from support import run_at_once

WORLD = parallel([0.4] * 6)
FEW = ["do()", "do(X1=1)", "do(X2=1)"]
MORE = [str(a) for a in WORLD.problem.actions if str(a) not in FEW]
LEARNERS = ["causal-top-two", "algorithm-1", "ucb", "successive-rejects", "uniform"]


def created(url, learner="causal-top-two", actions=FEW):
    problem = Problem(WORLD.problem.graph, Actions(WORLD.problem.graph, actions))
    return Study.create(problem, 10_000, learner=learner, name="shared", storage=url, alarm=0)


def in_a_thread(run):
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


@pytest.mark.parametrize("ask", [Study.best, Study.estimates])
def test_the_learner_is_changed_between_reading_and_answering(tmp_path, monkeypatch, ask):
    study = created(f"sqlite:///{tmp_path}/shared.db", "successive-rejects")
    expected = ask(study)
    original, study = queries._read, Study.open(study.name, study.storage.url)  # which has worked out nothing yet

    def meanwhile(asked):
        found = original(asked)
        in_a_thread(lambda: study.change_learner("causal-top-two", "a better one"))
        in_a_thread(lambda: study.add_action("do(X3=1)", "why not"))
        return found

    monkeypatch.setattr(queries, "_read", meanwhile)
    assert repr(ask(study)) == repr(expected)


def test_one_changes_the_study_while_others_use_it(tmp_path):
    """Six threads: one changes the learner or adds an action, two play, three look."""
    study = created(f"sqlite:///{tmp_path}/shared.db")
    errors, looks, over = [], [], threading.Event()

    def guarded(run):
        def guard():
            try:
                run()
            except BaseException as error:
                errors.append(error)
                over.set()

        return threading.Thread(target=guard)

    def change():
        try:
            for i in range(36):
                with contextlib.suppress(Conflict):
                    study.change_learner(LEARNERS[i % len(LEARNERS)], "another one")
                if i % 6 == 5 and MORE[i // 6 :]:
                    study.add_action(MORE[i // 6], "a further one")
                    assert Intervention.parse(MORE[i // 6]) in study.problem.actions
                if over.is_set():
                    return
        finally:
            over.set()

    def play():
        worker = str(threading.get_ident())
        while not over.is_set():
            with contextlib.suppress(Waiting, Finished):
                for asked in study.ask(worker, n=2):
                    study.tell(asked.number, {"Y": str(asked.number % 2), "X1": "1"} | dict(asked.action))

    def look():
        while not over.is_set():
            found = study.findings()
            assert found.estimates.mean.shape == (1, len(found.problem.actions))
            assert found.best.action in found.problem.actions
            assert np.isfinite(study.estimates().played).all()
            assert study.status()["learner"] in LEARNERS
            looks.append(found)

    run_at_once([guarded(run) for run in (change, play, play, look, look, look)])
    assert not errors, errors
    assert len(looks) > 5
    for each in (study, Study.open("shared", f"sqlite:///{tmp_path}/shared.db")):
        with each.journal.changing("") as (log, book):
            again = blocks.fold_log(log, book)
            assert type(again) is type(book.state)
            assert each.journal.game == book.game
            np.testing.assert_array_equal(book.game.estimates(again).mean, book.game.estimates(book.state).mean)


def test_estimates_are_made_once_for_all_rounds_asked_for_and_not_under_the_lock(tmp_path, monkeypatch):
    study = created(f"sqlite:///{tmp_path}/shared.db")
    study.change_learner("causal-top-two", "many rounds at once", parameters={"block": 20})
    writing, calls = threading.Event(), []
    original, estimates = Storage.writing, CausalTopTwo.estimates

    @contextlib.contextmanager
    def watched(storage):
        with original(storage) as connection:
            writing.set()
            yield connection
        writing.clear()

    def counted(learner, state):
        calls.append(writing.is_set())
        return estimates(learner, state)

    monkeypatch.setattr(Storage, "writing", watched)
    monkeypatch.setattr(CausalTopTwo, "estimates", counted)
    given = study.ask("ann", n=12)
    assert len({asked.number for asked in given}) == 12
    assert calls == []  # nobody has asked why
    assert all(asked.reason for asked in given)
    assert calls == [False]
    again = study.ask("ann", n=15)
    assert again[:12] == given
    assert [asked.reason for asked in again[:12]] == [asked.reason for asked in given]
    assert study.best().action == study.findings().best.action
    assert calls == [False]  # nothing was told since
    study.tell(given[0].number, {"Y": "1", **given[0].action})
    assert study.best().action == study.findings().best.action
    assert study.reason(again[1].number)
    assert calls == [False, False]
