"""Export and import of studies: the whole log as JSON; the rounds as a table."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa

from bestdo.causal.graph import Graph
from bestdo.causal.number import is_number
from bestdo.causal.variable import Variable
from bestdo.errors import BestdoError, Conflict, shown
from bestdo.study import blocks
from bestdo.study.book import Book
from bestdo.study.journal import FORMAT
from bestdo.study.log import Log
from bestdo.study.replay import replay_log
from bestdo.study.round import checked
from bestdo.study.schema import events, rounds, studies
from bestdo.study.settings import DAY, check_at_once, check_lease, problem_of
from bestdo.study.storage import Storage, is_remote
from bestdo.study.study import Study

__all__ = ["duplicated", "exported", "imported", "round_columns", "round_rows", "table", "written"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""First characters that make a spreadsheet take a cell for a formula (OWASP, CSV injection)."""


def exported(study: Study) -> dict[str, Any]:
    """The log of a study as data for JSON; everything else follows from it."""
    return study.journal.exported()


def imported(url: str, data: dict[str, Any], name: str | None = None) -> Study:
    """A study from what `exported` returned, in any storage; it continues as the original would have."""
    if not isinstance(data, dict) or data.get("bestdo study") != FORMAT:
        raise BestdoError(f"this is not a study written by bestdo export (format {FORMAT})")
    if is_remote(url):
        from bestdo.study import remote

        return remote.sent(url, data, name)
    storage = Storage(url)
    return Study(storage, written(storage, data, name))


def written(storage: Storage, data: dict[str, Any], name: str | None = None) -> str:
    """The name of the study from what `exported` returned, written into a database."""
    with storage.writing() as connection, _whole():
        name = name or str(data["name"])
        lines = [{c: event[c] for c in ("number", "at", "who", "kind", "body")} for event in data["events"]]
        book, played = replay_log(lines)
        if connection.execute(sa.select(studies.c.id).where(studies.c.name == name)).first():
            raise Conflict(f"there is a study {shown(name)} already: import it under another name")
        values = {"name": name, "position": len(lines), "checkpoint": book.checkpoint(), "cursor": book.cursor()}
        made = connection.execute(studies.insert().returning(studies.c.id), values).scalar_one()
        for target, each in ((t, line) for t, found in ((events, lines), (rounds, played)) for line in found):
            connection.execute(target.insert(), {**each, "study": made})
        _check(Log(connection, made), book)
    return name


def duplicated(study: Study, name: str, who: str = "") -> Study:
    """A new study, without any round, with the problem, the learner and the settings that a study has now."""
    with study.reading() as log:
        settings = study.book(log).settings
    problem = problem_of(replace(settings, contradicted=[]))
    kept = {key: getattr(settings, key) for key in ("learner", "parameters", "seed", "until_sure", "alarm", "at_once")}
    kept[problem.unit.argument] = settings.horizon
    return Study.create(
        problem,
        name=name,
        storage=study.storage.url,
        lease=settings.lease / DAY,
        wait=settings.wait,
        who=who,
        **kept,
    )


@contextlib.contextmanager
def _whole() -> Iterator[None]:
    """Turns errors in the data of the file into one message; the transaction around it keeps nothing."""
    try:
        yield
    except (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        raise BestdoError(f"the study in this file is not whole: {error!r:.200}") from None


def _check(log: Log, book: Book) -> None:
    """Fails if anything in the log cannot be read, told to the learner or continued."""
    settings, played = book.settings, log.rounds()
    game = settings.game
    numbers = [settings.horizon, check_lease(settings.lease), settings.seed, settings.alarm, settings.until_sure or 0.5]
    if not all(isinstance(n, int | float) and math.isfinite(n) for n in numbers):
        raise TypeError("a setting is not a finite number")
    if not isinstance(settings.wait, bool) or not isinstance(check_at_once(settings.at_once) or 1, int):
        raise TypeError("how many rounds may be out at once is not a number, or whether to wait is not said")
    in_repairs = [text for repair in settings.repairs for key in ("added", "evidence") for text in repair[key]]
    if not all(isinstance(text, str) for text in (*settings.contradicted, *in_repairs)):
        raise TypeError("what contradicted the graph, or was added to it, is not said in words")
    for row in played:
        datetime.fromtimestamp(row.expires, UTC)
    for event in log.events():
        datetime.fromisoformat(event.at)
    for lines in (log.events(), played):
        if [line.number for line in lines] != list(range(1, len(lines) + 1)):
            raise ValueError("its events or rounds are not numbered 1, 2, 3, …")
    if book.next != len(played) + 1:
        raise ValueError("its last round is missing")
    for row in log.all_rows():
        checked(game.problem, row.action, row.values, row.deviated)
    book.state = blocks.fold_log(log, book)
    game.estimates(blocks.current_state(log, book))


def table(study: Study) -> list[dict[str, Any]]:
    """The rows of `round_rows`; text that a spreadsheet would take for a formula is quoted."""
    return [{_plain_cell(k): _plain_cell(v) for k, v in row.items()} for row in round_rows(study)]


def round_rows(study: Study) -> list[dict[str, Any]]:
    """A row per round: its action, its result, and when.

    Numbers have decimal points, however they were told; the log has them as they were.
    """
    columns = round_columns(study.problem.graph)
    when: dict[int, dict[str, str]] = {}
    for event in study.history():
        if event["kind"] in ("asked", "told") and "number" in event:
            when.setdefault(event["round"], {})[event["kind"]] = event["at"]
    played = (Exported(each, when.get(each["number"], {})) for each in study.rounds())
    return [{column.name: column.cell(each) for column in columns} for each in played]


class Exported(NamedTuple):
    """A round to be exported: as `Study.rounds` has it, and when it was asked and told."""

    round: Mapping[str, Any]
    when: Mapping[str, str]


class Column(NamedTuple):
    """A column of the exported rounds: its name, the type of its values in data frames, and its cell of a round."""

    name: str
    kind: type
    cell: Callable[[Exported], Any]


def round_columns(graph: Graph) -> list[Column]:
    """The columns of the exported rounds: CSV, Parquet and data frames have them from here."""
    return [
        Column("number", int, partial(_said, "number")),
        *(Column(name, str, partial(_said, name)) for name in ("action", "worker", "status")),
        *(
            Column(name, graph.variable(name).kind.column, partial(_told, graph.variable(name)))
            for name in graph.observed
        ),
        *(Column(f"{kind}_at", datetime, partial(_at, kind)) for kind in ("asked", "told")),
    ]


def _said(name: str, each: Exported) -> Any:
    """The entry of a round under this name."""
    return each.round[name]


def _at(kind: str, each: Exported) -> str:
    """The time of the first event of this kind on a round."""
    return each.when.get(kind, "")


def _told(variable: Variable, each: Exported) -> str | float | None:
    """The told value of a variable: a number as such where the variable is one, and with a decimal point where it is cut."""
    values = {**each.round.get("context", {}), **each.round.get("values", {})}
    return variable.kind.cell(values.get(variable.name, ""))


def _plain_cell(value: Any) -> Any:
    """The value, with an apostrophe in front where a spreadsheet would take it for a formula; -5 is a number, and none."""
    formula = isinstance(value, str) and value.startswith(_FORMULA) and not is_number(value)
    return f"'{value}" if formula else value
