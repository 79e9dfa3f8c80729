"""Replaying a log: the book and the rounds of a study from its events alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bestdo.errors import BestdoError, shown
from bestdo.study.book import Book
from bestdo.study.settings import Settings, problem_of

__all__ = ["replay_log"]

_REMARKS = ("noted",)
"""Kinds of events that change nothing."""


def replay_log(events: Iterable[Mapping[str, Any]]) -> tuple[Book, list[dict[str, Any]]]:
    """The book, without the learner's state, and the rounds, from events with `kind` and `body`."""
    lines = [(str(e["kind"]), json.loads(e["body"])) for e in events]
    if not lines or lines[0][0] != "created":
        raise BestdoError("a study's log begins with the line 'created'")
    last = [body["problem"] for kind, body in lines if kind in ("created", "added", "recut", "repaired")][-1]
    settings = Settings(**lines[0][1])
    problem = problem_of(replace(settings, problem=last))  # costs of actions never change
    book = Book(settings)
    rounds: dict[int, dict[str, Any]] = {}
    for kind, body in lines[1:]:
        if kind in _ON_ROUNDS:
            row = rounds.get(body["number"], {})
            price = problem.price_list.of(body["action"] if kind == "asked" else row["action"])
            _ON_ROUNDS[kind](book, rounds, body, price)
        elif kind in _ON_STUDY:
            _ON_STUDY[kind](book, body)
        elif kind not in _REMARKS:
            raise BestdoError(f"the log has a line {shown(kind)}, which this version of bestdo does not know")
    return book, [rounds[n] for n in sorted(rounds)]


Rounds = dict[int, dict[str, Any]]


def _asked(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    """A round was handed out."""
    extra = body.get("extra", False)
    if not extra and (not book.left or book.plan[book.given] != body["action"]):
        raise BestdoError(f"round {body['number']} was handed out, but is not next in the plan")
    book.given += not extra
    book.next, book.used = body["number"] + 1, book.used + price
    seen = {"context": body["context"]} if "context" in body else {}
    told = {"status": "open", "block": -1 if extra else book.blocks - 1, "body": json.dumps(seen), "key": None}
    rounds[body["number"]] = {**{k: body[k] for k in ("number", "action", "worker", "expires")}, **told}


def _expired(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    """The lease of a round ended: its action is handed out again."""
    row = rounds[body["number"]]
    if row["block"] >= 0:
        book.plan = [*book.plan, row["action"]]
    row |= {"status": "expired", "block": -1}
    book.used -= price


def _told(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    """The result of a round was told, perhaps after its lease."""
    row = rounds[body["number"]]
    if row["block"] < 0:
        row["block"] = max(book.blocks - 1, 0)
    if body["late"]:
        book.used += price
    kept = {**json.loads(row["body"]), **{k: body[k] for k in ("values", "deviated", "late")}}
    row |= {"status": "told", "key": body["key"], "body": json.dumps(kept)}


def _withdrawn(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    """A round was taken back, as lost or as never played."""
    row = rounds[body["number"]]
    if row["status"] == "expired":
        book.used += price if body["lost"] else 0
    else:
        book.used -= 0 if body["lost"] else price
    row["status"] = "lost" if body["lost"] else "unplayed"


def _amended(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    """The result of a round was corrected."""
    row = rounds[body["number"]]
    row["body"] = json.dumps({**json.loads(row["body"]), "values": body["values"], "deviated": body["deviated"]})


def _undone(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    """It was taken back that a round was told."""
    row = rounds[body["number"]]
    kept = json.loads(row["body"])
    if kept["late"]:
        book.used -= price
    seen = {"context": kept["context"]} if "context" in kept else {}
    row |= {"status": "expired" if kept["late"] else "open", "body": json.dumps(seen), "key": None}
    row |= {"block": body["block"], "expires": body["expires"]}


_ON_ROUNDS = {
    "asked": _asked,
    "expired": _expired,
    "told": _told,
    "withdrawn": _withdrawn,
    "amended": _amended,
    "undone": _undone,
}


def _planned(book: Book, body: dict[str, Any]) -> None:
    """The next block was planned, and the learner had been told all earlier ones."""
    book.blocks_told = book.blocks
    book.plan, book.given, book.blocks = list(body["actions"]), 0, book.blocks + 1
    book.settle()


def _change_settings(*names: str) -> Any:
    """A handler that copies these settings from the event."""

    def change(book: Book, body: dict[str, Any]) -> None:
        book.settings = replace(book.settings, **{n: body[n] for n in names})
        book.settle()

    return change


def _set_flags(**flags: bool) -> Any:
    """A handler that sets these flags of the book."""

    def change(book: Book, body: dict[str, Any]) -> None:
        for name, value in flags.items():
            setattr(book, name, value)

    return change


def _alarmed(book: Book, body: dict[str, Any]) -> None:
    """Rounds contradicted the graph: the rest of the plan is dropped, and another learner may take over."""
    book.given = len(book.plan)
    book.settings = replace(
        book.settings, learner=body["learner"], parameters=body["parameters"], contradicted=body["evidence"]
    )
    book.settle()


def _repaired(book: Book, body: dict[str, Any]) -> None:
    """Rounds contradicted the graph, and hidden common causes that explain it were added: the rest of the plan is dropped."""
    book.given = len(book.plan)
    repair = {"added": body["added"], "evidence": body["evidence"]}
    book.settings = replace(book.settings, problem=body["problem"], repairs=[*book.settings.repairs, repair])
    book.settle()


def _count_old(sign: int) -> Any:
    """A handler that adds old rows to the settings, or subtracts them."""

    def change(book: Book, body: dict[str, Any]) -> None:
        book.settings = replace(book.settings, watched=book.settings.watched + sign * body["whole"])

    return change


_ON_STUDY = {
    "alarmed": _alarmed,
    "repaired": _repaired,
    "observed": _count_old(1),
    "unobserved": _count_old(-1),
    "planned": _planned,
    "extended": _change_settings("horizon"),
    "learner": _change_settings("learner", "parameters"),
    "added": _change_settings("problem"),
    "recut": _change_settings("problem"),
    "closed": _set_flags(closed=True),
    "reopened": _set_flags(closed=False),
    "archived": _set_flags(closed=True, archived=True),
    "unarchived": _set_flags(closed=False, archived=False),
}
