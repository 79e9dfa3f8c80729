"""A study: ask for the next round, tell what happened, see the best action; many people, many days, any crash."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError, Conflict, shown, unknown
from bestdo.evidence.alarm import LEVEL
from bestdo.files import Contents
from bestdo.files.toml import write as write_toml
from bestdo.study import admin as life
from bestdo.study import blocks, contradiction, fold
from bestdo.study import old_data as old
from bestdo.study import queries as known
from bestdo.study.fold import Book, Players, Settings
from bestdo.study.log import Log
from bestdo.study.round import checked, label, reason
from bestdo.study.schema import studies
from bestdo.study.storage import Storage

__all__ = ["Asked", "Study", "names", "version"]

DAY = 86_400.0


@dataclass(frozen=True)
class Asked:
    """A round to be played."""

    number: int
    action: Intervention
    reason: str
    expires: datetime


class Study:
    """A real experiment in a database; every method is one transaction."""

    def __init__(self, storage: Storage, name: str) -> None:
        """Opens a study; see `create` and `open`."""
        self.storage = storage
        self.name = name
        with storage.reading() as connection:
            row = connection.execute(
                sa.select(studies.c.id, studies.c.position, studies.c.checkpoint).where(studies.c.name == name)
            ).first()
            settings = None if row is None else Settings(**json.loads(row.checkpoint)["settings"])
        if row is None or settings is None:
            raise BestdoError(unknown("study", name, names(storage)))
        self.id = int(row.id)
        self._players = int(row.position), settings.players  # as last read or written, and the position they stand for
        self._kept: tuple[int, Book] | None = None  # the book as this object left it, and the position it stands for
        self._lock = threading.Lock()

    @classmethod
    def create(
        cls,
        url: str,
        name: str,
        problem: Problem,
        learner: str,
        horizon: float,
        *,
        seed: int = 0,
        parameters: Mapping[str, Any] | None = None,
        lease: float = 7 * DAY,
        until_sure: float | None = None,
        alarm: float = LEVEL,
        load_if_exists: bool = False,
        who: str = "",
    ) -> Study:
        """A new study; the one of that name instead, with `load_if_exists`.

        The horizon is a number of rounds; where actions have costs it is a budget, what all rounds together may cost.
        With `until_sure`, 0.95 say, it stops earlier if one action is the best with that confidence. `alarm` is how often
        the rounds may seem to contradict a graph that is right, in the whole study; 0 for no such alarm.
        """
        storage = Storage(url)
        if not name or len(name) > 200 or not name.isprintable():
            raise BestdoError(f"{shown(name)} cannot be a study's name: 1 to 200 printable characters")
        text = write_toml(Contents(problem.graph, problem))
        if not 0 <= alarm < 1:
            raise BestdoError(f"an alarm at {alarm:g}: it must be at least 0 (never) and below 1, as 0.05 is")
        rounds = fold.horizon(problem, horizon)
        settings = Settings(text, learner, dict(parameters or {}), rounds, seed, fold.lease(lease), until_sure, alarm)
        book = Book(settings, unit="rounds" if problem.cost is None else "cost")
        book.state = fold.begun(settings)  # refuses problems that it is not valid for
        with storage.writing() as connection:
            if connection.execute(sa.select(studies.c.id).where(studies.c.name == name)).first():
                if not load_if_exists:
                    raise Conflict(f"there is a study {shown(name)} already: open it, or choose another name")
            else:
                values = {"name": name, "position": 0, "checkpoint": book.checkpoint(), "cursor": book.cursor()}
                made = connection.execute(studies.insert().returning(studies.c.id), values).scalar_one()
                log = Log(connection, int(made), who=who)
                log.add("created", json.loads(settings.as_json))
                log.keep(book, checkpoint=False)
        return cls(storage, name)

    @classmethod
    def open(cls, url: str, name: str) -> Study:
        """A study that exists."""
        return cls(Storage(url), name)

    # one round

    def ask(self, worker: str = "", n: int = 1) -> list[Asked]:
        """The next rounds for this worker: those that are open already first; more when fewer than n are."""
        with self.changing(worker) as (log, book):
            mine = [r for r in blocks.expire(log, book) if r.worker == worker]
            given = [(r.number, r.action, r.expires) for r in mine[:n]]
            while len(given) < n and blocks.next_block(log, book):
                action, number, expires = book.plan[book.given], book.next, time.time() + book.settings.lease
                log.add("asked", {"number": number, "action": action, "worker": worker, "expires": expires})
                log.hand_out(number, action, worker, expires, book.blocks - 1)
                book.given, book.next = book.given + 1, number + 1
                book.used += fold.price(book.players.problem, action)
                given.append((number, action, expires))
            nothing = None if given else blocks.why_nothing(log, book, self.name)
            (problem, learner), state = book.players, book.state
        if nothing is not None:
            raise nothing  # after the transaction: what expired has expired
        found = learner.estimates(state)  # after the transaction too: others can write meanwhile
        actions = [Intervention.parse(action) for _, action, _ in given]
        return [
            Asked(number, action, reason(problem, found, action), datetime.fromtimestamp(expires, UTC))
            for action, (number, _, expires) in zip(actions, given, strict=True)
        ]

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
        with self.changing(who) as (log, book):
            row = log.round(number)
            clean, deviated = checked(book.players.problem, row.action, values, happened)
            late = row.status == "expired"
            body = {"values": clean, "deviated": deviated, "late": late}
            if row.status == "told":
                if json.loads(row.body)["values"] == clean:
                    return
                raise Conflict(f"round {number} was told already, with other values; amend it if it was wrong")
            if row.status in ("lost", "unplayed"):
                raise Conflict(f"round {number} was withdrawn; nothing can be told of it")
            if key is not None and (taken := log.with_key(label(key, "a key"))) not in (None, number):
                raise Conflict(f"the key {shown(key)} belongs to round {taken}")
            if late:  # its place was handed out again: this one comes on top, in the block that is open now
                blocks.next_block(log, book)
            log.add("told", {"number": number, "key": key, **body})
            if late:
                book.used += fold.price(book.players.problem, row.action)
            block = max(book.blocks - 1, 0) if late else row.block
            log.change(number, status="told", body=json.dumps(body), key=key, block=block)
            if block < book.folded:  # late, and the study has finished: the last block, once more
                book.state = blocks.folded(log, book)
            if contradiction.due(number):
                contradiction.look(log, book)
            blocks.next_block(log, book)

    def withdraw(self, number: int, why: str, *, lost: bool = True, who: str = "") -> None:
        """Takes a round back. Lost: its place in the horizon is used up; never played (lost=False): it is given back."""
        with self.changing(who) as (log, book):
            row = log.round(number)
            if row.status in ("lost", "unplayed"):
                raise Conflict(f"round {number} was withdrawn before")
            log.add("withdrawn", {"number": number, "lost": lost, "why": why})
            out = row.status != "expired"  # an expired one was given back already
            book.used += ((0 if lost else -1) if out else (1 if lost else 0)) * fold.price(
                book.players.problem, row.action
            )
            log.change(number, status="lost" if lost else "unplayed")
            blocks.again(log, book, row)
            blocks.next_block(log, book)

    def amend(self, number: int, values: Mapping[str, str], why: str, *, who: str = "", happened: bool = False) -> None:
        """Corrects what was told of a round; the log keeps both."""
        with self.changing(who) as (log, book):
            row = log.round(number)
            if row.status != "told":
                raise Conflict(f"round {number} has not been told: there is nothing to amend")
            clean, deviated = checked(book.players.problem, row.action, values, happened)
            body = {**json.loads(row.body), "values": clean, "deviated": deviated}
            log.add("amended", {"number": number, "values": clean, "deviated": deviated, "why": why})
            log.change(number, body=json.dumps(body))
            blocks.again(log, book, row)

    def note(self, text: str, number: int | None = None, *, who: str = "") -> None:
        """A remark, on a round or on the study."""
        with self.changing(who) as (log, _):
            if number is not None:
                log.round(number)
            log.add("noted", {"number": number, "text": text})

    # the whole study: see life.py

    extend = life.extend
    change_learner = life.change_learner
    add_action = life.add_action
    close = life.close
    reopen = life.reopen
    archive = life.archive
    unarchive = life.unarchive
    delete = life.delete

    # old data: see old.py

    observe = old.observe
    unobserve = old.unobserve
    old_data = old.old_data
    answered = old.answered

    # what is known: see known.py

    findings = known.findings
    best = known.best
    estimates = known.estimates
    alarms = known.alarms
    history = known.history
    status = known.status
    rounds = known.rounds
    begun = known.begun

    @property
    def problem(self) -> Problem:
        """The study's problem, as this object read or amended it last."""
        return self._players[1].problem

    @property
    def learner(self) -> Learner[Any]:
        """The study's learner, as this object read or amended it last."""
        return self._players[1].learner

    # inside a transaction

    @contextlib.contextmanager
    def reading(self) -> Iterator[Log]:
        """The log, to look at: one state of it."""
        with self.storage.reading() as connection:
            yield Log(connection, self.id)

    @contextlib.contextmanager
    def changing(self, who: str) -> Iterator[tuple[Log, Book]]:
        """The log, locked, and the book as it stands; both are kept at the end, or nothing is."""
        with self.storage.writing() as connection:
            log = Log(connection, self.id, who=label(who, "anybody's name"))
            log.lock(self.name)
            kept, self._kept = self._kept, None  # trusted again only after this transaction is committed
            begun = log.position
            book = kept[1] if kept is not None and kept[0] == begun else self.book(log)
            slow = book.slow()
            yield log, book
            if log.position > begun:
                log.keep(book, checkpoint=any(one is not two for one, two in zip(slow, book.slow(), strict=True)))
            players, position = book.players, log.position
        self._kept = position, book
        self._read(position, players)

    def book(self, log: Log) -> Book:
        """The book as it stands in the log, with the problem and the learner that its state belongs to."""
        book = Book.from_data(log.kept(self.name), again=lambda book: blocks.folded(log, book))
        self._read(log.position, book.players)
        return book

    def _read(self, position: int, players: Players) -> None:
        """Remembers the newest problem and learner: of several threads the one that read first may come last."""
        with self._lock:
            if position >= self._players[0]:
                self._players = position, players


def version(storage: Storage, name: str) -> tuple[int, int]:
    """Which study bears the name, and the number of its last event: whether anything has happened."""
    with storage.reading() as connection:
        found = connection.execute(sa.select(studies.c.id, studies.c.position).where(studies.c.name == name)).first()
    if found is None:
        raise BestdoError(unknown("study", name, names(storage)))
    return int(found.id), int(found.position)


def names(storage: Storage) -> list[str]:
    """The studies in a database."""
    with storage.reading() as connection:
        return [str(n) for n in connection.execute(sa.select(studies.c.name).order_by(studies.c.id)).scalars()]
