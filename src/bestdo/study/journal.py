"""The journal of a study: its log and its book, in a database here or on a server."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from copy import copy
from operator import is_not
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import sqlalchemy as sa

from bestdo.errors import BestdoError, unknown
from bestdo.learners.game import Game
from bestdo.learners.known_so_far import Found
from bestdo.study import blocks
from bestdo.study.book import Book
from bestdo.study.log import Log
from bestdo.study.round import label
from bestdo.study.schema import events, rounds, studies
from bestdo.study.settings import Settings
from bestdo.study.storage import Storage

if TYPE_CHECKING:
    from bestdo.study.verbs.verb import Verb

__all__ = ["FORMAT", "DatabaseJournal", "Journal", "LastFound", "names"]

FORMAT = 1
"""The version of the exported JSON."""

_A = TypeVar("_A")


class Journal(Protocol):
    """The place of a log, as far as a study needs to know it."""

    @property
    def game(self) -> Game:
        """The problem and the learner, as last read or changed."""

    def do(self, verb: Verb[_A]) -> _A:
        """Changes the study."""

    def reading(self) -> AbstractContextManager[Log]:
        """The log in a transaction that only reads."""

    def book(self, log: Log) -> Book:
        """The current book."""

    @property
    def found(self) -> LastFound:
        """The estimates that were asked for last."""

    def exported(self) -> dict[str, Any]:
        """The whole log as data for JSON."""

    def delete(self) -> None:
        """Forgets the study, its log and all its rounds."""


class LastFound:
    """The estimates in a state and the number of the recommended action, computed once for as long as nothing is told."""

    def __init__(self) -> None:
        self._last: tuple[object, Game, Found] | None = None
        self._lock = threading.Lock()

    def __call__(self, game: Game, state: Any) -> Found:
        """The estimates of this game in this state."""
        with self._lock:
            if self._last is None or self._last[0] is not state or self._last[1] is not game:
                self._last = state, game, Found(game.estimates(state), int(game.best(state)[0]))
            return self._last[2]


class DatabaseJournal:
    """The journal of a study in a database."""

    def __init__(self, storage: Storage, name: str) -> None:
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
        self._game = int(row.position), settings.game  # as last read or written, and the position they stand for
        self._kept: tuple[int, Book] | None = None  # the book as last read or written, and the position it stands for
        self._lock = threading.Lock()
        self.found = LastFound()

    @property
    def game(self) -> Game:
        """The problem and the learner, as last read or changed."""
        return self._game[1]

    def do(self, verb: Verb[_A]) -> _A:
        """Changes the study."""
        return verb.carry_out(self)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Log]:
        """The log in a transaction that only reads."""
        with self.storage.reading() as connection:
            yield Log(connection, self.id)

    @contextlib.contextmanager
    def changing(self, who: str) -> Iterator[tuple[Log, Book]]:
        """The locked log and the current book, in a transaction; both are written at its end, or neither after an error."""
        with self.storage.writing() as connection:
            log = Log(connection, self.id, who=label(who, "anybody's name"))
            log.lock(self.name)
            before = log.position
            book = self._at_position(log)
            checkpointed = book.checkpointed()
            yield log, book
            if log.position > before:
                changed = any(map(is_not, checkpointed, book.checkpointed()))
                log.keep(book, checkpoint=changed)
            position = log.position
        self._read(position, book)

    def book(self, log: Log) -> Book:
        """The current book."""
        log.find(self.name)
        return self._at_position(log)

    def _at_position(self, log: Log) -> Book:
        """The book at the log's position, which may be changed: a copy of the one kept here, or from the checkpoint."""
        kept = self._kept
        if kept is None or kept[0] != log.position:
            book = Book.from_data(log.kept(self.name), refold=lambda book: blocks.fold_log(log, book))
            self._read(log.position, book)
            return copy(book)
        return copy(kept[1])

    def _read(self, position: int, book: Book) -> None:
        """Remembers the book at a position, unless another thread has remembered a newer one."""
        with self._lock:
            if position >= self._game[0]:
                self._game = position, book.game
                self._kept = position, copy(book)

    def exported(self) -> dict[str, Any]:
        """The whole log as data for JSON."""
        with self.reading() as log:
            lines = [{c: v for c, v in e._mapping.items() if c != "study"} for e in log.events()]
        return {"bestdo study": FORMAT, "name": self.name, "events": lines}

    def delete(self) -> None:
        """Forgets the study, its log and all its rounds."""
        with self.storage.writing() as connection:
            for table, column in ((rounds, rounds.c.study), (events, events.c.study), (studies, studies.c.id)):
                connection.execute(table.delete().where(column == self.id))


def names(storage: Storage) -> list[str]:
    """The names of all studies in a database."""
    with storage.reading() as connection:
        return [str(n) for n in connection.execute(sa.select(studies.c.name).order_by(studies.c.id)).scalars()]
