"""A moment of a study: what its log says at one position, read in one transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bestdo.bandit.answer import Answer
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.study import blocks
from bestdo.study.book import Book
from bestdo.study.fold import Row
from bestdo.study.log import Log, Round
from bestdo.study.old_data import old_rounds

if TYPE_CHECKING:
    from bestdo.study.study import Study

__all__ = ["Moment", "read_moment", "rounds_in"]


@dataclass(frozen=True)
class Moment:
    """The facts of one moment from which the answer and the status of a study are made."""

    position: int
    """The number of the last event of the log."""
    book: Book
    state: Any
    """The learner's state, with the results so far of the open block."""
    open: Sequence[Round]
    """The open rounds."""
    told: int
    """The number of rounds told."""
    rows: Sequence[Row] = ()
    """The results of all rounds, where what was earned or doubtful arrows rest on each of them."""
    old: Rounds | None = None
    """Old data, where arrows are in doubt."""
    known: Answer | None = None
    """The answer, where it was worked out at this position before; results are then not read again."""

    @property
    def problem(self) -> Problem:
        """The problem at this moment."""
        return self.book.game.problem


def read_moment(study: Study, log: Log) -> Moment:
    """The moment that a transaction sees."""
    book, kept = study.book(log), study.kept_answer
    problem = book.game.problem
    now = Moment(log.position, book, blocks.current_state(log, book), log.open(), log.told())
    if kept is not None and kept[0] == log.position:
        return replace(now, known=kept[1])
    if problem.graphs.arrows:
        return replace(now, rows=log.all_rows(), old=old_rounds(log, problem))
    return replace(now, rows=log.all_rows()) if problem.goal.every_round else now


def rounds_in(log: Log, after: int = 0, most: int | None = None) -> list[dict[str, Any]]:
    """The rounds with a larger number than `after`, at most so many: number, action, worker, status and what was told."""
    return [
        {"number": r.number, "action": r.action, "worker": r.worker, "status": r.status, **json.loads(r.body)}
        for r in log.rounds(after, most)
    ]
