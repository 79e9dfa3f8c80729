"""The alarm in a study: compares the rounds with the graph; once they contradict it, only plays count."""

from __future__ import annotations

from dataclasses import replace

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import concatenate
from bestdo.bandit.statistic import rests_on_graph
from bestdo.evidence.alarm import Alarm, alarms
from bestdo.study import blocks
from bestdo.study.book import Book
from bestdo.study.fold import rounds_of
from bestdo.study.log import Log
from bestdo.study.old_data import old_rounds
from bestdo.study.settings import make_learner

__all__ = ["find_alarms", "is_due", "raise_alarm"]

_FIRST = 16
"""The first round at which rounds and graph are compared: earlier there is hardly any evidence. Not measured."""
_MOST = 8
"""Most pieces of evidence in an event of the log, so that people can read it."""


def is_due(number: int) -> bool:
    """Whether to compare when round `number` is told: at 16, 24, 32, 48, 64, … rounds.

    The level of the alarm holds for any number of comparisons; ever rarer ones keep their total cost small.
    """
    power = number & -number
    return number >= _FIRST and number // power in (1, 3)


def find_alarms(log: Log, problem: Problem, level: float) -> list[Alarm]:
    """The claims of the graph that all told rounds and old data contradict, the strongest evidence first."""
    told, old = rounds_of(log.all_rows(), problem), old_rounds(log, problem)
    if old is None:
        return alarms(problem, told, level)
    return alarms(problem, concatenate([old, told]), level, old=len(old.lane))


def raise_alarm(log: Log, book: Book) -> None:
    """Raises the alarm if rounds contradict the graph: drops the rest of the plan, and lets a learner without graph go on."""
    settings, problem = book.settings, book.setup.problem
    if not settings.alarm or settings.contradicted:
        return
    evidence = [str(alarm) for alarm in find_alarms(log, problem, settings.alarm)][:_MOST]
    if not evidence:
        return
    plain = make_learner(replace(settings, until_sure=None))
    if not rests_on_graph(plain.statistic(problem, settings.horizon)):
        learner, parameters = settings.learner, settings.parameters
    else:
        learner = "thompson" if problem.goal == "earn" else "top-two"
        parameters = {k: v for k, v in settings.parameters.items() if k == "block"}
    log.add("alarmed", {"evidence": evidence, "learner": learner, "parameters": parameters})
    book.given = len(book.plan)
    book.settings = replace(settings, learner=learner, parameters=parameters, contradicted=evidence)
    book.settle()
    book.state = blocks.fold_log(log, book)
