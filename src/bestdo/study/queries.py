"""What is known of a study, as things stand: looking changes nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bestdo.bandit.estimate import Estimates, of_each
from bestdo.bandit.learner import certainty, one_by_one
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Progress
from bestdo.causal.action import Actions, Intervention
from bestdo.evidence.alarm import Alarm
from bestdo.study import blocks, contradiction, fold
from bestdo.study.fold import Book
from bestdo.study.log import as_event
from bestdo.study.old_data import old_rounds

if TYPE_CHECKING:
    from bestdo.study.study import Study

__all__ = ["Best", "Findings", "alarms", "begun", "best", "estimates", "findings", "history", "rounds", "status"]


@dataclass(frozen=True)
class Best:
    """The recommendation, and what it rests on."""

    action: Intervention
    mean: float
    low: float
    high: float
    p_best: float
    played: int
    seen: float
    left: float
    """Rounds that may still be handed out; with costs, what may still be spent."""

    @classmethod
    def of(cls, actions: Actions, index: int, found: Estimates, left: float) -> Best:
        """The action of this index, with what is known of it."""
        return cls(*of_each(found, actions)[index], left)


@dataclass(frozen=True)
class Findings:
    """The recommendation and the estimates of all actions, with the problem that they belong to: all of one moment."""

    problem: Problem
    best: Best
    estimates: Estimates


def findings(study: Study) -> Findings:
    """What `best` and `estimates` say, of the same moment; somebody else may add an action between two questions."""
    state, book = _now(study)
    problem, learner = book.players
    found, action = learner.estimates(state), int(learner.best(state)[0])
    left = max(0, book.settings.horizon - book.used)
    return Findings(problem, Best.of(problem.actions, action, found, left), found)


def best(study: Study) -> Best:
    """The action to keep, as things stand: available from the first round."""
    return findings(study).best


def estimates(study: Study) -> Estimates:
    """Mean, interval, probability of best, plays and sightings of every action, as things stand: one lane."""
    state, book = _now(study)
    return book.players.learner.estimates(state)


def alarms(study: Study) -> list[Alarm]:
    """What in the graph the rounds so far contradict, as things stand, the strongest evidence first."""
    with study.reading() as log:
        book = study.book(log)
        level = book.settings.alarm
        return contradiction.found(log, book.players.problem, level) if level else []


def history(study: Study, after: int = 0, most: int | None = None) -> list[dict[str, Any]]:
    """The events of the log with a larger number than `after`, oldest first, at most so many."""
    with study.reading() as log:
        return [as_event(e) for e in log.events(after, most)]


def status(study: Study) -> dict[str, Any]:
    """Where the study stands: rounds used, told and out, and with whom."""
    with study.reading() as log:
        book = study.book(log)
        open_ = [{"number": r.number, "action": r.action, "worker": r.worker} for r in log.open()]
        told = log.told()
    settings, sure = book.settings, certainty(book.players.learner, book.state)
    done = not book.left and not open_ and (book.closed or fold.planned(book) is None)
    return {
        "name": study.name,
        "learner": settings.learner,
        "parameters": settings.parameters,
        "one_by_one": one_by_one(book.players.learner),
        "horizon": settings.horizon,
        "unit": book.unit,
        "used": book.used,
        "told": told,
        "open": open_,
        "closed": book.closed,
        "archived": book.archived,
        "finished": done,
        "sure": sure,
        "alarms": settings.contradicted,
    }


def rounds(study: Study, after: int = 0, most: int | None = None) -> list[dict[str, Any]]:
    """The rounds with a larger number than `after`: number, action, worker, status and what was told."""
    with study.reading() as log:
        return [
            {"number": r.number, "action": r.action, "worker": r.worker, "status": r.status, **json.loads(r.body)}
            for r in log.rounds(after, most)
        ]


def begun(study: Study) -> Progress:
    """What has been played so far: the blocks that are complete, what came back of the open one, what is left of it."""
    with study.reading() as log:
        book = study.book(log)
        problem = book.players.problem
        old = old_rounds(log, problem)
        whole = tuple(fold.rounds_of(log.rows(block), problem) for block in range(book.folded))
        if book.folded == book.blocks:
            return Progress(whole, old=old)
        left = [
            problem.actions.index(action) for action in (*book.plan[book.given :], *(row.action for row in log.open()))
        ]
        counts = np.bincount(np.array(left, np.int64), minlength=len(problem.actions))
        return Progress(whole, fold.rounds_of(log.rows(book.folded), problem), counts, old)


def _now(study: Study) -> tuple[Any, Book]:
    """The state with what has come back of the open block."""
    with study.reading() as log:
        book = study.book(log)
        return blocks.now(log, book), book
