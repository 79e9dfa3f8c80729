"""What old data say about a problem, without a study: the actions they answer, and whether they agree with the graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, do
from bestdo.data.counting import observed
from bestdo.errors import TooLarge
from bestdo.evidence.alarm import Alarm, alarms
from bestdo.evidence.answers import Answer, answers
from bestdo.evidence.claims import claims

__all__ = ["Examined", "examined"]


@dataclass(frozen=True)
class Examined:
    """What was found."""

    rows: int
    notes: tuple[str, ...]
    answers: list[Answer]
    """One for each action."""
    alarms: list[Alarm]
    """Where the data contradict the graph, the strongest evidence first."""
    claims: int | None
    """How many independences the data were held against; None where there were too many different rows to do so."""


def examined(source: object, problem: Problem, columns: Mapping[str, str] | None = None) -> Examined:
    """Counts the data (see `observed`); all at once where the counts fit, otherwise for one action after the other."""
    try:
        old = observed(source, problem, columns)
    except TooLarge:
        kept: dict[frozenset[str], OldData] = {}

        def counts(names: Collection[str]) -> OldData:
            wanted = frozenset(names)
            if wanted not in kept:
                kept[wanted] = observed(source, problem, columns, only=wanted)
            return kept[wanted]

        found = answers(problem, counts)
        some = counts([problem.graph.reward or ""])
        return Examined(some.rows, some.notes, found, [], None)
    if do() not in problem.actions:
        problem = replace(problem, actions=Actions(problem.graph, [*problem.actions, do()]), law=None, cost=None)
        found = answers(problem, lambda _: old)[:-1]
    else:
        found = answers(problem, lambda _: old)
    return Examined(old.rows, old.notes, found, alarms(problem, old.rounds(problem)), len(claims(problem.actions)[2]))
