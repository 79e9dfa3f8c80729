"""A line about each study of a database, read with one query however long the logs are."""

from __future__ import annotations

import json
from dataclasses import dataclass

import sqlalchemy as sa

from bestdo.study.marks import Marks, marks_in
from bestdo.study.schema import events, studies
from bestdo.study.storage import Storage

__all__ = ["StudyLine", "overview"]


@dataclass(frozen=True)
class StudyLine:
    """A line of a list about a study, without opening it."""

    name: str
    number: int
    """The number of the study in its database: later ones are larger."""
    changed: str
    """The time of the last event of the study's log, in ISO 8601."""
    marks: Marks


def overview(storage: Storage) -> list[StudyLine]:
    """A line about every study, in the order in which they were begun."""
    last = (events.c.study == studies.c.id) & (events.c.number == studies.c.position)
    wanted = sa.select(studies.c.name, studies.c.id, studies.c.cursor, events.c.at).join(events, last, isouter=True)
    with storage.reading() as connection:
        rows = connection.execute(wanted.order_by(studies.c.id)).all()
    return [StudyLine(str(r.name), int(r.id), r.at or "", marks_in(json.loads(r.cursor))) for r in rows]
