"""What the graph alone says about a problem, before any round is played."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.causal.identify import Identification, identify
from bestdo.causal.model import Model
from bestdo.causal.where import Dominated, dominated
from bestdo.design.optimal import Design, optimal_design
from bestdo.errors import BestdoError

__all__ = ["Outlook"]


@dataclass(frozen=True)
class Outlook:
    """How each action can be learned, which can never be the best, and how hard the problem is."""

    problem: Problem
    ways: tuple[Identification, ...]
    """How each action's mean can be learned, in the order of the actions."""
    never_best: dict[Intervention, Dominated]
    design: Design | None
    """The optimal fixed design, where the law of the reward's parents is known or follows from a model."""
    no_design: str
    """The reason where `design` is None."""

    @classmethod
    def of(cls, problem: Problem, model: Model | None = None) -> Outlook:
        """The outlook of a problem; the tables of `model`, known or assumed, give the design when the problem has no law."""
        ways = tuple(identify(problem.graph, a) for a in problem.actions)
        design, why = None, "how often each value occurs by itself is not known"
        try:
            known = problem
            if problem.law is None and model is not None:
                known = replace(problem, law=model.parent_law(problem.actions))
            if known.law is not None:
                design = optimal_design(known)
        except BestdoError as error:
            why = str(error)
        return cls(problem, ways, dominated(problem.actions), design, why)
