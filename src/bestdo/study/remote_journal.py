"""The journal of a study on a server: verbs are sent, and what is read here is read in a copy of the log."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterator
from typing import Any, TypeVar
from urllib.parse import quote

from bestdo.learners import registered
from bestdo.learners.game import Game
from bestdo.study import remote_answers as answers
from bestdo.study.book import Book
from bestdo.study.exchange import written
from bestdo.study.journal import DatabaseJournal, LastFound
from bestdo.study.log import Log
from bestdo.study.remote_server import Server
from bestdo.study.storage import Storage
from bestdo.study.verbs.verb import Verb

__all__ = ["ServerJournal"]

_A = TypeVar("_A")


class ServerJournal:
    """The journal of a study on a server of `bestdo serve`."""

    def __init__(self, server: Server, name: str) -> None:
        self.server = server
        self.name = name
        self.address = self.address_of(name)
        self._kept: tuple[str, DatabaseJournal] | None = None  # a copy of the log, and the version that it is of
        self._lock = threading.Lock()
        self._read = threading.local()  # the copy that this thread reads
        self.found = LastFound()

    @staticmethod
    def address_of(name: str) -> str:
        """The address of the study of this name on a server."""
        return f"/studies/{quote(name.replace('~', '~7E').replace('/', '~2F'), safe='~')}"

    @property
    def game(self) -> Game:
        """The problem and the learner, as they are now."""
        return self._copy().game

    def do(self, verb: Verb[_A]) -> _A:
        """Changes the study: sends the verb."""
        path = f"{self.address}/{verb.address()}"
        answer = self.server.send("POST", path, verb.shape, verb.body())
        with self.server.reading("POST", path):
            return verb.read(answer, self)

    @contextlib.contextmanager
    def reading(self) -> Iterator[Log]:
        """The log in a transaction that only reads: that of a copy, as new as this call."""
        self._read.copy = self._copy()
        with self._read.copy.reading() as log:
            yield log

    def book(self, log: Log) -> Book:
        """The book of the copy that is read."""
        copy: DatabaseJournal = self._read.copy
        return copy.book(log)

    def exported(self) -> dict[str, Any]:
        """The whole log as data for JSON."""
        data: dict[str, Any] = self.server.send("GET", f"{self.address}/export", answers.EXPORT)
        return data

    def delete(self) -> None:
        """Forgets the study, its log and all its rounds."""
        self.server.send("DELETE", self.address, answers.NOTHING)

    def _copy(self) -> DatabaseJournal:
        """The journal of a copy of the log; another one whenever something has happened in the study."""
        version = str(self.server.send("GET", f"{self.address}/version", answers.VERSION)["version"])
        with self._lock:
            if self._kept is None or self._kept[0] != version:
                self._kept = version, self._copied()
            return self._kept[1]

    def _copied(self) -> DatabaseJournal:
        """The journal of a fresh copy of the log, in a folder of its own for as long as the journal is used."""
        data = self.exported()
        with self.server.reading("GET", f"{self.address}/export"):
            named = {body["learner"] for event in data["events"] if "learner" in (body := json.loads(event["body"]))}
        for learner in named:
            registered(str(learner))  # what comes from outside loads no module
        folder = tempfile.mkdtemp(prefix="bestdo-")
        try:
            storage = Storage(f"sqlite:///{folder}/copy.db")
            with self.server.reading("GET", f"{self.address}/export"):
                written(storage, data, self.name)
            journal = DatabaseJournal(storage, self.name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(journal, shutil.rmtree, folder, ignore_errors=True)
        return journal
