"""What the graph says about a problem before a single round is paid for."""

from __future__ import annotations

from dataclasses import dataclass

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.causal.identify import Identification, identify
from bestdo.causal.where import Dominated, dominated

__all__ = ["Outlook"]


@dataclass(frozen=True)
class Outlook:
    """How each action can be learned, and which can never be the best."""

    problem: Problem
    ways: tuple[Identification, ...]
    """One per action, in their order."""
    never_best: dict[Intervention, Dominated]

    @classmethod
    def of(cls, problem: Problem) -> Outlook:
        """Asks the graph."""
        ways = tuple(identify(problem.graph, a) for a in problem.actions)
        return cls(problem, ways, dominated(problem.actions))
