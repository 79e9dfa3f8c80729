"""The bandit problem as a learner knows it: graph, actions, costs, and perhaps the law of the reward's parents."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

import bestdo.display as display
from bestdo.bandit.limit import SURE, Limit, checked_limits, checked_sure
from bestdo.bandit.reading import Reading
from bestdo.causal.action import Actions
from bestdo.causal.contexts import Contexts, checked_first, given_first
from bestdo.causal.graph import Graph
from bestdo.causal.where import contenders
from bestdo.errors import ActionError, GraphError, NotValid, shown
from bestdo.text import counted

if TYPE_CHECKING:
    from bestdo.causal.law import Law

__all__ = ["SLACK", "Problem", "require_bounds", "require_law"]

SLACK = 1e-9
"""By how much costs may exceed a budget through rounding: so ten rounds at 0.1 fit into a budget of 1."""


@dataclass(frozen=True)
class Problem:
    """A bandit problem: which of the actions has the best mean of the graph's reward? The truth is not in it."""

    graph: Graph
    actions: Actions
    law: Law | None = None
    """P(parents of the reward | a), where it is known."""
    cost: tuple[float, ...] | None = None
    """What one round of each action costs; the horizon is then a budget. None when the horizon is a number of rounds."""
    all_compete: bool = False
    """Whether actions that cannot be the best by the graph compete as well: as in the paper's experiments, and in a study
    whose rounds have contradicted the graph."""
    limits: tuple[Limit, ...] = ()
    """Outcomes other than the reward that must stay within bounds."""
    sure: float = SURE
    """The probability with which a recommended action must keep all limits."""
    first: tuple[str, ...] = ()
    """Variables that are seen before the action is chosen: the answer is then a rule, an action for each context."""
    reading: Reading = field(default=Reading(), compare=False)
    """How tables of old data are read."""
    positions: Mapping[str, tuple[float, float]] = field(default_factory=dict, compare=False)
    """Where a person has placed variables in pictures: x, and y, which grows downwards."""

    def __post_init__(self) -> None:
        if self.graph.reward is None:
            raise GraphError("a problem needs a reward: graph.rewarding(name, success)")
        if self.actions.graph != self.graph:
            raise ActionError("the actions belong to another graph")
        if self.law is not None and self.law.actions != self.actions:
            raise ActionError("the law of the reward's parents belongs to other actions")
        object.__setattr__(self, "limits", checked_limits(self.graph, self.actions, tuple(self.limits)))
        object.__setattr__(self, "sure", checked_sure(self.sure))
        object.__setattr__(self, "first", checked_first(self.graph, self.actions, self.first))
        if self.first and self.limits:
            raise NotValid("limits cannot be kept in each context yet: leave out the limits, or what is seen first")
        if self.cost is not None:
            object.__setattr__(self, "cost", tuple(float(c) for c in self.cost))
            if len(self.cost) != len(self.actions):
                raise ActionError(f"{len(self.cost)} costs for {len(self.actions)} actions")
            for action, cost in zip(self.actions, self.cost, strict=True):
                if not (math.isfinite(cost) and cost > 0):
                    raise ActionError(f"{action} costs {cost:g}; a cost is a finite number above 0")

    def __repr__(self) -> str:
        cost = "" if self.cost is None else ", with costs"
        limits = f", {counted(len(self.limits), 'limit')}" if self.limits else ""
        sizes = f"{counted(len(self.actions), 'action')}, {counted(len(self.graph.names), 'variable')}"
        return f"Problem({sizes}{cost}{limits}; goal: {self.graph.goal})"

    _repr_html_ = display.html
    plot = display.plot

    @cached_property
    def prices(self) -> NDArray[np.float64]:  # float[A]
        """What one round of each action takes from the horizon: its cost, or 1."""
        prices = np.ones(len(self.actions)) if self.cost is None else np.array(self.cost)
        prices.setflags(write=False)
        return prices

    @cached_property
    def contenders(self) -> NDArray[np.bool_]:  # bool[A]
        """Which actions can be the best; the others are not recommended, and played only where that teaches about these.

        With limits all can: one that is better by the graph may break a limit. Where variables are seen first, those can
        that are the best of all contexts together, or of one of them.
        """
        if self.all_compete or self.limits:
            everyone = np.ones(len(self.actions), bool)
            everyone.setflags(write=False)
            return everyone
        return contenders(self.actions) | self.contenders_given_first if self.first else contenders(self.actions)

    @cached_property
    def contenders_given_first(self) -> NDArray[np.bool_]:  # bool[A]
        """Which actions can be the best in a context."""
        if self.all_compete:
            return np.ones(len(self.actions), bool)
        return contenders(Actions(given_first(self.graph, self.first), self.actions))

    @cached_property
    def contexts(self) -> Contexts:
        """The contexts, all joint values of the variables that are seen first; one without values where there are none."""
        return Contexts(self.graph, self.first)

    def price(self, counts: NDArray[np.integer]) -> NDArray[np.float64]:  # float[L]
        """What these numbers of rounds (int[L, A]) take from the horizon."""
        return np.asarray(counts @ self.prices)

    def rounds(self, horizon: float, action: int | None = None) -> int:
        """How many rounds a horizon pays for: of the dearest action, or of this one."""
        return int(horizon / (self.prices.max() if action is None else self.prices[action]) + SLACK)


def require_law(problem: Problem, who: str) -> Law:
    """The law of the reward's parents; raises NotValid, naming `who` needs it, where it is missing or a parent is hidden."""
    graph = problem.graph
    assert graph.reward is not None
    if problem.law is None:
        raise NotValid(
            f"{who} needs the law of the reward's parents under each action: [tables] or [law] in the file, "
            "the law of a Problem in Python"
        )
    unseen = [p for p in graph.parents[graph.reward] if p in graph.hidden]
    if unseen:
        raise NotValid(f"{who} needs to see all parents of the reward, and {', '.join(map(shown, unseen))} is hidden")
    return problem.law


def require_bounds(problem: Problem, who: str, or_spread: bool = False) -> None:
    """Raises NotValid, naming `who` needs them, where the reward has no bounds (nor a stated spread, with `or_spread`)."""
    number = problem.graph.number
    if number is None or number.bounds is not None or (or_spread and number.spread is not None):
        return
    name = shown(str(problem.graph.reward))
    missing = " and ".join(what for what in ("low", "high") if getattr(number, what) is None)
    spread = ", or spread, a standard deviation that it does not exceed whatever is done" if or_spread else ""
    raise NotValid(f"{who} needs bounds of the reward {name}: say {missing} of it{spread}")
