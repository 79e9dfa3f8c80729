"""Blocks of rounds: planning the next one, telling the learner complete ones, and giving back expired rounds."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import SLACK
from bestdo.errors import Finished, Waiting, shown
from bestdo.learners.meanwhile import useful_round
from bestdo.study.book import Book
from bestdo.study.events import enter
from bestdo.study.fold import Row, start_state, tell_old, tell_rows
from bestdo.study.log import Log, Round
from bestdo.study.marks import STOPPING

__all__ = [
    "current_state",
    "expire",
    "fold_log",
    "fold_old",
    "next_block",
    "next_round",
    "plan_ahead",
    "plan_block",
    "tell_one",
    "told_again",
    "why_nothing",
]

_MOST_LISTED = 8
"""Most open rounds that a message lists."""


def fold_old(log: Log, book: Book) -> Any:
    """The learner's state after the old data alone."""
    state = start_state(book.settings)
    for body in log.old():
        if "sums" in body and (body["learner"] != book.settings.learner or book.settings.contradicted):
            continue  # sums of another learner, which was replaced because rounds contradicted the graph
        old = OldData.from_data(body, book.game.problem.graph)
        state = tell_old(state, book.game, book.settings.horizon, old)
    return state


def fold_log(log: Log, book: Book) -> Any:
    """The learner's state from the log alone: old data first, then all results at the study's pace."""
    state = fold_old(log, book)
    for rows in book.pace.parts(log, book.blocks_told):
        if rows:
            state = tell_rows(state, book.game, book.settings.horizon, rows)
    return state


def current_state(log: Log, book: Book) -> Any:
    """The state with the results so far of the open block."""
    rows = log.rows(book.blocks_told) if book.blocks_told < book.blocks else []
    return tell_rows(book.state, book.game, book.settings.horizon, rows) if rows else book.state


def told_again(log: Log, book: Book, row: Round, told: int) -> None:
    """Computes the state again after a round was corrected, if the learner had been told of it.

    row: the round before the correction. told: the number of blocks that the learner had been told of then.
    """
    if row.status == "told" and book.pace.knows(row.block, told):
        book.state = fold_log(log, book)
    else:
        _tell(book, log.rows(told) if told < book.blocks_told else [])


def tell_one(log: Log, book: Book, number: int, row: Row, told: int) -> None:
    """Tells the learner the result of a round that was just entered, if it was told of its block, or is told it now.

    told: the number of blocks that the learner had been told of before.
    """
    if book.pace.is_past(log.numbered(number).block, told):
        book.state = fold_log(log, book)
    else:
        _tell(book, book.pace.news(log, row, told, book.blocks_told))


def _tell(book: Book, rows: Sequence[Row]) -> None:
    """Tells the learner these results, if there are any."""
    if rows:
        book.state = tell_rows(book.state, book.game, book.settings.horizon, rows)


def expire(log: Log, book: Book) -> list[Any]:
    """The rounds still open; the actions of those whose lease has ended are put at the end of the plan again."""
    still = []
    for row in log.open():
        if row.expires >= time.time():
            still.append(row)
            continue
        enter(log, book, "expired", {"number": row.number})
    return still


class _Next(NamedTuple):
    """The next action to hand out."""

    action: str
    extra: bool = False
    """Whether the round is in no plan: a useful round for somebody who asks between two phases."""


def next_round(log: Log, book: Book) -> _Next | None:
    """The next action of the plan, or of a new one; None if there is none.

    Between two phases, when results of the last one are still to come, a useful round that belongs to no plan.
    """
    if book.marks.stopped or _too_many(log, book):
        return None
    if next_block(log, book):
        return _Next(book.plan[book.given])
    return book.pace.between(lambda: _useful(log, book)) if book.settings.horizon > book.used else None


def _useful(log: Log, book: Book) -> _Next | None:
    """A useful round while results of the last phase are to come; None if there is none, or if the study has finished."""
    if not any(row.block >= 0 for row in log.open()):  # one of an earlier phase may be open again
        return None  # it has finished
    problem = book.game.problem
    action = int(useful_round(book.game, book.game.statistic(book.settings.horizon), current_state(log, book))[0])
    affordable = action >= 0 and problem.prices[action] <= book.settings.horizon - book.used + SLACK
    return _Next(str(problem.actions[action]), extra=True) if affordable else None


def _too_many(log: Log, book: Book) -> bool:
    """Whether as many rounds are out as the study allows at once."""
    return len(log.open()) >= book.settings.most_out


def next_block(log: Log, book: Book) -> bool:
    """Whether the plan has an action to hand out: if it is empty, plans the next block if that is possible.

    It is when no result of the last block is to come, or when the learner can be asked at any time.
    """
    while not book.left:
        open_ = log.open()
        if not book.pace.is_due(book.blocks - 1, (row.block for row in open_)):
            return False
        if book.blocks_told < book.blocks:
            book.state = current_state(log, book)
            book.blocks_told = book.blocks
        actions = None if book.marks.stopped else plan_block(book, [row.action for row in open_])
        if actions is None:
            return False
        enter(log, book, "planned", {"block": book.blocks, "actions": actions})
    return not book.marks.stopped


def plan_ahead(log: Log, book: Book) -> None:
    """Plans the next block after a result has come, where the study goes from phase to phase."""
    book.pace.ahead(lambda: next_block(log, book))


def plan_block(book: Book, out: Sequence[str] = ()) -> list[str] | None:
    """The actions of the next block in a random order, as far as the horizon allows; None when there are no more.

    `out` are the actions of open rounds.
    """
    game, problem = book.game, book.game.problem
    left = book.settings.horizon - book.used
    if left <= 0:
        return None
    rng = np.random.default_rng([book.settings.seed, 1 + book.blocks])
    plan = book.pace.plan(game, book.state, out, rng)
    if plan is None or not plan.counts.any():
        return None
    order = rng.permutation(np.repeat(np.arange(len(problem.actions)), plan.counts[0]))
    affordable = order[: int(np.searchsorted(np.cumsum(problem.prices[order]), left + SLACK, side="right"))]
    return [str(problem.actions[int(i)]) for i in affordable] or None


def why_nothing(log: Log, book: Book, name: str) -> Waiting | Finished:
    """The error that says why there is no round to hand out."""
    if mark := book.marks.stopped:
        return STOPPING[mark](f"the study {shown(name)} is {mark}")
    waiting, horizon = log.open(), book.horizon
    if waiting and _too_many(log, book):
        most = f"{len(waiting)} rounds are out, as many as this study allows at once"
        return Waiting(f"{most}; tell or withdraw one of them first")
    if waiting:
        listed = ", ".join(f"{r.number} ({r.worker or 'nobody in particular'})" for r in waiting[:_MOST_LISTED])
        rounds, them = ("1 open round", "it") if len(waiting) == 1 else (f"{len(waiting)} open rounds", "them")
        words = f"waiting for {rounds}: {listed}; tell or withdraw {them} first"
        return Waiting(f"{horizon.handed_out} handed out; {words}" if book.used >= horizon.amount else words)
    said = book.game.certainty(book.state)
    about = f"; {said}" if said else ""
    return Finished(f"the study {shown(name)} has finished: {horizon.used_in_full(book.used)}{about}")
