"""A world: a problem with the true model behind it, which can be played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan, Rounds, rewards
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.causal.model import Model
from bestdo.errors import GraphError, shown

__all__ = ["World", "seen_rounds"]


@dataclass(frozen=True, eq=False)
class World:
    """A problem and the true model behind it, over the same variables.

    The problem's graph says what *can* cause what; the model may have fewer arrows, and more only when the world says
    that the graph is `mistaken`. (The paper's reward has 50 parents in the graph and depends on one of them.)
    """

    problem: Problem
    model: Model
    mistaken: bool = False
    """Whether the problem's graph may be wrong about the model's arrows."""

    def __post_init__(self) -> None:
        known, true = self.problem.graph, self.model.graph
        if known.variables != true.variables or _goal(known) != _goal(true):
            raise GraphError("the world's model has other variables, or another reward, than the problem")
        for name in known.names if not self.mistaken else ():
            more = set(true.parents[name]) - set(known.parents[name])
            if more:
                raise GraphError(
                    f"in the world's model {shown(sorted(more)[0])} causes {shown(name)}, in the problem's graph it does not"
                )

    @cached_property
    def actions(self) -> Actions:
        """The problem's actions, on the model's graph."""
        return Actions(self.model.graph, self.problem.actions)

    @cached_property
    def means(self) -> NDArray[np.float64]:  # float[A]
        """The true mean of each action, in the reward's own unit."""
        return self.model.means(self.actions)

    @property
    def gains(self) -> NDArray[np.float64]:  # float[A]
        """The true means, negative where they are to be small: more is better."""
        return -self.means if self.problem.graph.aim == "minimise" else self.means

    def rounds(self, plan: Plan, rng: np.random.Generator) -> Rounds:
        """Plays a plan; hidden variables are not shown."""
        lanes, actions = plan.counts.shape
        cells = np.repeat(np.arange(lanes * actions), plan.counts.reshape(-1))
        lane, action = np.divmod(cells, actions)
        x = self.model.sample(self.actions, action, rng)
        numbers = self.model.draw_numbers(x, rng) if self.model.numbers else {}
        return seen_rounds(self.problem.graph, lane, action, x, numbers)


def _goal(graph: Graph) -> tuple[object, ...]:
    return graph.reward, graph.success, graph.worth, graph.aim


def seen_rounds(
    graph: Graph,
    lane: NDArray[np.int64],
    action: NDArray[np.int64],
    x: NDArray[np.integer],
    numbers: Mapping[str, NDArray[np.float64]] | None = None,
) -> Rounds:
    """The rounds with these values of all variables (int[R, V]); those of hidden variables are overwritten by -1."""
    y = rewards(graph, x, (numbers or {}).get(str(graph.reward)))
    x[:, [i for i, n in enumerate(graph.names) if n in graph.hidden]] = -1
    return Rounds(lane, action, x, y)
