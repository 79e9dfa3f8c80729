"""A study: ask for the next round, tell what happened, see the best action; many people, many days, any crash."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError, Conflict, Finished, StorageError, Waiting, shown, unknown
from bestdo.files import Contents
from bestdo.files.declared import Source
from bestdo.files.toml import read as read_toml
from bestdo.files.toml import write as write_toml
from bestdo.study import fold
from bestdo.study.fold import Book, Row, Settings
from bestdo.study.round import checked, reason
from bestdo.study.storage import Storage
from bestdo.study.tables import events, rounds, studies

__all__ = ["Asked", "Best", "Study"]

DAY = 86_400.0

_ID: sa.BindParameter[int] = sa.bindparam("id")
_NUMBER: sa.BindParameter[int] = sa.bindparam("round")
_POSITION = sa.select(studies.c.position).where(studies.c.id == _ID)
_LOCKED = _POSITION.with_for_update()
_CHECKPOINT = sa.select(studies.c.checkpoint).where(studies.c.id == _ID)
_OPEN = sa.select(rounds).where(rounds.c.study == _ID, rounds.c.status == "open").order_by(rounds.c.number)
_ROUND = sa.select(rounds).where(rounds.c.study == _ID, rounds.c.number == _NUMBER)
_ROWS = (
    sa.select(rounds.c.action, rounds.c.body)
    .where(rounds.c.study == _ID, rounds.c.block == sa.bindparam("block"), rounds.c.status == "told")
    .order_by(rounds.c.number)
)
_KEEP = studies.update().where(studies.c.id == sa.bindparam("id_"))


@dataclass(frozen=True)
class Asked:
    """A round to be played."""

    number: int
    action: Intervention
    reason: str
    expires: datetime


@dataclass(frozen=True)
class Best:
    """The recommendation, and what it rests on."""

    action: Intervention
    mean: float
    low: float
    high: float
    played: int
    seen: float
    rounds_left: int


class Study:
    """A real experiment in a database; every method is one transaction."""

    def __init__(self, storage: Storage, name: str) -> None:
        """Opens a study; see `create` and `open`."""
        self.storage = storage
        self.name = name
        with storage.reading() as connection:
            row = connection.execute(
                sa.select(studies.c.id, studies.c.checkpoint).where(studies.c.name == name)
            ).first()
        if row is None:
            raise BestdoError(unknown("study", name, names(storage)))
        self._id = int(row.id)
        settings = Settings(**json.loads(row.checkpoint)["settings"])
        self.problem: Problem = _problem(settings)
        self.learner = fold.made(settings)
        self._known: tuple[int, Book] | None = None  # the book as this object left it, and the position it stands for

    @classmethod
    def create(
        cls,
        url: str,
        name: str,
        problem: Problem,
        learner: str,
        horizon: int,
        *,
        seed: int = 0,
        parameters: Mapping[str, Any] | None = None,
        lease: float = 7 * DAY,
        load_if_exists: bool = False,
    ) -> Study:
        """A new study; the one of that name instead, with `load_if_exists`."""
        storage = Storage(url)
        if horizon < 1:
            raise BestdoError(f"a study needs at least one round, not {horizon}")
        if not name or len(name) > 200 or not name.isprintable():
            raise BestdoError(f"{shown(name)} cannot be a study's name: 1 to 200 printable characters")
        text = write_toml(Contents(problem.graph, problem))
        settings = Settings(text, learner, dict(parameters or {}), horizon, seed, lease)
        book = Book(settings)
        book.state = fold.begun(problem, fold.made(settings), settings)  # refuses problems that it is not valid for
        with storage.writing() as connection:
            if connection.execute(sa.select(studies.c.id).where(studies.c.name == name)).first():
                if not load_if_exists:
                    raise Conflict(f"there is a study {shown(name)} already: open it, or choose another name")
            else:
                values = {"name": name, "position": 0, "checkpoint": book.checkpoint()}
                made = connection.execute(studies.insert().returning(studies.c.id), values).scalar_one()
                log = _Log(connection, int(made), 0, "")
                log.add("created", {f: getattr(settings, f) for f in settings.__dataclass_fields__})
                log.keep(book)
        return cls(storage, name)

    @classmethod
    def open(cls, url: str, name: str) -> Study:
        """A study that exists."""
        return cls(Storage(url), name)

    # the verbs

    def ask(self, worker: str = "", n: int = 1) -> list[Asked]:
        """The next rounds for this worker: those that are open already first; more when fewer than n are."""
        with self.storage.writing() as connection:
            log, book = self._begin(connection, worker)
            mine = [r for r in self._expire(log, book) if r.worker == worker]
            given = [self._asked(r.number, r.action, r.expires, book) for r in mine[:n]]
            while len(given) < n:
                if not self._next_block(log, book):
                    break
                action, number, expires = book.left.pop(0), book.next, time.time() + book.settings.lease
                log.add("asked", {"number": number, "action": action, "worker": worker, "expires": expires})
                row = {"study": self._id, "number": number, "action": action, "worker": worker, "expires": expires}
                connection.execute(rounds.insert(), {**row, "status": "open", "block": book.blocks - 1, "body": "{}"})
                book.next, book.used = number + 1, book.used + 1
                given.append(self._asked(number, action, expires, book))
            if not given:
                self._say_why_nothing(connection, book)
            log.keep(book)
        self._known = log.position, book
        return given

    def tell(
        self,
        number: int,
        values: Mapping[str, str],
        *,
        key: str | None = None,
        who: str = "",
        happened: bool = False,
    ) -> None:
        """What a round showed: the reward, and what else was seen. The same again is nothing; other data a Conflict.

        A value that contradicts what was set is refused, unless `happened` says that it is so: then the round counts
        for nothing. A result after the lease is accepted and marked late.
        """
        with self.storage.writing() as connection:
            log, book = self._begin(connection, who)
            row = self._round(connection, number)
            clean, deviated = checked(self.problem, row.action, values, happened)
            body = {"values": clean, "deviated": deviated, "late": row.status == "expired"}
            if row.status == "told":
                if json.loads(row.body)["values"] == clean:
                    return
                raise Conflict(f"round {number} was told already, with other values; amend it if it was wrong")
            if row.status in ("lost", "unplayed"):
                raise Conflict(f"round {number} was withdrawn; nothing can be told of it")
            self._check_key(connection, key, number)
            late = row.status == "expired"
            log.add("told", {"number": number, "key": key, **body})
            if late:  # its place was handed out again: this one comes on top, in the block that is open now
                self._next_block(log, book)
                book.used += 1
            block = max(book.blocks - 1, 0) if late else row.block
            self._update(connection, number, status="told", body=json.dumps(body), key=key, block=block)
            self._next_block(log, book)
            log.keep(book)
        self._known = log.position, book

    def withdraw(self, number: int, why: str, *, lost: bool = True, who: str = "") -> None:
        """Takes a round back. Lost: its place in the horizon is used up; never played (lost=False): it is given back."""
        with self.storage.writing() as connection:
            log, book = self._begin(connection, who)
            row = self._round(connection, number)
            if row.status in ("lost", "unplayed"):
                raise Conflict(f"round {number} was withdrawn before")
            log.add("withdrawn", {"number": number, "lost": lost, "why": why})
            out = row.status != "expired"  # an expired one was given back already
            book.used += (0 if lost else -1) if out else (1 if lost else 0)
            self._update(connection, number, status="lost" if lost else "unplayed")
            self._again(connection, book, row)
            self._next_block(log, book)
            log.keep(book)
        self._known = log.position, book

    def amend(self, number: int, values: Mapping[str, str], why: str, *, who: str = "", happened: bool = False) -> None:
        """Corrects what was told of a round; the log keeps both."""
        with self.storage.writing() as connection:
            log, book = self._begin(connection, who)
            row = self._round(connection, number)
            if row.status != "told":
                raise Conflict(f"round {number} has not been told: there is nothing to amend")
            clean, deviated = checked(self.problem, row.action, values, happened)
            body = {**json.loads(row.body), "values": clean, "deviated": deviated}
            log.add("amended", {"number": number, "values": clean, "deviated": deviated, "why": why})
            self._update(connection, number, body=json.dumps(body))
            self._again(connection, book, row)
            log.keep(book)
        self._known = log.position, book

    def note(self, text: str, number: int | None = None, *, who: str = "") -> None:
        """A remark, on a round or on the study."""
        with self.storage.writing() as connection:
            log, book = self._begin(connection, who)
            if number is not None:
                self._round(connection, number)
            log.add("noted", {"number": number, "text": text})
            log.keep(book)
        self._known = log.position, book

    def extend(self, horizon: int, why: str, *, who: str = "") -> None:
        """Sets another number of rounds; no fewer than are used up."""
        with self.storage.writing() as connection:
            log, book = self._begin(connection, who)
            if horizon < book.used:
                raise BestdoError(f"{book.used} rounds are used up or out; the horizon cannot be {horizon}")
            log.add("extended", {"horizon": horizon, "why": why})
            book.settings = replace(book.settings, horizon=horizon)
            book.state = self._folded(connection, book)
            log.keep(book)
        self._known = log.position, book

    def close(self, why: str = "", *, who: str = "") -> None:
        """No more rounds are handed out; what is open can still be told."""
        with self.storage.writing() as connection:
            log, book = self._begin(connection, who)
            log.add("closed", {"why": why})
            book.closed = True
            log.keep(book)
        self._known = log.position, book

    def delete(self) -> None:
        """Forgets the study and all its rounds."""
        with self.storage.writing() as connection:
            for table, column in ((rounds, rounds.c.study), (events, events.c.study), (studies, studies.c.id)):
                connection.execute(table.delete().where(column == self._id))

    # what is known

    def best(self) -> Best:
        """The action to keep, as things stand: available from the first round."""
        state, book = self._now()
        action = int(self.learner.best(state)[0])
        found = self.learner.estimates(state)
        mean, low, high, played, seen = (
            float(part[0, action]) for part in (found.mean, found.low, found.high, found.played, found.seen)
        )
        left = max(0, book.settings.horizon - book.used)
        return Best(self.problem.actions[action], mean, low, high, int(played), seen, left)

    def estimates(self) -> Estimates:
        """Mean, interval, plays and sightings of every action, as things stand: one lane."""
        return self.learner.estimates(self._now()[0])

    def history(self) -> list[dict[str, Any]]:
        """Every event of the log, oldest first."""
        with self.storage.reading() as connection:
            found = connection.execute(sa.select(events).where(events.c.study == self._id).order_by(events.c.number))
            return [_event(e) for e in found.all()]

    def status(self) -> dict[str, Any]:
        """Where the study stands: rounds used, told and out, and with whom."""
        with self.storage.reading() as connection:
            row = connection.execute(sa.select(studies.c.checkpoint).where(studies.c.id == self._id)).one()
            book = self._book(connection, row.checkpoint)
            open_ = [{"number": r.number, "action": r.action, "worker": r.worker} for r in self._open(connection)]
            query = sa.select(sa.func.count()).where(rounds.c.study == self._id, rounds.c.status == "told")
            told = int(connection.execute(query).scalar_one())
        settings = book.settings
        done = not book.left and not open_ and (book.closed or fold.planned(book, self.learner, self.problem) is None)
        return {
            "name": self.name,
            "learner": settings.learner,
            "parameters": settings.parameters,
            "horizon": settings.horizon,
            "used": book.used,
            "told": told,
            "open": open_,
            "closed": book.closed,
            "finished": done,
        }

    def rounds(self) -> list[dict[str, Any]]:
        """Every round: number, action, worker, status and what was told."""
        with self.storage.reading() as connection:
            found = connection.execute(sa.select(rounds).where(rounds.c.study == self._id).order_by(rounds.c.number))
            return [
                {"number": r.number, "action": r.action, "worker": r.worker, "status": r.status, **json.loads(r.body)}
                for r in found.all()
            ]

    # inside a transaction

    def _begin(self, connection: sa.Connection, who: str) -> tuple[_Log, Book]:
        """The log, locked, and the book as it stands."""
        row = connection.execute(_POSITION if self.storage.sqlite else _LOCKED, {"id": self._id}).first()
        if row is None:
            raise StorageError(f"the study {shown(self.name)} was deleted")
        known, self._known = self._known, None  # trusted again only after this transaction is committed
        if known is not None and known[0] == row.position:
            book = known[1]
        else:
            book = self._book(connection, connection.execute(_CHECKPOINT, {"id": self._id}).scalar_one())
        return _Log(connection, self._id, row.position, who), book

    def _book(self, connection: sa.Connection, checkpoint: str) -> Book:
        return Book.from_checkpoint(checkpoint, self.problem, self.learner, lambda book: self._folded(connection, book))

    def _folded(self, connection: sa.Connection, book: Book) -> Any:
        """The state from the log alone: every block that is complete, in order."""
        state = fold.begun(self.problem, self.learner, book.settings)
        for block in range(book.folded):
            state = self._told(state, book, self._rows(connection, block))
        return state

    def _told(self, state: Any, book: Book, rows: Sequence[Row]) -> Any:
        return fold.told(state, self.learner, self.problem, book.settings.horizon, rows)

    def _now(self) -> tuple[Any, Book]:
        """The state with what has come back of the open block."""
        with self.storage.reading() as connection:
            row = connection.execute(sa.select(studies.c.checkpoint).where(studies.c.id == self._id)).first()
            if row is None:
                raise StorageError(f"the study {shown(self.name)} was deleted")
            book = self._book(connection, row.checkpoint)
            rows = self._rows(connection, book.folded) if book.folded < book.blocks else []
        return (self._told(book.state, book, rows) if rows else book.state), book

    def _rows(self, connection: sa.Connection, block: int) -> list[Row]:
        found = connection.execute(_ROWS, {"id": self._id, "block": block}).all()
        return [Row(r.action, (body := json.loads(r.body))["values"], body["deviated"]) for r in found]

    def _open(self, connection: sa.Connection) -> Sequence[Any]:
        return connection.execute(_OPEN, {"id": self._id}).all()

    def _round(self, connection: sa.Connection, number: int) -> Any:
        row = connection.execute(_ROUND, {"id": self._id, "round": number}).first()
        if row is None:
            raise BestdoError(f"there is no round {number}; ask for one first")
        return row

    def _update(self, connection: sa.Connection, number: int, **values: Any) -> None:
        query = rounds.update().where(rounds.c.study == self._id, rounds.c.number == number)
        connection.execute(query.values(**values))

    def _check_key(self, connection: sa.Connection, key: str | None, number: int) -> None:
        if key is None:
            return
        query = sa.select(rounds.c.number).where(rounds.c.study == self._id, rounds.c.key == key)
        taken = connection.execute(query).scalar()
        if taken is not None and taken != number:
            raise Conflict(f"the key {shown(key)} belongs to round {taken}")

    def _expire(self, log: _Log, book: Book) -> list[Any]:
        """Gives back the places of rounds whose lease is over, to be handed out again; those still open are returned."""
        still = []
        for row in self._open(log.connection):
            if row.expires >= time.time():
                still.append(row)
                continue
            log.add("expired", {"number": row.number})
            self._update(log.connection, row.number, status="expired", block=-1)
            book.left.append(row.action)
            book.used -= 1
        return still

    def _next_block(self, log: _Log, book: Book) -> bool:
        """Makes sure that there is something to hand out, if there can be: folds a complete block and plans the next."""
        while not book.left:
            if self._open(log.connection):
                return False
            if book.folded < book.blocks:
                book.state = self._told(book.state, book, self._rows(log.connection, book.folded))
                book.folded += 1
            actions = fold.planned(book, self.learner, self.problem)
            if actions is None:
                return False
            log.add("planned", {"block": book.blocks, "actions": actions})
            book.left, book.blocks = actions, book.blocks + 1
        return not book.closed

    def _again(self, connection: sa.Connection, book: Book, row: Any) -> None:
        """Folds anew when a round that the learner was told of has changed."""
        if row.status == "told" and row.block < book.folded:
            book.state = self._folded(connection, book)

    def _say_why_nothing(self, connection: sa.Connection, book: Book) -> None:
        waiting = self._open(connection)
        if waiting:
            listed = ", ".join(f"{r.number} ({r.worker or 'nobody in particular'})" for r in waiting[:8])
            raise Waiting(f"waiting for {len(waiting)} open round(s): {listed}")
        if book.closed:
            raise Finished(f"the study {shown(self.name)} is closed")
        raise Finished(f"the study {shown(self.name)} has finished: {book.used} of {book.settings.horizon} rounds used")

    def _asked(self, number: int, action: str, expires: float, book: Book) -> Asked:
        chosen = Intervention.parse(action)
        why = reason(self.problem, self.learner, book.state, chosen)
        return Asked(number, chosen, why, datetime.fromtimestamp(expires, UTC))


def _event(row: Any) -> dict[str, Any]:
    """An event as data; `number` is its place in the log, `round` the round it is about."""
    body = json.loads(row.body)
    about = {"round": body.pop("number")} if "number" in body else {}
    return {"number": row.number, "at": row.at, "who": row.who, "kind": row.kind, **about, **body}


@dataclass
class _Log:
    """The end of a study's log, inside a transaction."""

    connection: sa.Connection
    study: int
    position: int
    who: str

    def add(self, kind: str, body: Mapping[str, Any]) -> None:
        """Appends an event."""
        self.position += 1
        row = {"study": self.study, "number": self.position, "at": datetime.now(UTC).isoformat(), "who": self.who}
        self.connection.execute(events.insert(), {**row, "kind": kind, "body": json.dumps(body)})

    def keep(self, book: Book) -> None:
        """Writes the checkpoint beside the log."""
        values = {"id_": self.study, "position": self.position, "checkpoint": book.checkpoint()}
        self.connection.execute(_KEEP, values)


def names(storage: Storage) -> list[str]:
    """The studies in a database."""
    with storage.reading() as connection:
        return [str(n) for n in connection.execute(sa.select(studies.c.name).order_by(studies.c.id)).scalars()]


def _problem(settings: Settings) -> Problem:
    problem = read_toml(Source("the study's problem", settings.problem), None, None).problem
    assert problem is not None
    return problem
