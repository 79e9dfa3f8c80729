"""A study on a server of `bestdo serve`, with the methods of a study in a database.

A program does not care where its study is: where the storage is the address that `bestdo serve` prints, `Study.create` and
`Study.open` return a `RemoteStudy`, whose methods have the same arguments, answers and errors and are sent as JSON.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import Any, Self
from urllib.parse import quote

import bestdo.display as display
import bestdo.study.remote_answers as answers
from bestdo.bandit.answer import Answer, Best
from bestdo.bandit.arrow_chance import ArrowChance
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.rule import Rule
from bestdo.causal.action import Intervention
from bestdo.errors import NotValid, shown
from bestdo.files import Contents, parse
from bestdo.files.atomic_io import write_bytes
from bestdo.files.toml import write
from bestdo.learners import name_and_parameters
from bestdo.study.asked import Asked, AskedRounds, number_of
from bestdo.study.context_rounds import given_contexts, is_table
from bestdo.study.remote_server import Server
from bestdo.study.rule_file import rule_file
from bestdo.study.sent_values import plain, sent_contexts

__all__ = ["RemoteStudy", "names"]

_AT_ONCE = 1_000
"""Rounds and lines of the log in one answer. Chosen, not measured."""


def names(storage: str) -> list[str]:
    """The names of all studies of a server."""
    return [str(status["name"]) for status in Server(storage).send("GET", "/studies", answers.STUDIES)]


class RemoteStudy:
    """A study on a server of `bestdo serve`; see `bestdo.Study` for what the methods do."""

    why_learner = ""

    def __init__(self, storage: str, name: str) -> None:
        self._server = Server(storage)
        self.name = name
        self._at = f"/studies/{quote(name.replace('~', '~7E').replace('/', '~2F'), safe='~')}"

    @classmethod
    def open(cls, storage: str, name: str) -> RemoteStudy:
        """The study of this name on the server; there must be one."""
        study = cls(storage, name)
        study.status()
        return study

    @classmethod
    def create(cls, storage: str, name: str, problem: Problem, settings: Mapping[str, Any]) -> RemoteStudy:
        """Begins a study on the server; the same again changes nothing, another one of that name is a Conflict."""
        study = cls(storage, name)
        body = {"name": name, "problem": write(Contents(problem.graph, problem)), **settings}
        study._server.send("POST", "/studies", answers.STATUS, {k: v for k, v in body.items() if v is not None})
        return study

    def __repr__(self) -> str:
        return f"RemoteStudy({shown(self.name)} on {self._server.address})"

    _repr_html_ = display.html
    plot = display.plot
    to_frame = display.to_frame

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is kept open."""

    # one round

    def ask(
        self,
        worker: str = "",
        n: int = 1,
        *,
        context: object = None,
        key: str | None = None,
    ) -> AskedRounds:
        """The next n rounds for this worker: first those that the worker has open already, then new ones."""
        said: dict[str, Any] = {"worker": worker, "n": n, **({} if key is None else {"key": key})}
        if is_table(context):
            self.__dict__.pop("problem", None)  # somebody may have cut the numbers elsewhere
            context = given_contexts(self.problem, context, n)
        if context is not None:
            said["context"] = sent_contexts(context)
        found = self._server.send("POST", f"{self._at}/ask", answers.ASKED, said)
        with self._server.reading("POST", f"{self._at}/ask"):
            handed = AskedRounds(map(_asked, found["rounds"]))
        handed.fewer = found["fewer"]
        return handed

    def tell(
        self,
        number: int | Asked | AskedRounds,
        values: Mapping[str, str | float],
        *,
        key: str | None = None,
        who: str = "",
        happened: bool = False,
    ) -> None:
        """Records the result of a round; the same again changes nothing, another one is a Conflict."""
        said = {"values": plain(values), "who": who, "happened": happened}
        self._post(f"rounds/{number_of(number)}/tell", said if key is None else {**said, "key": key})

    def withdraw(self, number: int | Asked | AskedRounds, why: str, *, lost: bool = True, who: str = "") -> None:
        """Withdraws a round; lost, it uses up its part of the horizon."""
        self._post(f"rounds/{number_of(number)}/withdraw", {"why": why, "lost": lost, "who": who})

    def amend(
        self,
        number: int | Asked | AskedRounds,
        values: Mapping[str, str | float],
        why: str,
        *,
        whole: bool = False,
        who: str = "",
        happened: bool = False,
    ) -> None:
        """Corrects the result of a round: these values replace the earlier ones, the others stay, unless `whole`."""
        said = {"values": plain(values), "why": why, "whole": whole, "who": who, "happened": happened}
        self._post(f"rounds/{number_of(number)}/amend", said)

    def undo(self, number: int | Asked | AskedRounds, why: str = "", *, who: str = "") -> None:
        """Takes back that a round was told: it is out again, as before."""
        self._post(f"rounds/{number_of(number)}/undo", {"why": why, "who": who})

    def note(self, text: str, number: int | None = None, *, who: str = "") -> None:
        """Adds a remark on a round, or on the study, to the log."""
        self._post(
            "notes", {"text": text, "who": who} if number is None else {"text": text, "round": number, "who": who}
        )

    # the whole study

    def extend(self, horizon: float, why: str, *, who: str = "") -> None:
        """Sets another number of rounds, or another budget, for the whole study."""
        costs = self.status()["unit"] != "rounds"
        self._post("extend", {("budget" if costs else "rounds"): horizon, "why": why, "who": who})

    def change_learner(
        self, learner: str | Learner[Any], why: str, *, parameters: Mapping[str, Any] | None = None, who: str = ""
    ) -> None:
        """Lets another learner go on."""
        name, own = name_and_parameters(learner)
        self._post("learner", {"learner": name, "parameters": {**own, **(parameters or {})}, "why": why, "who": who})

    def add_action(self, action: str, why: str, *, cost: float | None = None, who: str = "") -> None:
        """Allows a further action from now on."""
        said = {"action": str(action), "why": why, "who": who}
        self._post("actions", said if cost is None else {**said, "cost": cost})
        self.__dict__.pop("problem", None)

    def recut(self, variable: str, cut: Sequence[float], why: str, *, who: str = "") -> None:
        """Cuts the numbers of a variable at other borders."""
        self._post("recut", {"variable": variable, "cut": list(cut), "why": why, "who": who})
        self.__dict__.pop("problem", None)

    def close(self, why: str = "", *, who: str = "") -> None:
        """Hands out no more rounds."""
        self._post("close", {"why": why, "who": who})

    def reopen(self, why: str = "", *, who: str = "") -> None:
        """Hands out rounds again."""
        self._post("reopen", {"why": why, "who": who})

    def archive(self, why: str = "", *, who: str = "") -> None:
        """Puts the study away."""
        self._post("archive", {"why": why, "who": who})

    def unarchive(self, why: str = "", *, who: str = "") -> None:
        """Brings the study back from the archive."""
        self._post("unarchive", {"why": why, "who": who})

    def delete(self) -> None:
        """Forgets the study and all its rounds."""
        self._server.send("DELETE", self._at, answers.NOTHING)

    # what is known

    @cached_property
    def problem(self) -> Problem:
        """The problem, as the server has it now."""
        text = self._get("problem", answers.PROBLEM)["problem"]
        with self._server.reading("GET", f"{self._at}/problem"):
            found = parse(text.encode(), "problem.toml").problem
            if found is None:
                raise NotValid("there is no problem in it")
        return found

    def status(self) -> dict[str, Any]:
        """Where the study stands."""
        found: dict[str, Any] = self._server.send("GET", self._at, answers.STATUS)
        return found

    def findings(self) -> Answer:
        """The recommendation, the estimates of all actions and the problem."""
        found = self._get("best", answers.BEST)
        if [row["action"] for row in found["actions"]] != [str(a) for a in self.problem.actions]:
            self.__dict__.pop("problem", None)  # somebody has added an action
        problem = self.problem
        with self._server.reading("GET", f"{self._at}/best"):
            return Answer.of_data(problem, found)

    def arrows(self) -> list[ArrowChance]:
        """The doubtful arrows, with their probabilities."""
        return list(self.findings().arrows)

    def best(self) -> Best:
        """The recommended action with its estimate."""
        return self.findings().best

    def rule(self) -> Rule:
        """The rule by the rounds so far, an action for each context."""
        found = self.findings().best.rule
        if found is None:
            raise NotValid("there is no rule: nothing is seen first in this study")
        return found

    def save_rule(self, path: str | os.PathLike[str]) -> None:
        """Writes the rule into a file whose name ends in .json, .csv or .py."""
        write_bytes(os.fspath(path), rule_file(self.rule(), os.fspath(path)))

    def estimates(self) -> Estimates:
        """The estimates of all actions."""
        return self.findings().estimates

    def rounds(self, after: int = 0, most: int | None = None) -> list[dict[str, Any]]:
        """Rounds and what became of them, in their order."""
        rows = self._pages("rounds", answers.ROUNDS, after, most)
        return [{**{k: v for k, v in row.items() if k != "told"}, **(row["told"] or {})} for row in rows]

    def history(self, after: int = 0, most: int | None = None) -> list[dict[str, Any]]:
        """The log, oldest first."""
        return self._pages("history", answers.HISTORY, after, most)

    def export(self) -> dict[str, Any]:
        """The whole study, as `bestdo export` writes it."""
        found: dict[str, Any] = self._get("export", answers.EXPORT)
        return found

    def _post(self, verb: str, body: Mapping[str, Any]) -> None:
        self._server.send("POST", f"{self._at}/{verb}", answers.NOTHING, body)

    def _get(self, what: str, shape: answers.Shape) -> Any:
        return self._server.send("GET", f"{self._at}/{what}", shape)

    def _pages(self, what: str, shape: answers.Shape, after: int, most: int | None) -> list[dict[str, Any]]:
        """The rows of a list that is answered in parts."""
        rows: list[dict[str, Any]] = []
        while most is None or len(rows) < most:
            size = _AT_ONCE if most is None else min(_AT_ONCE, most - len(rows))
            part = self._get(f"{what}?after={after}&most={size}", shape)
            numbers = [after, *(row["number"] for row in part)]
            with self._server.reading("GET", f"{self._at}/{what}"):
                if len(part) > size or any(later <= earlier for earlier, later in pairwise(numbers)):
                    raise NotValid("its rows are too many, or not in their order")
            rows += part
            if len(part) < size:
                break
            after = numbers[-1]
        return rows


def _asked(row: Mapping[str, Any]) -> Asked:
    """A round that was handed out."""
    action, expires = Intervention.parse(row["action"]), datetime.fromisoformat(row["expires"])
    return Asked(row["number"], action, expires, lambda: str(row["reason"]), row.get("context") or {})
