"""Regret on four graphs with hidden common causes: bow, instrument, front door and napkin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from bestdo.arrays import Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title, learner
from bestdo.research.worlds.confounded_worlds import bow, front_door, instrument, napkin

__all__ = ["NothingHidden", "experiment"]


def experiment() -> Experiment:
    """Regret of watch-then-act, of learners without a graph, and of Algorithm 1 on a graph without the hidden causes."""
    worlds = {
        "bow: nothing can be learned by watching": bow(),
        "instrument: the advice can, the dose cannot": instrument(),
        "front door: all can, by formulas": front_door(),
        "napkin: all can, by formulas": napkin(),
    }
    return Experiment(
        name="hidden",
        title="With hidden causes, watching helps those who know when to trust it",
        x_label="T, the number of rounds",
        settings=tuple(Setting(t, world, t, panel=panel) for panel, world in worlds.items() for t in _HORIZONS),
        learners={
            **by_title("watch-then-act", "successive-rejects", "sequential-halving", "top-two"),
            "Algorithm 1, told that nothing is hidden": NothingHidden(learner("algorithm-1")),
        },
        caption="a hidden cause makes the worst choices look good; all single actions",
        log_x=True,
    )


_HORIZONS = (50, 100, 200, 400, 800)


@dataclass(frozen=True)
class NothingHidden:
    """A learner on a wrong graph: the true one without the arrows that come from hidden variables."""

    learner: Learner[Any]

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The learner's statistic on the wrong graph."""
        return self.learner.statistic(_without_hidden_causes(problem), horizon)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Any:
        """The learner's first state on the wrong graph."""
        return self.learner.start(_without_hidden_causes(problem), horizon, lanes, rng)

    def ask(self, state: Any, request: Request, rng: np.random.Generator) -> Plan | None:
        """The learner's next block."""
        return self.learner.ask(state, request, rng)

    def tell(self, state: Any, plan: Plan, tally: Tally) -> Any:
        """The learner's state after a block."""
        return self.learner.tell(state, plan, tally)

    def best(self, state: Any) -> Ints:
        """The learner's recommendation."""
        return self.learner.best(state)

    def estimates(self, state: Any) -> Estimates:
        """The learner's estimates."""
        return self.learner.estimates(state)


@lru_cache(maxsize=16)
def _without_hidden_causes(problem: Problem) -> Problem:
    """The problem without the arrows that come from hidden variables, in which all actions compete, as in the paper."""
    graph = problem.graph
    parents = {n: tuple(p for p in ps if p not in graph.hidden) for n, ps in graph.parents.items()}
    wrong = Graph(graph.variables, parents, graph.reward, graph.success)
    return replace(problem, graph=wrong, actions=Actions(wrong, problem.actions), law=None, all_compete=True)
