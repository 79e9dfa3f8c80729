"""A study in and out: the whole log as JSON, its rounds as a table."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from bestdo.errors import BestdoError, Conflict, shown
from bestdo.study import blocks, fold
from bestdo.study.fold import Book
from bestdo.study.log import Log
from bestdo.study.replay import replayed
from bestdo.study.round import checked
from bestdo.study.schema import events, rounds, studies
from bestdo.study.storage import Storage
from bestdo.study.study import Study

__all__ = ["exported", "imported", "table"]

FORMAT = 1
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def exported(study: Study) -> dict[str, Any]:
    """The log; everything else follows from it."""
    with study.reading() as log:
        lines = [{c: v for c, v in e._mapping.items() if c != "study"} for e in log.events()]
    return {"bestdo study": FORMAT, "name": study.name, "events": lines}


def imported(url: str, data: dict[str, Any], name: str | None = None) -> Study:
    """A study from what `exported` gave, in any storage; it goes on as it would have where it was."""
    if not isinstance(data, dict) or data.get("bestdo study") != FORMAT:
        raise BestdoError(f"this is no study written by bestdo export (format {FORMAT})")
    storage = Storage(url)
    with storage.writing() as connection, _whole():
        name = name or str(data["name"])
        lines = [{c: event[c] for c in ("number", "at", "who", "kind", "body")} for event in data["events"]]
        book, played = replayed(lines)
        if connection.execute(sa.select(studies.c.id).where(studies.c.name == name)).first():
            raise Conflict(f"there is a study {shown(name)} already: import it under another name")
        values = {"name": name, "position": len(lines), "checkpoint": book.checkpoint(), "cursor": book.cursor()}
        made = connection.execute(studies.insert().returning(studies.c.id), values).scalar_one()
        for target, each in ((t, line) for t, found in ((events, lines), (rounds, played)) for line in found):
            connection.execute(target.insert(), {**each, "study": made})
        _check(Log(connection, made), book)
    return Study(storage, name)


@contextlib.contextmanager
def _whole() -> Iterator[None]:
    """What goes wrong here is wrong in the file: nothing of it is kept."""
    try:
        yield
    except (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        raise BestdoError(f"the study in this file is not whole: {error!r:.200}") from None


def _check(log: Log, book: Book) -> None:
    """Fails where anything in the log cannot be read, folded or gone on with."""
    settings, played = book.settings, log.rounds()
    problem, learner = settings.players
    numbers = [settings.horizon, fold.lease(settings.lease), settings.seed, settings.alarm, settings.until_sure or 0.5]
    if not all(isinstance(n, int | float) and math.isfinite(n) for n in numbers):
        raise TypeError("a number is no number")
    for row in played:
        datetime.fromtimestamp(row.expires, UTC)
    for lines in (log.events(), played):
        if [line.number for line in lines] != list(range(1, len(lines) + 1)):
            raise ValueError("its numbers are not 1, 2, 3, …")
    if book.next != len(played) + 1:
        raise ValueError("its last round is missing")
    for row in log.all_rows():
        checked(problem, row.action, row.values, row.deviated)
    book.state = blocks.folded(log, book)
    learner.estimates(blocks.now(log, book))


def table(study: Study) -> list[dict[str, Any]]:
    """One row per round: what was asked, told and when; text that a spreadsheet would run is made plain."""
    when: dict[int, dict[str, str]] = {}
    for event in study.history():
        if event["kind"] in ("asked", "told") and "number" in event:
            when.setdefault(event["round"], {})[event["kind"]] = event["at"]
    rows = []
    for each in study.rounds():
        row = {k: each[k] for k in ("number", "action", "worker", "status")}
        values = each.get("values", {})
        row |= {n: values.get(n, "") for n in study.problem.graph.observed}
        row |= {f"{kind}_at": when.get(each["number"], {}).get(kind, "") for kind in ("asked", "told")}
        rows.append({_plain(k): _plain(v) for k, v in row.items()})
    return rows


def _plain(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
