"""The simplest learners: every action equally often (`Uniform`), or do() alone (`Watching`)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Bools
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.errors import NotValid
from bestdo.learners.count_state import (
    Counts,
    add_block,
    as_played,
    best_mean,
    play_once,
    played_statistic,
    split_evenly,
    start_counts,
    wilson_estimates,
)
from bestdo.learners.reasons import still_in, watching
from bestdo.learners.thompson import joint_draws, posterior_means
from bestdo.statistics.seen import Seen

__all__ = ["Uniform", "Watching"]


def _least_played(state: Counts, among: Bools) -> Plan | None:
    """The plan of one round: of some actions (bool[L, A]), one that was played least."""
    if not state.left.any():
        return None
    least = np.where(among, -state.played, -np.inf)
    return play_once([argmax(least, state.ties, state.block, all_compete=True)], state)


@dataclass(frozen=True)
class Uniform:
    """Plays every contender equally often, and recommends the best mean; rounds left over go to some actions at random.

    With costs it plans smaller and smaller blocks until the most expensive action cannot be paid for.
    """

    traits = Traits(chooses=True, reasons=True)
    statistic = staticmethod(played_statistic)
    start = staticmethod(start_counts)
    tell = staticmethod(add_block)
    best = staticmethod(best_mean)
    estimates = staticmethod(wilson_estimates)
    means = staticmethod(posterior_means)  # by context: rules need a mean everywhere
    draws = staticmethod(joint_draws)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """A plan of all rounds; with costs, of as many as can be paid for even if all go to the most expensive action.

        Where not every action is allowed, a plan of one round: of those allowed, one that was played least.
        """
        if not request.open:
            return _least_played(as_played(state, request.out), request.mask)
        if not state.left.any():
            return None
        return Plan(split_evenly(state.left, np.broadcast_to(state.problem.contenders, state.played.shape), rng))

    def reason(self, state: Counts, action: int) -> str:
        """The actions are all played equally often."""
        return still_in(int(state.problem.contenders.sum()))


@dataclass(frozen=True)
class Watching:
    """Plays do() in every round: what can be learned by observation alone. Needs seeing to be as good as doing."""

    traits = Traits(reasons=True)
    tell = staticmethod(add_block)
    best = staticmethod(best_mean)
    estimates = staticmethod(wilson_estimates)

    def statistic(self, problem: Problem, horizon: float) -> Seen:
        """Counts of rounds and successes in which each action was seen."""
        return Seen(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        Seen(problem).require("watching")
        if do() not in problem.actions:
            raise NotValid("watching needs the action do(), which the problem does not allow")
        return start_counts(problem, horizon, lanes, rng)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """A plan of all rounds."""
        if state.block:
            return None
        watching = state.problem.actions.index(do())
        counts = np.zeros(state.played.shape, np.int64)
        counts[:, watching] = state.problem.rounds(state.horizon, watching)
        return Plan(counts) if counts.any() else None

    def reason(self, state: Counts, action: int) -> str:
        """The number of actions that watching teaches about."""
        return watching(state.problem)
