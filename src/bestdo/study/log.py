"""The log of one study inside a transaction: appends events, reads and changes rounds, writes the checkpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa

from bestdo.arguments import text_of, whole_number
from bestdo.errors import BestdoError, StorageError, shown
from bestdo.study.book import Book
from bestdo.study.fold import Row
from bestdo.study.schema import events, rounds, studies
from bestdo.study.statement import Statement

__all__ = ["Log", "Round", "as_event"]

_ID: sa.BindParameter[int] = sa.bindparam("id")
_NUMBER: sa.BindParameter[int] = sa.bindparam("round")
_POSITION = sa.select(studies.c.position).where(studies.c.id == _ID)
_LOCKED = _POSITION.with_for_update()
_FIND = Statement(_POSITION)
_CHECKPOINT = sa.select(studies.c.position, studies.c.checkpoint, studies.c.cursor).where(studies.c.id == _ID)
_AFTER: sa.BindParameter[int] = sa.bindparam("after")
_EVENTS = sa.select(events).where(events.c.study == _ID, events.c.number > _AFTER).order_by(events.c.number)
_OLD = (
    sa.select(events.c.kind, events.c.body)
    .where(events.c.study == _ID, events.c.kind.in_(["observed", "unobserved"]))
    .order_by(events.c.number)
)
_TELLS = sa.select(events.c.body).where(events.c.study == _ID, events.c.kind == "told").order_by(events.c.number)
_ASKED = sa.select(events.c.body).where(
    events.c.study == _ID, events.c.kind == "asked", events.c.body.like(sa.bindparam("start"))
)
_WITH_KEY = (
    sa.select(events.c.body)
    .where(events.c.study == _ID, events.c.number > _AFTER, events.c.kind == "asked")
    .order_by(events.c.number)
)
_KEYS_KEPT = 50_000
"""Among so many last lines of the log the key of a request for rounds is looked for: 50 ms in SQLite, and more than a day at
a request in two seconds. Chosen."""
_ALL = sa.select(rounds).where(rounds.c.study == _ID, rounds.c.number > _AFTER).order_by(rounds.c.number)
_SORTED = (
    rounds.c.number + 0
)  # as an expression, so that SQLite searches by the index on status or block and sorts what it finds
_OPEN = Statement(sa.select(rounds).where(rounds.c.study == _ID, rounds.c.status == "open").order_by(_SORTED))
_ROUND = Statement(sa.select(rounds).where(rounds.c.study == _ID, rounds.c.number == _NUMBER))
_TOLD = sa.select(sa.func.count()).where(rounds.c.study == _ID, rounds.c.status == "told")
_BY_KEY = sa.select(rounds.c.number).where(rounds.c.study == _ID, rounds.c.key == sa.bindparam("key_"))
_ROWS = (
    sa.select(rounds.c.action, rounds.c.body)
    .where(rounds.c.study == _ID, rounds.c.block == sa.bindparam("block"), rounds.c.status == "told")
    .order_by(_SORTED)
)
_LATEST = (
    sa.select(rounds.c.action, rounds.c.body)
    .where(rounds.c.study == _ID, rounds.c.status == "told", rounds.c.number != _NUMBER)
    .order_by(rounds.c.number.desc())
)
_ADD = Statement(events.insert())
_ENCODER = json.JSONEncoder(ensure_ascii=False)
_HAND_OUT = Statement(rounds.insert())
_LARGEST = 2**31 - 1
"""The largest integer of a PostgreSQL column."""
_COUNTS = ("x", "times", "sums", "numbers", "probability")
"""The parts of an `observed` event that hold packed counts, which the history leaves out."""
_KEEP = Statement(studies.update().where(studies.c.id == sa.bindparam("id_")))
_CHANGE = Statement(
    rounds.update().where(rounds.c.study == sa.bindparam("id_"), rounds.c.number == sa.bindparam("round_"))
)


class Round(NamedTuple):
    """A row of the table of rounds."""

    study: int
    number: int
    action: str
    worker: str
    expires: float
    status: str
    block: int
    body: str
    key: str | None


@dataclass
class Log:
    """The log of a study; `position` is the number of its last event, `who` the author of the next ones."""

    connection: sa.Connection
    study: int
    position: int = 0
    who: str = ""
    _new: list[dict[str, Any]] = field(default_factory=list)
    """Events that were added and are written when the log is read, or at the end."""
    _open: Sequence[Round] | None = None
    """The open rounds, once they have been read and as long as no round is changed."""
    _rounds: dict[int, Round] = field(default_factory=dict)
    """The rounds that have been read by their number, as they are now."""

    def lock(self, name: str) -> None:
        """Waits until no other transaction writes, then reads the position."""
        self.find(name, _LOCKED)

    def find(self, name: str, query: sa.Select[Any] = _POSITION) -> None:
        """Reads the position."""
        values = {"id": self.study}
        if self.connection.dialect.name == "sqlite":
            found = _FIND.run(self.connection, values)
        else:  # by SQLAlchemy, which begins the transaction, and drops connections that the server has closed
            found = [tuple(row) for row in self.connection.execute(query, values)]
        if not found:
            raise StorageError(f"the study {shown(name)} was deleted")
        self.position = int(found[0][0])

    def add(self, kind: str, body: Mapping[str, Any]) -> None:
        """Appends an event."""
        for name in ("why", "text"):
            text_of(name, body.get(name, ""))
        self.position += 1
        row = {"study": self.study, "number": self.position, "at": datetime.now(UTC).isoformat(), "who": self.who}
        self._new.append({**row, "kind": kind, "body": _ENCODER.encode(body)})

    def _write(self) -> None:
        """Writes the events that were added."""
        if self._new:
            _ADD.run_many(self.connection, self._new)
            self._new = []

    def keep(self, book: Book, checkpoint: bool) -> None:
        """Writes the position and the cursor beside the log, and with `checkpoint` the checkpoint as well."""
        self._write()
        values = {"id_": self.study, "position": self.position, "cursor": book.cursor()}
        _KEEP.run(self.connection, {**values, "checkpoint": book.checkpoint()} if checkpoint else values)

    def kept(self, name: str) -> dict[str, Any]:
        """The checkpoint and the cursor as `keep` wrote them last, at the end of the log, as one dictionary."""
        found = self.connection.execute(_CHECKPOINT, {"id": self.study}).first()
        if found is None:
            raise StorageError(f"the study {shown(name)} was deleted")
        self.position = int(found.position)
        return {**json.loads(found.checkpoint), **json.loads(found.cursor)}

    def events(self, after: int = 0, most: int | None = None) -> Sequence[Any]:
        """The events with a larger number than `after`, oldest first, at most so many."""
        self._write()
        return self.connection.execute(_EVENTS.limit(most), {"id": self.study, "after": _clipped(after)}).all()

    def rounds(self, after: int = 0, most: int | None = None) -> Sequence[Any]:
        """The rounds with a larger number than `after`, by number, at most so many."""
        return self.connection.execute(_ALL.limit(most), {"id": self.study, "after": _clipped(after)}).all()

    def open(self) -> Sequence[Round]:
        """The open rounds: handed out, not told, not expired."""
        if self._open is None:
            self._open = [Round(*row) for row in _OPEN.run(self.connection, {"id": self.study})]
        return self._open

    def told(self) -> int:
        """The number of rounds that have been told."""
        return int(self.connection.execute(_TOLD, {"id": self.study}).scalar_one())

    def round(self, number: int) -> Round:
        """The round of a number that somebody names; raises BestdoError where there is none."""
        return self.numbered(whole_number("the number of a round", number))

    def numbered(self, number: int) -> Round:
        """The round of this number."""
        if number not in self._rounds:
            found = _ROUND.run(self.connection, {"id": self.study, "round": _clipped(number)})
            if not found:
                raise BestdoError(f"there is no round {number}; ask for one first")
            self._rounds[number] = Round(*found[0])
        return self._rounds[number]

    def is_extra(self, number: int) -> bool:
        """Whether a round was handed out beside the plan: between two phases, or in a context."""
        self._write()
        found = self.connection.execute(_ASKED, {"id": self.study, "start": f'{{"number": {number},%'}).scalar_one()
        return bool(json.loads(found).get("extra", False))

    def with_key(self, key: str) -> int | None:
        """The number of the round that was told under this key; None if there is none."""
        return self.connection.execute(_BY_KEY, {"id": self.study, "key_": key}).scalar()

    def asked_with(self, key: str) -> list[dict[str, Any]]:
        """The rounds that were handed out for the request with this key, as the log has them; none if there was none."""
        self._write()
        like = _WITH_KEY.where(events.c.body.contains(f'"key": {_ENCODER.encode(key)}', autoescape=True))
        after = max(0, self.position - _KEYS_KEPT)
        found = [
            json.loads(row.body) for row in self.connection.execute(like, {"id": self.study, "after": after}).all()
        ]
        return [body for body in found if body.get("key") == key]

    def rows(self, block: int) -> list[Row]:
        """The results of the rounds of a block that have been told."""
        found = self.connection.execute(_ROWS, {"id": self.study, "block": block}).all()
        return [_row(r.action, r.body) for r in found]

    def latest_rows(self, most: int, without: int) -> list[Row]:
        """The results of the last rounds that have been told, at most so many, without the round of a number."""
        asked = {"id": self.study, "round": without}
        return [_row(r.action, r.body) for r in self.connection.execute(_LATEST.limit(most), asked).all()]

    def all_rows(self) -> list[Row]:
        """The results of all rounds that have been told."""
        told = (json.loads(r.body) | {"action": r.action} for r in self.rounds() if r.status == "told")
        return [Row(body["action"], body["values"], body["deviated"]) for body in told]

    def rows_as_told(self) -> list[Row]:
        """The results of all rounds that have been told, in the order in which they came."""
        self._write()
        bodies = {r.number: (r.action, r.body) for r in self.rounds() if r.status == "told"}
        tells = [json.loads(e.body)["number"] for e in self.connection.execute(_TELLS, {"id": self.study}).all()]
        order = list(dict.fromkeys(reversed(tells)))[
            ::-1
        ]  # what was taken back and told again came when it was told last
        told = ((bodies[n][0], json.loads(bodies[n][1])) for n in order if n in bodies)
        return [Row(action, body["values"], body["deviated"]) for action, body in told]

    def old(self) -> list[dict[str, Any]]:
        """The old data that were observed and not taken back, in this order, as `OldData.as_data` wrote them."""
        self._write()
        found: list[dict[str, Any]] = []
        for row in self.connection.execute(_OLD, {"id": self.study}).all():
            body = json.loads(row.body)
            if row.kind == "observed":
                found.append(body)
            else:
                last = max(i for i, other in enumerate(found) if other["fingerprint"] == body["fingerprint"])
                found.pop(last)
        return found

    def hand_out(
        self,
        number: int,
        action: str,
        worker: str,
        expires: float,
        block: int,
        seen: Mapping[str, Any],
    ) -> None:
        """Adds an open round for a worker; `seen` is the part of its event that says what was seen first."""
        self._open = None
        row = {"study": self.study, "number": number, "action": action, "worker": worker, "expires": expires}
        _HAND_OUT.run(self.connection, {**row, "status": "open", "block": block, "body": json.dumps(seen)})

    def change(self, number: int, **values: Any) -> None:
        """Changes columns of a round that has been read."""
        self._open = None
        self._rounds[number] = self._rounds[number]._replace(**values)
        _CHANGE.run(self.connection, {"id_": self.study, "round_": number, **values})


def _row(action: str, text: str) -> Row:
    """The result of a round from its action and its body, which is JSON."""
    body = json.loads(text)
    return Row(action, body["values"], body["deviated"])


def _clipped(number: int) -> int:
    """The number, clipped to what a column can be compared with; no round or event has a larger one."""
    return max(-_LARGEST, min(number, _LARGEST))


def as_event(row: Any) -> dict[str, Any]:
    """An event as a dictionary; `number` is its place in the log, `round` the round that it is about."""
    body = {k: v for k, v in json.loads(row.body).items() if k not in _COUNTS or row.kind != "observed"}
    about = {"round": body.pop("number")} if "number" in body else {}
    return {"number": row.number, "at": row.at, "who": row.who, "kind": row.kind, **about, **body}
