"""Marks of a study are declared once: book, checkpoint, status and both ends of a server follow."""

import json
from dataclasses import replace

import pytest

import bestdo
from bestdo.study.blocks import next_round, why_nothing
from bestdo.study.events import marks_set
from bestdo.study.marks import MARKS, MARKS_AT_FIRST, STOPPING, UNMARKED, Marks, marks_in, standing
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


@pytest.mark.parametrize("mark", STOPPING)
def test_a_mark_that_stops_a_study_is_its_standing_and_the_reason_why_there_is_no_round(tmp_path, mark):
    with bestdo.Study.create(FARM, rounds=9, name="marked", storage=f"sqlite:///{tmp_path}/s.db") as study:
        with study.reading() as log:
            book = study.book(log)
            book.marks = replace(book.marks, **{mark: True})
            assert next_round(log, book) is None
            why = why_nothing(log, book, "marked")
        assert isinstance(why, STOPPING[mark])
        assert str(why) == f"the study 'marked' is {mark}"
        assert standing({**study.status(), mark: True}) == mark
        assert standing(study.status()) == "running"
