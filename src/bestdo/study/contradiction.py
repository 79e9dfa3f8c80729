"""The alarm in a study: now and then the rounds are compared with the graph; once they contradict it, plays alone count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bestdo.bandit.rounds import concatenate
from bestdo.bandit.statistic import rests_on_graph
from bestdo.evidence.alarm import Alarm, alarms
from bestdo.study import blocks, fold
from bestdo.study.fold import Book
from bestdo.study.log import Log
from bestdo.study.old_data import old_rounds

if TYPE_CHECKING:
    from bestdo.study.study import Study

__all__ = ["due", "found", "look"]

_FIRST = 16
_MOST = 8  # pieces of evidence in the log


def due(number: int) -> bool:
    """Whether to compare when round `number` is told: 16, 24, 32, 48, 64, … rounds; the level holds for any looks."""
    power = number & -number
    return number >= _FIRST and number // power in (1, 3)


def found(log: Log, study: Study, level: float) -> list[Alarm]:
    """What in the graph all that was told, and the old data, contradict, the strongest evidence first."""
    told, old = fold.rounds_of(log.all_rows(), study.problem), old_rounds(log, study.problem)
    return alarms(study.problem, told if old is None else concatenate([old, told]), level)


def look(log: Log, book: Book, study: Study) -> None:
    """Raises the alarm if there is reason to: the rest of the plan is dropped, and a learner that needs no graph goes on."""
    settings = book.settings
    if not settings.alarm or settings.contradicted:
        return
    evidence = [str(alarm) for alarm in found(log, study, settings.alarm)][:_MOST]
    if not evidence:
        return
    plain = fold.made(replace(settings, until_sure=None))
    if not rests_on_graph(plain.statistic(study.problem, settings.horizon)):
        learner, parameters = settings.learner, settings.parameters
    else:
        learner, parameters = "top-two", {k: v for k, v in settings.parameters.items() if k == "block"}
    log.add("alarmed", {"evidence": evidence, "learner": learner, "parameters": parameters})
    book.given = len(book.plan)
    book.settings = replace(settings, learner=learner, parameters=parameters, contradicted=evidence)
    study.know(book.settings)
    book.state = blocks.folded(log, book, study.players)
