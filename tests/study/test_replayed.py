"""A study that is opened again, or comes from its log, says what the one says that has lived all the time."""

import time

import pytest

from bestdo.errors import Finished, Waiting
from bestdo.study import Study
from bestdo.study.exchange import exported, imported
from bestdo.study.settings import DAY
from farm import created, everything


class Clock:
    """Time that passes when a test says so."""

    def __init__(self, monkeypatch):
        self.now = time.time()
        monkeypatch.setattr(time, "time", lambda: self.now)

    def pass_a_lease(self):
        self.now += 8 * DAY


def told_late(study, clock):
    """Somebody asks and vanishes, others work to the end, and then the result comes."""
    (asked,) = study.ask("dan")
    clock.pass_a_lease()
    while True:
        try:
            (other,) = study.ask("ann")
        except (Finished, Waiting):
            break
        study.tell(other, {"yield": "bad"})
    study.tell(asked, {"yield": "bad"})


def next_rounds(study):
    """What the study says when it is asked, and why."""
    try:
        return [(a.number, str(a.action), a.reason) for a in study.ask("cat", 2)]
    except (Finished, Waiting) as nothing:
        return type(nothing)


@pytest.mark.parametrize("undone", [1, 2, 3, 5])
@pytest.mark.parametrize("learner", ["uniform", "sequential-halving"])
def test_a_block_is_told_to_the_learner_by_the_log_alone(tmp_path, monkeypatch, learner, undone):
    """The last block was told when nobody asked for more, and the log does not say so.

    Shown to fail before: the one that lived said "it is the best so far, at 0.00", the copy "nothing is known of it yet".
    """
    clock = Clock(monkeypatch)
    url, copies = (f"sqlite:///{tmp_path}/{name}.db" for name in ("here", "copies"))
    study = created(url, learner, 3)
    told_late(study, clock)
    study.extend(int(study.status()["used"]) + 4, "more money")
    study.note("wind")
    told_late(study, clock)
    study.undo(undone)
    clock.pass_a_lease()
    log = exported(study)
    again = Study.open(study.name, url)
    copy, other = (imported(copies, log, name) for name in ("copy", "other"))
    assert everything(study) == everything(again) == everything(copy)
    said = next_rounds(copy)
    assert next_rounds(again) == said
    assert next_rounds(study) == said  # the same rounds, which are out now
    assert next_rounds(other) == said
    assert everything(study) == everything(again) == everything(other)


def test_an_answer_without_an_event_changes_nothing(tmp_path):
    """Asking a study that has finished is no event, and the object that was asked is no other one after it."""
    url = f"sqlite:///{tmp_path}/here.db"
    study = created(url, "uniform", 3)
    for asked in study.ask("ann", 3):
        study.tell(asked, {"yield": "bad"})
    with pytest.raises(Finished):
        study.ask("ann")
    with study.reading() as log:
        lived = study.book(log)
    copy = imported(f"sqlite:///{tmp_path}/copies.db", exported(study))
    with copy.reading() as log:
        replayed = copy.book(log)
    assert (lived.blocks, lived.blocks_told, lived.plan, lived.given) == (
        replayed.blocks,
        replayed.blocks_told,
        replayed.plan,
        replayed.given,
    )
