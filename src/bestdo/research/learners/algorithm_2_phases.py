"""Algorithm 2 in phases, as its authors suggest: each phase has a new design for the actions still in.

All rounds of all phases are used in the estimates.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.confidence import Level
from bestdo.bandit.estimate import Estimates, deviations, variance_of_rounds
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import SLACK, Problem, require_law
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.design.differences import design_of_differences
from bestdo.design.difficulty import difficulty
from bestdo.design.handmade import natural_chances
from bestdo.design.law_backend import Listed, backend_of
from bestdo.design.water_filling import level_plays, whole_rounds
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.algorithm_2 import plug_in_estimates
from bestdo.learners.count_state import Counts, add_block, best_of, rounded, start_counts, wilson_estimates
from bestdo.learners.families import from_counts
from bestdo.memory_cache import memory_cache
from bestdo.statistics.seen import Seen
from bestdo.statistics.states import States

__all__ = ["GeneralAlgorithmInPhases"]


_MOST_STATES = 2**12
"""Most states of the reward's parents that are listed: limits the time of a design for each phase and each set of
contenders (docs/results/benchmarks.md, "eta*": 170 ms for 200 actions and 4,096 states)."""
_ALMOST = 1e-3
"""Keeps the rounding of a design from adding a phase: log₂ of a difficulty that exceeds a whole number by less is rounded
down. More than the tolerance 1e-4 of the designs (`design/differences.py`); not measured."""
_Z = 1.96
"""Standard errors in the upper ends by which actions are dropped: a 95 % interval. Other values were not measured."""
_DROPPING = Level(95)
"""The level of the intervals by which actions are dropped where `_Z` is not used, whatever level people are shown."""
_DIGITS = 9
"""Means that agree to so many decimals are ties: actions with the same law have the same mean up to rounding errors."""


class _PhasesState(NamedTuple):
    """Counts, and which actions are still in."""

    counts: Counts
    alive: Bools
    """bool[L, A]: the contenders."""


@dataclass(frozen=True)
class GeneralAlgorithmInPhases:
    """Algorithm 2 in phases, each with a design optimised for the differences between the actions still in.

    In each phase the rounds follow the design that minimises the largest variance of a difference between contenders;
    then the half of them with the lowest upper ends of their 95 % intervals is dropped, until two are left. Rounds of
    different designs add, because the counts do not depend on the design: rounds and successes in each state of the
    reward's parents (the plug-in estimator). Where the states cannot be listed, seeing must be as good as doing: then the
    rounds in which each action was seen or played are counted, and a phase raises the smallest of these numbers.
    """

    traits = Traits(reasons=True)

    def statistic(self, problem: Problem, horizon: float) -> States | Seen:
        """Counts of the states of the reward's parents; rounds as good as each action where there are too many states."""
        return Seen(problem) if _table(problem) is None else States(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _PhasesState:
        """The state before the first round."""
        counts, table = start_counts(problem, horizon, lanes, rng), _table(problem)
        if table is not None:
            counts = counts._replace(tally=Tally.zeros(lanes, table.shape[1]))
        return _PhasesState(counts, np.tile(problem.contenders, (lanes, 1)))

    def ask(self, state: _PhasesState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next phase: the budget that is left, divided by log₂ of the difficulty of the contenders."""
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

    def tell(self, state: _PhasesState, plan: Plan, tally: Tally) -> _PhasesState:
        """The state after a phase; unless it was the last one, the worse half of the contenders is dropped."""
        counts = add_block(state.counts, plan, tally)
        table, size = _table(counts.problem), state.alive.sum(axis=1)
        more = plan.counts.any(axis=1) & (counts.money >= counts.problem.prices.min() - SLACK)
        keep = np.where(more, np.maximum((size + 1) // 2, 2), size)
        high = _upper_ends(counts, table)
        return _PhasesState(counts, best_of(high, state.alive, keep, counts.ties, counts.block))

    def reason(self, state: _PhasesState, action: int) -> str:
        """The plan tells the contenders apart."""
        return f"planned to tell apart the {state.alive[0].sum()} actions that are still in"

    def best(self, state: _PhasesState) -> Ints:
        """The contender with the best mean."""
        mean = np.where(state.alive, self.estimates(state).mean, np.nan)
        return argmax(rounded(mean, _DIGITS, state.counts.problem), state.counts.ties, state.counts.block)

    def estimates(self, state: _PhasesState) -> Estimates:
        """The mean of each action from all rounds with a 95 % interval."""
        table = _table(state.counts.problem)
        if table is None:
            estimates = wilson_estimates(state.counts)
        else:
            estimates = plug_in_estimates(state.counts.tally, table, state.counts.played, state.counts.problem.graph)
        return estimates._replace(contenders=state.counts.problem.contenders, dropped=~state.alive)


@memory_cache
def _table(problem: Problem) -> Floats | None:  # float[A, X]
    """The law of the reward's parents as a table; None where rounds as good as each action are counted instead."""
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
            f"Algorithm 2 in phases needs at most {_MOST_STATES:,} states of the reward's parents, or else seeing to be as "
            f"good as doing: {error}"
        ) from None
    return None


@memory_cache
def _design(problem: Problem, alive: bytes) -> tuple[Floats, float]:
    """The shares of the budget that tell the contenders apart best (float[A]), and the difficulty of doing so.

    The difficulty is measured in actions: for K actions that tell nothing about each other it is K, because played
    equally often their differences have a variance of 2 K.
    """
    table = _table(problem)
    assert table is not None
    judged = table[np.frombuffer(alive, bool)]
    design = design_of_differences(table / problem.prices[:, None], judged)
    return design.eta, float(design.m / 2 * problem.prices.min())


def _upper_ends(counts: Counts, table: Floats | None) -> Floats:  # float[L, A]
    """Plug-in means plus `_Z` standard errors; a state that was never seen has the variance of a single round.

    Where there is no table, the upper ends of the intervals of rounds as good as each action.
    """
    if table is None:
        return from_counts(counts.tally, counts.played, counts.problem.graph, _DROPPING).high
    tally, graph = counts.tally, counts.problem.graph
    n, s = tally.weight, tally.reward
    if not graph.two_values:
        total = np.maximum(n.sum(axis=1, keepdims=True), 1)
        mean = np.where(n > 0, s / np.maximum(n, 1), s.sum(axis=1, keepdims=True) / total) @ table.T
        variance = variance_of_rounds(n, deviations(tally), graph)[0]
        variance = np.where(np.isfinite(variance), variance, 1.0)  # not known in any state: the same in all
        return np.asarray(mean + _Z * np.sqrt(variance / np.maximum(n, 1) @ table.T**2))
    overall = (s.sum(axis=1, keepdims=True) + 1) / (n.sum(axis=1, keepdims=True) + 2)
    near = (s + overall) / (n + 1)
    spread = near * (1 - near) / np.maximum(n, 1)
    return np.asarray(np.where(n > 0, s / np.maximum(n, 1), overall) @ table.T + _Z * np.sqrt(spread @ table.T**2))
