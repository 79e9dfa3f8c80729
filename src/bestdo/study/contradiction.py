"""The alarm in a study: compares the rounds with the graph; what contradicts it is explained by a hidden cause, if it can be.

A contradiction between two variables mostly means that they share a cause that nobody drew. So `<->` between them is tried
first: where the rounds do not contradict the graph with it, it is added, and the learner goes on with all that was seen. What
is watched looks the same if an arrow was forgotten instead, and people are told. Only where no few pairs explain what was
seen, every action counts its own plays alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import concatenate
from bestdo.bandit.statistic import rests_on_graph
from bestdo.causal.graph import BOTH
from bestdo.errors import BestdoError
from bestdo.evidence.alarm import Alarm, alarms
from bestdo.files import Contents
from bestdo.files.toml import write
from bestdo.study import blocks
from bestdo.study.book import Book
from bestdo.study.events import enter
from bestdo.study.fold import rounds_of, start_state
from bestdo.study.log import Log
from bestdo.study.old_data import old_rounds
from bestdo.study.problem_changes import with_hidden_causes
from bestdo.study.settings import make_learner
from bestdo.text import quoted

__all__ = ["find_alarms", "in_words", "is_due", "raise_alarm"]

_FIRST = 16
"""The first round at which rounds and graph are compared: earlier there is hardly any evidence. Not measured."""
_MOST = 8
"""Most pieces of evidence in an event of the log, so that people can read it."""
_MOST_PAIRS = 3
"""Most hidden causes that are added at once. More would explain anything. Not measured."""
_MOST_TRIED = 12
"""Most pairs that are tried, those with the strongest evidence first. Limits the time. Not measured."""


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


def in_words(added: Sequence[str], explained: bool) -> str:
    """The addition to the graph after rounds contradicted it, in words; and whether it explains all that came later."""
    said = f"the rounds contradicted the graph; {', '.join(added)} was added"
    if not explained:
        return f"{said}, which did not explain later rounds"
    return (
        f"{said}: a hidden common cause explains it, and all rounds still count. A forgotten arrow can look the same: if you "
        "think that there is one, begin a study with it"
    )


def raise_alarm(log: Log, book: Book) -> None:
    """Raises the alarm if rounds contradict the graph: drops the rest of the plan, and mends the graph or goes on without."""
    settings = book.settings
    if not settings.alarm or settings.contradicted:
        return
    found = find_alarms(log, book.game.problem, settings.alarm)
    if found and not _mended(log, book, found):
        _distrust(log, book, [str(alarm) for alarm in found][:_MOST])


def _mended(log: Log, book: Book, found: list[Alarm]) -> bool:
    """Adds hidden common causes that explain what was seen; False where no few of them do, or the learner is not for it."""
    settings = book.settings
    pairs = _explaining(log, book.game.problem, settings.alarm, found)
    if not pairs or any("sums" in body for body in log.old()):  # sums of the learner, which hold for its graph alone
        return False
    problem = with_hidden_causes(book.game.problem, pairs)
    added = [f"{quoted(a)} <-> {quoted(b)}" for a, b in pairs]
    repair = {"added": added, "evidence": [str(alarm) for alarm in found][:_MOST]}
    changed = replace(settings, problem=write(Contents(problem.graph, problem)), repairs=[*settings.repairs, repair])
    try:
        start_state(changed)
    except BestdoError:
        return False
    enter(log, book, "repaired", {**repair, "problem": changed.problem})
    book.state = blocks.fold_log(log, book)
    return True


def _explaining(log: Log, problem: Problem, level: float, found: list[Alarm]) -> tuple[tuple[str, str], ...]:
    """The fewest pairs that were found with which nothing is contradicted any more; none where there are none.

    Pair by pair, each the one that leaves the fewest claims contradicted, and of these the least evidence.
    """
    taken: tuple[tuple[str, str], ...] = ()
    while found and len(taken) < _MOST_PAIRS:
        there = {*problem.graph.names, *map(BOTH.join, taken)}
        pairs = dict.fromkeys(pair for alarm in found for pair in alarm.pairs if BOTH.join(pair) not in there)
        left = []
        for pair in list(pairs)[:_MOST_TRIED]:
            try:
                still = find_alarms(log, with_hidden_causes(problem, (*taken, pair)), level)
            except BestdoError:  # such as what is seen first and the reward
                continue
            left.append((len(still), -min((a.chance for a in still), default=1.0), pair, still))
        if not left:
            return ()
        *_, pair, found = min(left, key=lambda each: each[:2])
        taken = (*taken, pair)
    return () if found else taken


def _distrust(log: Log, book: Book, evidence: list[str]) -> None:
    """Lets each action count its own plays from now on, under a learner that does not rest on the graph."""
    settings, problem = book.settings, book.game.problem
    plain = make_learner(replace(settings, until_sure=None))
    if not rests_on_graph(plain.statistic(problem, settings.horizon)):
        learner, parameters = settings.learner, settings.parameters
    else:
        learner = problem.goal.plain_learner
        parameters = {k: v for k, v in settings.parameters.items() if k == "block"}
    enter(log, book, "alarmed", {"evidence": evidence, "learner": learner, "parameters": parameters})
    book.state = blocks.fold_log(log, book)
