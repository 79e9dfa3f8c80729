"""Checks old data against a problem, without a study: which actions they answer, and whether they agree with the graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bestdo.bandit.limit import Limit
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import Problem
from bestdo.bandit.reading import Reading
from bestdo.causal.action import Actions, do
from bestdo.data.counting import observed
from bestdo.errors import TooLarge
from bestdo.evidence.alarm import Untested
from bestdo.evidence.answers import Answer, Conclusion, answers, conclusion
from bestdo.evidence.claims import claims_of
from bestdo.evidence.table_tests import Contradiction, Missed, table_tests

__all__ = ["DataCheck", "check_data"]


@dataclass(frozen=True)
class DataCheck:
    """The answers of old data about a problem."""

    rows: int
    """The number of rows read."""
    notes: tuple[str, ...]
    """Notes for a person on how the data were read."""
    answers: list[Answer]
    """The answers of the data about each action."""
    alarms: list[Contradiction]
    """The contradictions between data and graph, the strongest evidence first."""
    claims: int | None
    """The number of independences that the graph claims; None where there were too many different rows to test any."""
    untested: tuple[Untested, ...] = ()
    """The independences that these data cannot contradict, and why."""
    limits: tuple[Limit, ...] = ()
    """The limits of the problem, which the answers say nothing about."""
    missed: tuple[Missed, ...] = ()
    """The difference that the test of each independence would have missed, the weakest test first."""

    @property
    def tested(self) -> int:
        """The number of independences tested."""
        return (self.claims or 0) - len(self.untested)

    @cached_property
    def conclusion(self) -> Conclusion:
        """The conclusion from the answers."""
        return conclusion(self.answers, self.limits)


def check_data(source: object, problem: Problem, reading: Reading | Mapping[str, Any] | None = None) -> DataCheck:
    """The answers of the data about each action and about the graph.

    The data are counted by `observed`: once where the counts fit, otherwise once for each set of variables that an
    action needs.
    """
    try:
        old = observed(source, problem, reading)
    except TooLarge:
        counted: dict[frozenset[str], OldData] = {}

        def counts(names: Collection[str]) -> OldData:
            wanted = frozenset(names)
            if wanted not in counted:
                counted[wanted] = observed(source, problem, reading, only=wanted)
            return counted[wanted]

        each = answers(problem, counts)
        some = counts([problem.graph.reward or ""])
        return DataCheck(some.rows, some.notes, each, [], None, limits=problem.limits)
    each = answers(problem, lambda _: old)
    watching = replace(problem, actions=Actions(problem.graph, [do()]), law=None, cost=None, first=())
    rounds = old.rounds(watching)
    independences = sum(map(len, claims_of(watching)))
    wrong, open_, missed = table_tests(watching, rounds)
    return DataCheck(old.rows, old.notes, each, wrong, independences, open_, problem.limits, missed)
