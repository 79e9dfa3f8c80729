"""A study on a server of `bestdo serve`: a study whose journal is elsewhere, and that asks the server for what it knows.

A program does not care where its study is: where the storage is the address that `bestdo serve` prints, `Study.create` and
`Study.open` return a `RemoteStudy`. Its verbs are those of every study, and are sent as JSON. What the server knows already,
as the status, is asked for; all other queries read a copy of the log (`remote_journal.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import pairwise
from typing import Any, TypeVar

import bestdo.study.remote_answers as answers
from bestdo.bandit.answer import Answer
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.errors import NotValid, shown
from bestdo.files import Contents, parse
from bestdo.files.toml import write
from bestdo.study.marks import marks_in
from bestdo.study.queries import part_of
from bestdo.study.remote_journal import ServerJournal
from bestdo.study.remote_server import Server
from bestdo.study.study import Study
from bestdo.study.verbs.verb import Verb

__all__ = ["RemoteStudy", "begun", "names", "opened", "sent", "statuses"]

_A = TypeVar("_A")

_AT_ONCE = 1_000
"""Rounds and lines of the log in one answer. Chosen, not measured."""


def statuses(url: str) -> list[dict[str, Any]]:
    """The status of every study of a server."""
    server = Server(url)
    return [_status(server, "/studies", found) for found in server.send("GET", "/studies", answers.STUDIES)]


def names(url: str) -> list[str]:
    """The names of all studies of a server."""
    return [str(status["name"]) for status in statuses(url)]


def opened(url: str, name: str) -> RemoteStudy:
    """The study of this name on the server; there must be one."""
    study = RemoteStudy(Server(url), name)
    study.status()
    return study


def begun(url: str, name: str, problem: Problem, settings: Mapping[str, Any]) -> RemoteStudy:
    """A study that is begun on the server; the same again changes nothing, another one of that name is a Conflict."""
    server = Server(url)
    body = {"name": name, "problem": write(Contents(problem.graph, problem)), **settings}
    server.send("POST", "/studies", answers.STATUS, {k: v for k, v in body.items() if v is not None})
    return RemoteStudy(server, name)


def sent(url: str, data: Mapping[str, Any], name: str | None) -> RemoteStudy:
    """A study that was exported, taken by the server under its name or another one."""
    server = Server(url)
    status = server.send("POST", "/studies/import", answers.STATUS, {"study": data, "name": name})
    return RemoteStudy(server, str(status["name"]))


class RemoteStudy(Study):
    """A study on a server of `bestdo serve`; see `bestdo.Study` for what the methods do."""

    storage: Server

    def __init__(self, storage: Server, name: str) -> None:
        super().__init__(storage, name)
        self._at = ServerJournal.address_of(name)
        self._problem: Problem | None = None

    def __repr__(self) -> str:
        return f"RemoteStudy({shown(self.name)} on {self.storage.address})"

    def do(self, verb: Verb[_A]) -> _A:
        """Changes the study by a verb as a value; the problem may be another one then."""
        self._problem = None
        return super().do(verb)

    @property
    def problem(self) -> Problem:
        """The problem, as the server had it when it was read first after the last verb."""
        if self._problem is None:
            text = self._get("problem", answers.PROBLEM)["problem"]
            with self.storage.reading("GET", f"{self._at}/problem"):
                self._problem = parse(text.encode(), "problem.toml").problem
                if self._problem is None:
                    raise NotValid("there is no problem in it")
        return self._problem

    def status(self) -> dict[str, Any]:
        """The standing of the study."""
        return _status(self.storage, self._at, self.storage.send("GET", self._at, answers.STATUS))

    def findings(self) -> Answer:
        """The recommendation, the estimates of all actions and the problem."""
        found = self._get("best", answers.BEST)
        if [row["action"] for row in found["actions"]] != [str(a) for a in self.problem.actions]:
            self._problem = None  # somebody has added an action
        problem = self.problem
        with self.storage.reading("GET", f"{self._at}/best"):
            return Answer.of_data(problem, found)

    def estimates(self) -> Estimates:
        """The estimates of all actions."""
        return self.findings().estimates

    def rounds(self, after: int = 0, most: int | None = None) -> list[dict[str, Any]]:
        """Rounds and what became of them, in their order."""
        rows = self._pages("rounds", answers.ROUNDS, *part_of(after, most))
        plain = ({**{k: v for k, v in row.items() if k != "told"}, **(row["told"] or {})} for row in rows)
        return [_without_empty(row, "context") for row in plain]

    def history(self, after: int = 0, most: int | None = None) -> list[dict[str, Any]]:
        """The log, oldest first."""
        return self._pages("history", answers.HISTORY, *part_of(after, most))

    def _get(self, what: str, shape: answers.Shape) -> Any:
        return self.storage.send("GET", f"{self._at}/{what}", shape)

    def _pages(self, what: str, shape: answers.Shape, after: int, most: int | None) -> list[dict[str, Any]]:
        """The rows of a list that is answered in parts."""
        rows: list[dict[str, Any]] = []
        while most is None or len(rows) < most:
            size = _AT_ONCE if most is None else min(_AT_ONCE, most - len(rows))
            part = self._get(f"{what}?after={after}&most={size}", shape)
            numbers = [after, *(row["number"] for row in part)]
            with self.storage.reading("GET", f"{self._at}/{what}"):
                if len(part) > size or any(later <= earlier for earlier, later in pairwise(numbers)):
                    raise NotValid("its rows are too many, or not in their order")
            rows += part
            if len(part) < size:
                break
            after = numbers[-1]
        return rows


def _status(server: Server, path: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """The standing of a study, as a study in a database says it, from the server's answer."""
    with server.reading("GET", path):
        whole = {name: int(found[name]) for name in ("horizon", "used")} if found["unit"] == "rounds" else {}
        out = [_without_empty(each, "context") for each in found["open"]]
        return _without_empty({**found, **asdict(marks_in(found)), **whole, "open": out}, "arrows", "earned")


def _without_empty(found: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """An answer without those of these parts that hold nothing, as a study in a database leaves them out."""
    return {name: value for name, value in found.items() if value or name not in names}
