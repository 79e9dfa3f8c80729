"""Blocks of rounds: planned when the one before is complete, handed out, expired, folded."""

from __future__ import annotations

import time
from typing import Any

from bestdo.bandit.learner import certainty
from bestdo.bandit.old_rounds import OldData
from bestdo.errors import Finished, Waiting, shown
from bestdo.study import fold
from bestdo.study.fold import Book
from bestdo.study.log import Log

__all__ = ["again", "expire", "folded", "next_block", "now", "why_nothing"]


def folded(log: Log, book: Book) -> Any:
    """The learner's state from the log alone: old data, then every complete block of which something came, in order."""
    problem, learner = book.players
    state = fold.begun(book.settings)
    for body in log.old():
        if "sums" in body and (body["learner"] != book.settings.learner or book.settings.contradicted):
            continue  # sums that rest on the graph, for a learner that was given up because it is contradicted
        state = fold.told_old(state, learner, problem, book.settings.horizon, OldData.from_data(body, problem.graph))
    for block in range(book.folded):
        if rows := log.rows(block):
            state = fold.told(state, learner, problem, book.settings.horizon, rows)
    return state


def now(log: Log, book: Book) -> Any:
    """The state with what has come back of the open block."""
    problem, learner = book.players
    rows = log.rows(book.folded) if book.folded < book.blocks else []
    return fold.told(book.state, learner, problem, book.settings.horizon, rows) if rows else book.state


def again(log: Log, book: Book, row: Any) -> None:
    """Folds anew when a round that the learner was told of has changed."""
    if row.status == "told" and row.block < book.folded:
        book.state = folded(log, book)


def expire(log: Log, book: Book) -> list[Any]:
    """Gives back the places of rounds whose lease is over, to be handed out again; those still open are returned."""
    still = []
    for row in log.open():
        if row.expires >= time.time():
            still.append(row)
            continue
        log.add("expired", {"number": row.number})
        log.change(row.number, status="expired", block=-1)
        book.plan = [*book.plan, row.action]
        book.used -= fold.price(book.players.problem, row.action)
    return still


def next_block(log: Log, book: Book) -> bool:
    """Makes sure that there is something to hand out, if there can be: folds a complete block and plans the next."""
    while not book.left:
        if log.open():
            return False
        if book.folded < book.blocks:
            book.state = now(log, book)
            book.folded += 1
        actions = fold.planned(book)
        if actions is None:
            return False
        log.add("planned", {"block": book.blocks, "actions": actions})
        book.plan, book.given, book.blocks = actions, 0, book.blocks + 1
    return not book.closed


def why_nothing(log: Log, book: Book, name: str) -> Waiting | Finished:
    """What a person is told when there is no round to hand out."""
    if book.closed:
        return Finished(f"the study {shown(name)} is closed")
    waiting = log.open()
    if waiting:
        listed = ", ".join(f"{r.number} ({r.worker or 'nobody in particular'})" for r in waiting[:8])
        rounds = "1 open round" if len(waiting) == 1 else f"{len(waiting)} open rounds"
        return Waiting(f"waiting for {rounds}: {listed}; tell what came of it, or withdraw it")
    horizon, said = book.settings.horizon, certainty(book.players.learner, book.state)
    about = f"; {said}" if said else ""
    return Finished(f"the study {shown(name)} has finished: {book.used:g} of {horizon:g} ({book.unit}) used{about}")
