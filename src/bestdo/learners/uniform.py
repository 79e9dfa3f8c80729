"""The simplest learners: play everything equally often, or only watch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.causal.action import do
from bestdo.errors import NotValid
from bestdo.learners.count_state import Counts, added, begin, best_mean, counted_estimates, evenly, played
from bestdo.statistics.seen import Seen

__all__ = ["Uniform", "Watching"]


@dataclass(frozen=True)
class Uniform:
    """Every action equally often; rounds left over go to some at random. Keeps the best mean.

    With costs it goes on, in smaller and smaller blocks, until the dearest action cannot be afforded.
    """

    statistic = staticmethod(played)
    start = staticmethod(begin)
    tell = staticmethod(added)
    best = staticmethod(best_mean)
    estimates = staticmethod(counted_estimates)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """All rounds in one block; with costs, as many as are certainly affordable."""
        if not state.left.any():
            return None
        return Plan(evenly(state.left, np.ones(state.played.shape, bool), rng))


@dataclass(frozen=True)
class Watching:
    """Sets nothing, ever: what can be learned by looking. Needs seeing to be as good as doing."""

    tell = staticmethod(added)
    best = staticmethod(best_mean)
    estimates = staticmethod(counted_estimates)

    def statistic(self, problem: Problem, horizon: float) -> Seen:
        """How often each action was seen, and the successes."""
        return Seen(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """Before the first round."""
        Seen(problem).require("watching")
        if do() not in problem.actions:
            raise NotValid("watching needs the action do(), which the problem does not allow")
        return begin(problem, horizon, lanes, rng)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """All rounds in one block."""
        if state.block:
            return None
        watching = state.problem.actions.index(do())
        counts = np.zeros(state.played.shape, np.int64)
        counts[:, watching] = state.problem.rounds(state.horizon, watching)
        return Plan(counts) if counts.any() else None
