"""The whole of a study from its log alone: what else is stored beside the events is only kept so that it is quick."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from bestdo.errors import BestdoError, shown
from bestdo.study import fold
from bestdo.study.fold import Book, Settings

__all__ = ["replayed"]

_REMARKS = ("noted",)


def replayed(events: Iterable[Mapping[str, Any]]) -> tuple[Book, list[dict[str, Any]]]:
    """The book, without the learner's state, and the rounds, from the events: each with its `kind` and `body`."""
    lines = [(str(e["kind"]), json.loads(e["body"])) for e in events]
    if not lines or lines[0][0] != "created":
        raise BestdoError("a study's log begins with the line 'created'")
    last = [body["problem"] for kind, body in lines if kind in ("created", "added")][-1]
    settings = Settings(**lines[0][1])
    problem = fold.problem_of(replace(settings, problem=last))  # costs of actions never change
    book = Book(settings, unit="rounds" if problem.cost is None else "cost")
    rounds: dict[int, dict[str, Any]] = {}
    for kind, body in lines[1:]:
        if kind in _ON_ROUNDS:
            row = rounds.get(body["number"], {})
            price = fold.price(problem, body["action"] if kind == "asked" else row["action"])
            _ON_ROUNDS[kind](book, rounds, body, price)
        elif kind in _ON_THE_STUDY:
            _ON_THE_STUDY[kind](book, body)
        elif kind not in _REMARKS:
            raise BestdoError(f"the log has a line {shown(kind)}, which this version of bestdo does not know")
    return book, [rounds[n] for n in sorted(rounds)]


Rounds = dict[int, dict[str, Any]]


def _asked(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    if not book.left or book.plan[book.given] != body["action"]:
        raise BestdoError(f"round {body['number']} was handed out, but is not next in the plan")
    book.given += 1
    book.next, book.used = body["number"] + 1, book.used + price
    told = {"status": "open", "block": book.blocks - 1, "body": "{}", "key": None}
    rounds[body["number"]] = {**{k: body[k] for k in ("number", "action", "worker", "expires")}, **told}


def _expired(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    row = rounds[body["number"]]
    row |= {"status": "expired", "block": -1}
    book.plan = [*book.plan, row["action"]]
    book.used -= price


def _told(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    row = rounds[body["number"]]
    if body["late"]:
        row["block"] = max(book.blocks - 1, 0)
        book.used += price
    kept = {k: body[k] for k in ("values", "deviated", "late")}
    row |= {"status": "told", "key": body["key"], "body": json.dumps(kept)}


def _withdrawn(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    row = rounds[body["number"]]
    if row["status"] == "expired":
        book.used += price if body["lost"] else 0
    else:
        book.used -= 0 if body["lost"] else price
    row["status"] = "lost" if body["lost"] else "unplayed"


def _amended(book: Book, rounds: Rounds, body: dict[str, Any], price: float) -> None:
    row = rounds[body["number"]]
    row["body"] = json.dumps({**json.loads(row["body"]), "values": body["values"], "deviated": body["deviated"]})


_ON_ROUNDS = {"asked": _asked, "expired": _expired, "told": _told, "withdrawn": _withdrawn, "amended": _amended}


def _planned(book: Book, body: dict[str, Any]) -> None:
    book.folded = book.blocks
    book.plan, book.given, book.blocks = list(body["actions"]), 0, book.blocks + 1


def _set(*names: str) -> Any:
    def amended(book: Book, body: dict[str, Any]) -> None:
        book.settings = replace(book.settings, **{n: body[n] for n in names})

    return amended


def _stands(**flags: bool) -> Any:
    def amended(book: Book, body: dict[str, Any]) -> None:
        for name, value in flags.items():
            setattr(book, name, value)

    return amended


def _alarmed(book: Book, body: dict[str, Any]) -> None:
    book.given = len(book.plan)
    book.settings = replace(
        book.settings, learner=body["learner"], parameters=body["parameters"], contradicted=body["evidence"]
    )


def _watched(sign: int) -> Any:
    def amended(book: Book, body: dict[str, Any]) -> None:
        book.settings = replace(book.settings, watched=book.settings.watched + sign * body["whole"])

    return amended


_ON_THE_STUDY = {
    "alarmed": _alarmed,
    "observed": _watched(1),
    "unobserved": _watched(-1),
    "planned": _planned,
    "extended": _set("horizon"),
    "learner": _set("learner", "parameters"),
    "added": _set("problem"),
    "closed": _stands(closed=True),
    "reopened": _stands(closed=False),
    "archived": _stands(closed=True, archived=True),
    "unarchived": _stands(closed=False, archived=False),
}
