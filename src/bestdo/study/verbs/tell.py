"""Telling the result of a round."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bestdo.errors import Conflict, shown
from bestdo.study import blocks, contradiction
from bestdo.study.asked import Asked, AskedRounds, number_of
from bestdo.study.context_rounds import context_of
from bestdo.study.events import enter
from bestdo.study.fold import Row
from bestdo.study.round import checked, label, same_values, understood, with_context
from bestdo.study.sent_values import plain
from bestdo.study.unusual_numbers import ask_whether_right
from bestdo.study.verbs.verb import RoundVerb

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal
    from bestdo.study.study import Study

__all__ = ["Tell", "tell"]


@dataclass(frozen=True)
class Tell(RoundVerb):
    """The result of a round."""

    path = command = "tell"
    about = "Tell what a round showed. The same again does nothing; other values are a conflict."
    values: Mapping[str, str | float | bool | None]
    key: str | None = None
    happened: bool = False
    sure: bool = False
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Records the result; the same again changes nothing."""
        number, key = self.number, self.key
        with journal.changing(self.who) as (log, book):
            row = log.round(number)
            said = understood(book.game.problem, self.values)
            values = with_context(context_of(row), said, book.game.problem, self.happened)
            clean, deviated = checked(book.game.problem, row.action, values, self.happened)
            late = row.status == "expired"
            body = {"values": clean, "deviated": deviated, "late": late}
            if row.status == "told":
                if same_values(book.game.problem, json.loads(row.body)["values"], clean):
                    return
                raise Conflict(f"round {number} was told already, with other values; amend it if it was wrong")
            if row.status in ("lost", "unplayed"):
                raise Conflict(f"round {number} was withdrawn; nothing can be told of it")
            if key is not None and (taken := log.with_key(label(key, "a key"))) not in (None, number):
                raise Conflict(f"the key {shown(key)} belongs to round {taken}")
            if not (self.sure or deviated):
                ask_whether_right(log, book.game.problem, number, clean)
            if late:  # its action was put back: one round more, in the block open now
                blocks.plan_ahead(log, book)
            told = book.blocks_told
            enter(log, book, "told", {"number": number, "key": key, **body})
            blocks.tell_one(log, book, row.number, Row(row.action, clean, deviated), told)
            if contradiction.is_due(number):
                contradiction.raise_alarm(log, book)
            blocks.plan_ahead(log, book)

    def body(self) -> dict[str, Any]:
        """The fields of the request, with the values as JSON can hold them."""
        return {**super().body(), "values": plain(self.values)}


def tell(
    study: Study,
    number: int | Asked | AskedRounds,
    values: Mapping[str, str | float | bool | None],
    *,
    key: str | None = None,
    who: str = "",
    happened: bool = False,
    sure: bool = False,
) -> None:
    """Records the result of a round: the reward, and what else was observed; numbers as such or as text.

    number: of the round, or what `ask` returned for one. What was not seen is left out, or None, NaN or "".
    Names and values are read as in old data: capitals do not matter, and yes, true and 1 are the same, where only one
    value can be meant.

    The same result again changes nothing; another one is a Conflict. key: a text of the caller's, under which a result is
    told once, however often it is sent.

    A value that contradicts what was set is an error, unless `happened` confirms it: then the round counts for
    nothing. A number far outside what was told before, as 12,000 where 300 was the largest, raises Unusual, unless `sure`
    confirms it: then the round counts as any other. A result after the lease is accepted and marked late.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="told")
    >>> (asked,) = study.ask("Ann")
    >>> seen = {"temperature": "low", "nutrient": "rich", "moisture": "dry", "yield": "good"}
    >>> study.tell(asked.number, {**seen, **asked.action})
    >>> study.rounds()[0]["status"]
    'told'
    """
    study.do(Tell(number_of(number), values, key, happened, sure, who))
