"""Blocks of rounds: planning the next one, telling the learner complete ones, and giving back expired rounds."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from bestdo.bandit.learner import certainty
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import SLACK
from bestdo.errors import Finished, Waiting, shown
from bestdo.study.book import Book, price
from bestdo.study.fold import start_state, tell_old, tell_rows
from bestdo.study.log import Log

__all__ = ["current_state", "expire", "fold_log", "next_block", "plan_block", "refold_if_told", "why_nothing"]

_MOST_LISTED = 8
"""Most open rounds that a message lists."""


def fold_log(log: Log, book: Book) -> Any:
    """The learner's state from the log alone: old data first, then the results of each complete block, in order."""
    problem, learner = book.setup
    state = start_state(book.settings)
    for body in log.old():
        if "sums" in body and (body["learner"] != book.settings.learner or book.settings.contradicted):
            continue  # sums of another learner, which was replaced because rounds contradicted the graph
        state = tell_old(state, learner, problem, book.settings.horizon, OldData.from_data(body, problem.graph))
    for block in range(book.blocks_told):
        if rows := log.rows(block):
            state = tell_rows(state, learner, problem, book.settings.horizon, rows)
    return state


def current_state(log: Log, book: Book) -> Any:
    """The state with the results so far of the open block."""
    problem, learner = book.setup
    rows = log.rows(book.blocks_told) if book.blocks_told < book.blocks else []
    return tell_rows(book.state, learner, problem, book.settings.horizon, rows) if rows else book.state


def refold_if_told(log: Log, book: Book, row: Any) -> None:
    """Computes the state again if a round that the learner has been told of was changed."""
    if row.status == "told" and row.block < book.blocks_told:
        book.state = fold_log(log, book)


def expire(log: Log, book: Book) -> list[Any]:
    """The rounds still open; the actions of those whose lease has ended are put at the end of the plan again."""
    still = []
    for row in log.open():
        if row.expires >= time.time():
            still.append(row)
            continue
        log.add("expired", {"number": row.number})
        log.change(row.number, status="expired", block=-1)
        book.plan = [*book.plan, row.action]
        book.used -= price(book.setup.problem, row.action)
    return still


def next_block(log: Log, book: Book) -> bool:
    """Whether there is an action to hand out: if the plan is empty, tells the learner a complete block and plans the next."""
    while not book.left:
        if log.open():
            return False
        if book.blocks_told < book.blocks:
            book.state = current_state(log, book)
            book.blocks_told += 1
        actions = plan_block(book)
        if actions is None:
            return False
        log.add("planned", {"block": book.blocks, "actions": actions})
        book.plan, book.given, book.blocks = actions, 0, book.blocks + 1
    return not book.closed


def plan_block(book: Book) -> list[str] | None:
    """The actions of the next block in a random order, as far as the horizon allows; None when there are no more."""
    problem, learner = book.setup
    left = book.settings.horizon - book.used
    if left <= 0 or book.closed:
        return None
    rng = np.random.default_rng([book.settings.seed, 1 + book.blocks])
    plan = learner.ask(book.state, rng)
    if plan is None or not plan.counts.any():
        return None
    order = rng.permutation(np.repeat(np.arange(len(problem.actions)), plan.counts[0]))
    affordable = order[: int(np.searchsorted(np.cumsum(problem.prices[order]), left + SLACK, side="right"))]
    return [str(problem.actions[int(i)]) for i in affordable] or None


def why_nothing(log: Log, book: Book, name: str) -> Waiting | Finished:
    """The error that says why there is no round to hand out."""
    if book.closed:
        return Finished(f"the study {shown(name)} is closed")
    waiting = log.open()
    if waiting:
        listed = ", ".join(f"{r.number} ({r.worker or 'nobody in particular'})" for r in waiting[:_MOST_LISTED])
        rounds, them = ("1 open round", "it") if len(waiting) == 1 else (f"{len(waiting)} open rounds", "them")
        return Waiting(f"waiting for {rounds}: {listed}; tell or withdraw {them} first")
    horizon, said = book.settings.horizon, certainty(book.setup.learner, book.state)
    about = f"; {said}" if said else ""
    return Finished(f"the study {shown(name)} has finished: {book.used:g} of {horizon:g} ({book.unit}) used{about}")
