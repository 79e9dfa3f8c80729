"""What a learner may know: the graph, the actions, and perhaps the law of the reward's parents. Never the truth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.errors import ActionError, GraphError

if TYPE_CHECKING:
    from bestdo.causal.law import Law

__all__ = ["Problem"]


@dataclass(frozen=True)
class Problem:
    """Which of these actions makes the reward likeliest?"""

    graph: Graph
    actions: Actions
    law: Law | None = None
    """P(parents of the reward | a), where it is known."""
    cost: tuple[float, ...] | None = None
    """What one round of each action costs; None when all cost the same."""

    def __post_init__(self) -> None:
        if self.graph.reward is None:
            raise GraphError("a problem needs a reward: graph.rewarding(name, success)")
        if self.actions.graph != self.graph:
            raise ActionError("the actions belong to another graph")
        if self.law is not None and self.law.actions != self.actions:
            raise ActionError("the law of the reward's parents belongs to other actions")
        if self.cost is not None:
            object.__setattr__(self, "cost", tuple(float(c) for c in self.cost))
            if len(self.cost) != len(self.actions):
                raise ActionError(f"{len(self.cost)} costs for {len(self.actions)} actions")
            for action, cost in zip(self.actions, self.cost, strict=True):
                if not (math.isfinite(cost) and cost > 0):
                    raise ActionError(f"{action} costs {cost:g}; a cost is a finite number above 0")
