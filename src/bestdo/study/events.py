"""The effect of each event on the book and the rounds of a study: equal while the study lives and when its log is replayed.

The learner's state is no part of it: it follows from the rounds and the number of blocks told (`blocks.py`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from bestdo.errors import BestdoError, shown
from bestdo.study.book import Book
from bestdo.study.log import Log, Round
from bestdo.study.marks import MARKS

__all__ = ["Effect", "Rounds", "apply", "enter", "marks_set", "settings_said", "takes_effect"]

Body = Mapping[str, Any]
_COMPLETING = ("alarmed", "repaired", "told", "withdrawn")
"""The kinds of events after which no result of a block may be to come."""


class Rounds(Protocol):
    """The rounds of a study: those of a log in a transaction, or those of a log that is replayed."""

    def numbered(self, number: int) -> Round:
        """The round of this number."""

    def open(self) -> Sequence[Round]:
        """The open rounds: handed out, not told, not expired."""

    def hand_out(
        self,
        number: int,
        action: str,
        worker: str,
        expires: float,
        block: int,
        seen: Body,
    ) -> None:
        """Adds an open round for a worker, with the part of its event that says what was seen first."""

    def change(self, number: int, **values: Any) -> None:
        """Changes columns of a round."""


def enter(log: Log, book: Book, kind: str, body: Body) -> None:
    """Appends an event to a log, and applies it."""
    log.add(kind, body)
    apply(book, log, kind, body)


def apply(book: Book, rounds: Rounds, kind: str, body: Body) -> None:
    """The change of a book and of rounds by an event; raises BestdoError for a kind of event that is not known."""
    if kind in _ON_ROUND:
        _ON_ROUND[kind](book, rounds, rounds.numbered(body["number"]), body)
    elif kind in _ON_STUDY:
        _ON_STUDY[kind](book, rounds, body)
    else:
        raise BestdoError(f"the log has a line {shown(kind)}, which this version of bestdo does not know")
    if kind in _COMPLETING and book.blocks_told < book.blocks and not book.left and not _is_out(book, rounds):
        book.blocks_told = book.blocks


def _is_out(book: Book, rounds: Rounds) -> bool:
    """Whether a result of the last block is to come."""
    return any(row.block == book.blocks - 1 for row in rounds.open())


def _asked(book: Book, rounds: Rounds, body: Body) -> None:
    """A round was handed out."""
    number, action, extra = body["number"], body["action"], body.get("extra", False)
    if not extra and (not book.left or book.plan[book.given] != action):
        raise BestdoError(f"round {number} was handed out, but is not next in the plan")
    block = -1 if extra else book.blocks - 1
    rounds.hand_out(number, action, body["worker"], body["expires"], block, _seen_first(body))
    book.given += not extra
    book.next, book.used = number + 1, book.used + book.price(action)


def _seen_first(body: Body) -> Body:
    """The part of a body that says what was seen before the action was chosen; empty where nothing is seen first."""
    return {name: value for name, value in body.items() if name == "context"}


def _expired(book: Book, rounds: Rounds, row: Round, body: Body) -> None:
    """The lease of a round ended: its action is handed out again, if it was planned and may still be played."""
    if row.block >= 0 and book.may_play(row.action):
        book.plan = [*book.plan, row.action]
    rounds.change(row.number, status="expired", block=-1)
    book.used -= book.price(row.action)


def _told(book: Book, rounds: Rounds, row: Round, body: Body) -> None:
    """The result of a round was told, perhaps after its lease; one that is in no plan belongs to the block open now."""
    if body["late"]:
        book.used += book.price(row.action)
    block = max(book.blocks - 1, 0) if row.block < 0 else row.block
    kept = {**json.loads(row.body), **{k: body[k] for k in ("values", "deviated", "late")}}
    rounds.change(row.number, status="told", body=json.dumps(kept), key=body["key"], block=block)


def _withdrawn(book: Book, rounds: Rounds, row: Round, body: Body) -> None:
    """A round was taken back, as lost or as never played; one that had expired used up nothing."""
    own = book.price(row.action)
    if row.status == "expired":
        book.used += own if body["lost"] else 0
    else:
        book.used -= 0 if body["lost"] else own
    rounds.change(row.number, status="lost" if body["lost"] else "unplayed")


def _amended(book: Book, rounds: Rounds, row: Round, body: Body) -> None:
    """The result of a round was corrected."""
    kept = {**json.loads(row.body), "values": body["values"], "deviated": body["deviated"]}
    rounds.change(row.number, body=json.dumps(kept))


def _undone(book: Book, rounds: Rounds, row: Round, body: Body) -> None:
    """The effect of taking a result back: in the last block, that block is open again."""
    kept, block = json.loads(row.body), body["block"]
    if kept["late"]:
        book.used -= book.price(row.action)
    seen, status = _seen_first(kept), "expired" if kept["late"] else "open"
    rounds.change(row.number, status=status, expires=body["expires"], block=block, body=json.dumps(seen), key=None)
    if block == book.blocks - 1:
        book.blocks_told = min(book.blocks_told, block)
        book.settle()


_ON_ROUND: dict[str, Callable[[Book, Rounds, Round, Body], None]] = {
    "expired": _expired,
    "told": _told,
    "withdrawn": _withdrawn,
    "amended": _amended,
    "undone": _undone,
}


def _planned(book: Book, rounds: Rounds, body: Body) -> None:
    """The next block was planned, and the learner had been told all earlier ones."""
    book.blocks_told = book.blocks
    book.plan, book.given, book.blocks = list(body["actions"]), 0, book.blocks + 1
    book.settle()


Effect = Callable[[Book, Rounds, Body], None]
"""The change of a book, and of rounds, by the body of an event on the whole study."""


def settings_said(*names: str) -> Effect:
    """The effect that copies these settings from the event."""

    def change(book: Book, rounds: Rounds, body: Body) -> None:
        book.settings = replace(book.settings, **{n: body[n] for n in names})
        book.settle()

    return change


def marks_set(**marks: bool) -> Effect:
    """The effect that sets these marks of the study; raises TypeError for a name that is none of them."""
    unknown = [name for name in marks if name not in MARKS]
    if unknown:
        raise TypeError(f"{shown(unknown[0])} is no mark of a study: bestdo.study.marks has {', '.join(MARKS)}")

    def change(book: Book, rounds: Rounds, body: Body) -> None:
        book.marks = replace(book.marks, **marks)

    return change


def _alarmed(book: Book, rounds: Rounds, body: Body) -> None:
    """Rounds contradicted the graph: the rest of the plan is dropped, and another learner may take over."""
    book.given = len(book.plan)
    book.settings = replace(
        book.settings, learner=body["learner"], parameters=body["parameters"], contradicted=body["evidence"]
    )
    book.settle()


def _repaired(book: Book, rounds: Rounds, body: Body) -> None:
    """Rounds contradicted the graph, and hidden common causes that explain it were added: the rest of the plan is dropped."""
    book.given = len(book.plan)
    repair = {"added": body["added"], "evidence": body["evidence"]}
    book.settings = replace(book.settings, problem=body["problem"], repairs=[*book.settings.repairs, repair])
    book.settle()


def _old(sign: int) -> Callable[[Book, Rounds, Body], None]:
    """A function that adds old rows to the settings, or subtracts them."""

    def change(book: Book, rounds: Rounds, body: Body) -> None:
        book.settings = replace(book.settings, watched=book.settings.watched + sign * body["whole"])

    return change


def takes_effect(kind: str, effect: Effect) -> None:
    """Lets events of a kind have this effect: said beside the verb that enters them."""
    _ON_STUDY[kind] = effect


_ON_STUDY: dict[str, Effect] = {
    "asked": _asked,
    "alarmed": _alarmed,
    "repaired": _repaired,
    "observed": _old(1),
    "unobserved": _old(-1),
    "planned": _planned,
}
