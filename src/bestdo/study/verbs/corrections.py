"""Corrections of single rounds, each an event in the log: withdrawn, amended, or taken back to what it was before `tell`."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bestdo.errors import Conflict
from bestdo.study import blocks
from bestdo.study.asked import Asked, AskedRounds, number_of
from bestdo.study.context_rounds import context_of
from bestdo.study.events import enter
from bestdo.study.round import checked, understood, with_context
from bestdo.study.sent_values import plain
from bestdo.study.unusual_numbers import ask_whether_right
from bestdo.study.verbs.verb import RoundVerb

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal
    from bestdo.study.study import Study

__all__ = ["Amend", "Undo", "Withdraw", "amend", "undo", "withdraw"]


@dataclass(frozen=True)
class Withdraw(RoundVerb):
    """A round that is taken back, as lost or as never played."""

    path = command = "withdraw"
    about = "Take a round back."
    why: str
    lost: bool = True
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Withdraws the round."""
        number = self.number
        with journal.changing(self.who) as (log, book):
            row = log.round(number)
            if row.status in ("lost", "unplayed"):
                raise Conflict(f"round {number} was withdrawn before")
            told = book.blocks_told
            enter(log, book, "withdrawn", {"number": number, "lost": self.lost, "why": self.why})
            blocks.told_again(log, book, row, told)
            blocks.plan_ahead(log, book)


def withdraw(study: Study, number: int | Asked | AskedRounds, why: str, *, lost: bool = True, who: str = "") -> None:
    """Withdraws a round; lost, it uses up its part of the horizon, and with lost=False (never played) it does not.

    Raises Conflict where it was withdrawn before.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="withdrawn")
    >>> (asked,) = study.ask("Ann")
    >>> study.withdraw(asked.number, "hail")
    >>> study.rounds()[0]["status"]
    'lost'
    """
    study.do(Withdraw(number_of(number), why, lost, who))


@dataclass(frozen=True)
class Amend(RoundVerb):
    """The result of a round, corrected."""

    path = command = "amend"
    about = "Correct what was told of a round; values that are not given stay, and the log keeps both."
    values: Mapping[str, str | float | bool | None]
    why: str
    whole: bool = False
    happened: bool = False
    sure: bool = False
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Replaces values of the result, or with `whole` all of them."""
        number, happened = self.number, self.happened
        with journal.changing(self.who) as (log, book):
            row = log.round(number)
            if row.status != "told":
                raise Conflict(f"round {number} has not been told: there is nothing to amend")
            before = json.loads(row.body)
            seen = understood(book.game.problem, self.values)
            if not self.whole:
                seen, happened = {**before["values"], **seen}, happened or before["deviated"]
            seen = with_context(context_of(row), seen, book.game.problem, True)
            clean, deviated = checked(book.game.problem, row.action, seen, happened)
            if not (self.sure or deviated):
                ask_whether_right(log, book.game.problem, number, clean, instead=before["values"])
            enter(log, book, "amended", {"number": number, "values": clean, "deviated": deviated, "why": self.why})
            blocks.told_again(log, book, row, book.blocks_told)

    def body(self) -> dict[str, Any]:
        """The fields of the request, with the values as JSON can hold them."""
        return {**super().body(), "values": plain(self.values)}


def amend(
    study: Study,
    number: int | Asked | AskedRounds,
    values: Mapping[str, str | float | bool | None],
    why: str,
    *,
    whole: bool = False,
    who: str = "",
    happened: bool = False,
    sure: bool = False,
) -> None:
    """Corrects the result of a round: these values replace the earlier ones, the others stay; the log keeps both.

    With `whole`, the values are all that was seen, and others that were told before are forgotten. That something
    happened which contradicts what was set stays confirmed, unless `whole` says it anew.

    Raises Conflict where the round was not told, and the errors of `tell`; `sure` confirms a number as it does there.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="amended")
    >>> (asked,) = study.ask("Ann")
    >>> seen = {"temperature": "low", "nutrient": "rich", "moisture": "dry", "yield": "good"}
    >>> study.tell(asked.number, {**seen, **asked.action})
    >>> study.amend(1, {**asked.action, "yield": "bad"}, "misread")
    >>> study.rounds()[0]["values"]["yield"]
    'bad'
    """
    study.do(Amend(number_of(number), values, why, whole, happened, sure, who))


@dataclass(frozen=True)
class Undo(RoundVerb):
    """A result that was told by mistake."""

    path = command = "undo"
    about = "Take back that a round was told: it is out again, as before."
    why: str = ""
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Lets the round be out again, as before it was told."""
        number = self.number
        with journal.changing(self.who) as (log, book):
            row = log.round(number)
            if row.status != "told":
                raise Conflict(f"round {number} has not been told: there is nothing to take back")
            late, expires = json.loads(row.body)["late"], row.expires
            if not late:
                expires = max(expires, time.time() + book.settings.lease)
            block = -1 if late or log.is_extra(number) else row.block
            told = book.blocks_told
            enter(log, book, "undone", {"number": number, "expires": expires, "block": block, "why": self.why})
            blocks.told_again(log, book, row, told)


def undo(study: Study, number: int | Asked | AskedRounds, why: str = "", *, who: str = "") -> None:
    """Takes back that a round was told: it is out again with its worker, as before, and the log keeps what was told.

    A round that was told after its lease is expired again. Raises Conflict where the round was not told.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="told by mistake")
    >>> (asked,) = study.ask("Ann")
    >>> study.tell(asked.number, {**asked.action, "yield": "good"})
    >>> study.undo(asked.number)
    >>> study.rounds()[0]["status"]
    'open'
    """
    study.do(Undo(number_of(number), why, who))
