"""Algorithm 2 in phases: the design is made anew for the actions still in, and all rounds are used again.

What its authors suggest for making use of the rewards.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, from_counts
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import SLACK, Problem, require_law
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.design.differences import design_of_differences
from bestdo.design.difficulty import difficulty
from bestdo.design.handmade import natural_chances
from bestdo.design.law_backend import Listed, backend_of
from bestdo.design.water_filling import level_plays, whole_rounds
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.algorithm_2 import plugged
from bestdo.learners.count_state import Counts, added, begin, best_of
from bestdo.statistics.seen import Seen
from bestdo.statistics.states import States

__all__ = ["GeneralAlgorithmInPhases"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_MOST_STATES = 2**12
_ALMOST = 1e-3  # a design is no more exact
_Z = 1.96


class Narrowing(NamedTuple):
    """Counts, and which actions are still in."""

    counts: Counts
    alive: Bools
    """bool[L, A]"""


@dataclass(frozen=True)
class GeneralAlgorithmInPhases:
    """Algorithm 2 whose design is optimised again, for the differences between the actions still in, phase by phase.

    In each phase the rounds follow the design that tells the contenders apart best; then the half of them with the
    lowest upper ends of their 95 % intervals is dropped, until two are left. Rounds of different designs add, because
    what is counted does not depend on the design: how often each state of the reward's parents was seen, with which
    rewards (the plug-in estimator). Where the states cannot be listed, seeing must be as good as doing: then what is
    counted is how often each action was seen or played, and the rounds raise the least known contender.
    """

    def statistic(self, problem: Problem, horizon: float) -> States | Seen:
        """Counts of the states of the reward's parents; of what is seen of each action where these are too many."""
        return Seen(problem) if _table(problem) is None else States(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Narrowing:
        """Before the first round."""
        counts, table = begin(problem, horizon, lanes, rng), _table(problem)
        if table is not None:
            counts = counts._replace(tally=Tally.zeros(lanes, table.shape[1]))
        return Narrowing(counts, np.ones(counts.played.shape, bool))

    def ask(self, state: Narrowing, rng: np.random.Generator) -> Plan | None:
        """The next phase: as many of them as the logarithm of how hard the contenders are to tell apart."""
        counts, problem = state.counts, state.counts.problem
        table, prices = _table(problem), problem.prices
        dearest = np.where(state.alive, prices, 0).max(axis=1)

        def share(hard: Floats) -> Floats:  # float[L]
            phases = np.ceil(np.log2(np.clip(hard, 2, np.maximum(state.alive.sum(axis=1), 2))) - _ALMOST)
            return np.asarray(np.minimum(np.maximum(counts.money / phases, dearest), counts.money))

        if table is None:
            rate = np.broadcast_to(natural_chances(problem), state.alive.shape)
            money = share(difficulty(np.where(state.alive, rate, 1.0)).astype(np.float64))
            watching = problem.actions.index(do())
            plays = level_plays(counts.tally.weight, rate, state.alive, money, prices, watching)
        else:
            contests, lane = np.unique(state.alive, axis=0, return_inverse=True)
            designs = [_design(problem, contest.tobytes()) for contest in contests]
            money = share(np.array([hard for _, hard in designs])[lane.ravel()])
            plays = money[:, None] * np.array([eta for eta, _ in designs])[lane.ravel()] / prices
        plan = whole_rounds(plays, money, prices, rng)
        return Plan(plan) if plan.any() else None

    def tell(self, state: Narrowing, plan: Plan, tally: Tally) -> Narrowing:
        """Adds the phase and, unless it was the last one, drops the worse half."""
        counts = added(state.counts, plan, tally)
        table, size = _table(counts.problem), state.alive.sum(axis=1)
        more = plan.counts.any(axis=1) & (counts.money >= counts.problem.prices.min() - SLACK)
        keep = np.where(more, np.maximum((size + 1) // 2, 2), size)
        high = self.estimates(state._replace(counts=counts)).high if table is None else _hoped(counts.tally, table)
        return Narrowing(counts, best_of(high, state.alive, keep, counts.ties, counts.block))

    def best(self, state: Narrowing) -> NDArray[np.int64]:
        """The best mean of those still in."""
        mean = np.where(state.alive, self.estimates(state).mean, np.nan)
        return argmax(np.asarray(mean.round(9)), state.counts.ties, state.counts.block)  # equal laws have equal means

    def estimates(self, state: Narrowing) -> Estimates:
        """Means from all rounds, with their intervals."""
        table = _table(state.counts.problem)
        if table is None:
            return from_counts(state.counts.tally, state.counts.played)
        return plugged(state.counts.tally, table, state.counts.played)


@lru_cache(maxsize=64)
def _table(problem: Problem) -> Floats | None:  # float[A, X]
    """The law of the reward's parents written out; None where seeing is as good as doing and there are too many states."""
    law = require_law(problem, "Algorithm 2 in phases")
    try:
        Seen(problem).require("it")
        natural_chances(problem)
    except NotValid as error:
        with suppress(TooLarge):
            way = backend_of(law)
            if isinstance(way, Listed) and way.table.shape[1] <= _MOST_STATES:
                return way.table
        raise NotValid(
            f"Algorithm 2 in phases needs the states of the reward's parents listed, at most {_MOST_STATES:,} of them, or "
            f"else seeing to be as good as doing: {error}"
        ) from None
    return None


@lru_cache(maxsize=2**14)
def _design(problem: Problem, alive: bytes) -> tuple[Floats, float]:
    """How to split the money among all actions to tell the contenders apart, and how hard that is.

    That is in actions: K that tell nothing about each other, played equally often, have a variance of 2 K.
    """
    table = _table(problem)
    assert table is not None
    judged = table[np.frombuffer(alive, bool)]
    found = design_of_differences(table / problem.prices[:, None], judged)
    return found.eta, float(found.m / 2 * problem.prices.min())


def _hoped(tally: Tally, table: Floats) -> Floats:  # float[L, A]
    """Plug-in means plus 1.96 standard errors, in which a state never seen varies as much as one round does."""
    n, s = tally.weight, tally.reward
    overall = (s.sum(axis=1, keepdims=True) + 1) / (n.sum(axis=1, keepdims=True) + 2)
    near = (s + overall) / (n + 1)
    spread = near * (1 - near) / np.maximum(n, 1)
    return np.asarray(np.where(n > 0, s / np.maximum(n, 1), overall) @ table.T + _Z * np.sqrt(spread @ table.T**2))
