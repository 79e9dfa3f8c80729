"""Replaying a log: the book and the rounds of a study from its events alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bestdo.errors import BestdoError
from bestdo.study.book import Book
from bestdo.study.events import apply
from bestdo.study.log import Round
from bestdo.study.settings import Settings

__all__ = ["replay_log"]


def replay_log(events: Iterable[Mapping[str, Any]]) -> tuple[Book, list[dict[str, Any]]]:
    """The book, without the learner's state, and the rounds, from events with `kind` and `body`."""
    lines = [(str(e["kind"]), json.loads(e["body"])) for e in events]
    if not lines or lines[0][0] != "created":
        raise BestdoError("a study's log begins with the line 'created'")
    book, rounds = Book(Settings(**lines[0][1])), _Replayed()
    for kind, body in lines[1:]:
        apply(book, rounds, kind, body)
    return book, rounds.rows()


class _Replayed:
    """The rounds of a log that is replayed."""

    def __init__(self) -> None:
        self._rounds: dict[int, Round] = {}
        self._open: dict[int, Round] = {}

    def numbered(self, number: int) -> Round:
        return self._rounds[number]

    def open(self) -> Sequence[Round]:
        return list(self._open.values())

    def hand_out(
        self,
        number: int,
        action: str,
        worker: str,
        expires: float,
        block: int,
        seen: Mapping[str, Any],
    ) -> None:
        self._keep(Round(0, number, action, worker, expires, "open", block, json.dumps(seen), None))

    def change(self, number: int, **values: Any) -> None:
        self._keep(self._rounds[number]._replace(**values))

    def _keep(self, row: Round) -> None:
        """Writes a round."""
        self._rounds[row.number] = row
        self._open.pop(row.number, None)
        if row.status == "open":
            self._open[row.number] = row

    def rows(self) -> list[dict[str, Any]]:
        """The rounds in their order, without the study that they are of."""
        each = (self._rounds[number]._asdict() for number in sorted(self._rounds))
        return [{name: value for name, value in row.items() if name != "study"} for row in each]
