"""The alarm in a study: now and then the rounds are compared with the graph; once they contradict it, plays alone count."""

from __future__ import annotations

from dataclasses import replace

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import concatenate
from bestdo.bandit.statistic import rests_on_graph
from bestdo.evidence.alarm import Alarm, alarms
from bestdo.study import blocks, fold
from bestdo.study.fold import Book
from bestdo.study.log import Log
from bestdo.study.old_data import old_rounds

__all__ = ["due", "found", "look"]

_FIRST = 16
_MOST = 8  # pieces of evidence in the log


def due(number: int) -> bool:
    """Whether to compare when round `number` is told: 16, 24, 32, 48, 64, … rounds; the level holds for any looks."""
    power = number & -number
    return number >= _FIRST and number // power in (1, 3)


def found(log: Log, problem: Problem, level: float) -> list[Alarm]:
    """What in the graph all that was told, and the old data, contradict, the strongest evidence first."""
    told, old = fold.rounds_of(log.all_rows(), problem), old_rounds(log, problem)
    return alarms(problem, told if old is None else concatenate([old, told]), level)


def look(log: Log, book: Book) -> None:
    """Raises the alarm if there is reason to: the rest of the plan is dropped, and a learner that needs no graph goes on."""
    settings, problem = book.settings, book.players.problem
    if not settings.alarm or settings.contradicted:
        return
    evidence = [str(alarm) for alarm in found(log, problem, settings.alarm)][:_MOST]
    if not evidence:
        return
    plain = fold.made(replace(settings, until_sure=None))
    if not rests_on_graph(plain.statistic(problem, settings.horizon)):
        learner, parameters = settings.learner, settings.parameters
    else:
        learner, parameters = "top-two", {k: v for k, v in settings.parameters.items() if k == "block"}
    log.add("alarmed", {"evidence": evidence, "learner": learner, "parameters": parameters})
    book.given = len(book.plan)
    book.settings = replace(settings, learner=learner, parameters=parameters, contradicted=evidence)
    book.state = blocks.folded(log, book)
