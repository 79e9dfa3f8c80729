"""Marks of a study are declared once: book, checkpoint, status and both ends of a server follow."""

import json

import pytest

import bestdo
from bestdo.study.events import marks_set
from bestdo.study.marks import MARKS, MARKS_AT_FIRST, UNMARKED, Marks, marks_in
from bestdo.study.remote_answers import STATUS, misfit
from bestdo.web.api_answers import Status
from support import ROOT

FARM = ROOT / "examples" / "farm.toml"


def test_every_mark_is_in_the_checkpoint_the_status_and_the_answer_of_a_server(tmp_path):
    with bestdo.Study.create(FARM, rounds=9, name="marked", storage=f"sqlite:///{tmp_path}/s.db") as study:
        study.archive()
        status = study.status()
        with study.reading() as log:
            cursor = json.loads(study.book(log).cursor())
    assert {name: cursor[name] for name in MARKS} == {name: status[name] for name in MARKS}
    assert marks_in(cursor) == Marks(closed=True, archived=True)
    assert set(MARKS) <= set(Status.model_fields)
    assert misfit(status, STATUS) == ""
    for name in MARKS:
        assert misfit({**status, name: "yes"}, STATUS) == f"the answer.{name} is text"
    for name in MARKS_AT_FIRST:
        assert misfit({k: v for k, v in status.items() if k != name}, STATUS) == f"the answer has no {name!r}"


def test_studies_begin_without_a_mark():
    assert not any(getattr(UNMARKED, name) for name in MARKS)


def test_a_verb_cannot_set_a_mark_that_is_not_declared():
    """It was set on the book alone before: the event was in the log, and the mark was lost with the next checkpoint."""
    with pytest.raises(TypeError, match=r"'pinned' is no mark of a study: bestdo\.study\.marks has closed, archived"):
        marks_set(closed=True, pinned=True)
