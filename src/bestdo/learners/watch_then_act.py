"""Watch, then act: formulas on rounds of do() where the graph identifies a mean, plays for all other actions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats
from bestdo.bandit.confidence import SHOWN, Level
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import SLACK, Problem, require_graph
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.design.difficulty import difficulty
from bestdo.design.water_filling import level_plays, whole_rounds
from bestdo.learners.count_state import Counts, add_block, best_of, means, start_counts
from bestdo.learners.families import from_counts
from bestdo.learners.reasons import watching
from bestdo.statistics.formula_counts import Joint

__all__ = ["WatchThenAct", "with_formulas"]

_DROPPING = Level(95)
"""The level of the intervals by which contenders are dropped, whatever level people are shown. Not measured."""


class ContestState(NamedTuple):
    """Counts, the estimates from rounds of do() alone, and the contenders."""

    counts: Counts
    formula: Floats
    """float[L, A]: each action's mean by its formula on rounds of do(); 0 where it has none."""
    worth: Floats
    """float[L, A]: how many plays of the action would be as exact as that."""
    variance: Floats
    """float[L, A]: the variance of the reward of such a play."""
    alive: Bools
    """bool[L, A]: the contenders."""


@dataclass(frozen=True)
class WatchThenAct:
    """First plays do(), estimates by formulas what the graph identifies, and plays the rest; hidden variables allowed.

    Generalises Maiti, Nair & Sinha (2022) and Jamshidi, Etesami & Kiyavash (2024) to every graph, any number of values
    and any size of intervention: the actions that the ID algorithm identifies are estimated from rounds of do(), with a
    standard error; the others, and those with a large standard error, are played. Actions that the graph shows never to be
    better than the best of some others (Lee & Bareinboim 2018) are no contenders. A share of the horizon goes to do()
    first. Then, in each phase, the budget is divided between do() and plays so that the contender with the least data
    gains most; after it the half of the contenders with the lowest upper ends of their 95 % intervals is dropped, until
    two are left. At any time, also when old data are told, those whose interval lies below another's are dropped.
    """

    watch: float = 0.25
    """The share of the horizon that goes to do() first, old rounds included, if that tells about a contender. More makes the
    formulas exact, less leaves rounds for plays; a quarter was not measured against other shares."""

    traits = Traits(reasons=True)

    def statistic(self, problem: Problem, horizon: float) -> Joint:
        """Counts of plays of each action, and the joint counts that the formulas need."""
        return Joint(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> ContestState:
        """The state before the first round."""
        require_graph(problem, "watch-then-act")
        counts = start_counts(problem, horizon, lanes, rng)
        nothing = np.zeros(counts.played.shape)
        counts = counts._replace(tally=Tally.zeros(lanes, Joint(problem).cells))
        return ContestState(counts, nothing, nothing, nothing, np.tile(problem.contenders, (lanes, 1)))

    def ask(self, state: ContestState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next block: first a share of the horizon of do(), then one phase after the other."""
        counts, problem = state.counts, state.counts.problem
        watched = _watching(problem)
        if counts.block == 0 and self._first(counts).any():
            return Plan(self._first(counts))
        rate = np.zeros(state.worth.shape)  # how many plays of each action a round of do() is worth
        if watched is not None:
            rate = state.worth / np.maximum(counts.tally.weight[:, [watched]], 1)
            rate[:, watched] = 1.0
        hard = np.minimum(difficulty(np.where(state.alive, rate, 1.0)), state.alive.sum(axis=1))
        phases = np.maximum(np.ceil(np.log2(hard)), 1)
        dearest = np.where(state.alive, problem.prices, 0).max(axis=1)
        money = np.minimum(np.maximum(counts.money / phases, dearest), counts.money)
        plays = level_plays(_together(state).weight, rate, state.alive, money, problem.prices, watched)
        plan = whole_rounds(plays, money, problem.prices, rng)
        return Plan(plan) if plan.any() else None

    def _first(self, counts: Counts) -> NDArray[np.int64]:  # int[L, A]
        """The first block: rounds of do(), if these tell about a contender, so many that with old ones they are the share."""
        plan, watched = np.zeros(counts.played.shape, np.int64), _watching(counts.problem)
        if watched is not None and _tells(counts.problem):
            old, new = counts.tally.weight[:, watched], counts.horizon / counts.problem.prices[watched]
            plan[:, watched] = np.maximum(self.watch * (old + new) - old + SLACK, 0)
        return plan

    def tell(self, state: ContestState, plan: Plan, tally: Tally) -> ContestState:
        """The state after a block, or after old data: contenders whose interval lies below another's are dropped.

        A phase drops half of the contenders. One without data has the upper end 1 and stays.
        """
        counts = add_block(state.counts, plan, tally)
        watched = _watching(counts.problem)
        formula, worth, variance = state.formula, state.worth, state.variance
        if watched is not None and tally.weight[:, watched].any():
            formula, worth, variance = Joint(counts.problem).watched(counts.tally)
            formula = np.nan_to_num(formula)
        new = ContestState(counts, formula, worth, variance, state.alive)
        played = plan.counts.any(axis=1) & (counts.money >= counts.problem.prices.min() - SLACK)  # not the last phase
        if state.counts.block == 0 and watched is not None:  # the first block, of do() alone, drops no contender
            played &= plan.counts.sum(axis=1) > plan.counts[:, watched]
        size, found = state.alive.sum(axis=1), _estimates(new, _DROPPING)
        keep = np.where(played, np.maximum((size + 1) // 2, 2), size)
        ahead = np.where(state.alive, found.low, -np.inf).max(axis=1, keepdims=True)
        alive = state.alive & (found.high >= ahead)
        return new._replace(alive=best_of(found.high, alive, keep, counts.ties, counts.block))

    def reason(self, state: ContestState, action: int) -> str:
        """First how many actions watching teaches about, then how many contenders the rounds are divided between."""
        counts = state.counts
        if counts.block == 0 and action == _watching(counts.problem) and self._first(counts).any():
            return watching(counts.problem)
        if state.alive[0].sum() == 1:
            return "all other actions are ruled out"
        among = f"the {state.alive[0].sum()} actions that are not ruled out"
        return f"rounds are divided so that most is learned about the least known of {among}"

    def best(self, state: ContestState) -> NDArray[np.int64]:
        """The contender with the best mean."""
        mean = np.where(state.alive, means(_together(state)), np.nan)
        return argmax(mean, state.counts.ties, state.counts.block)

    def estimates(self, state: ContestState) -> Estimates:
        """The mean of each action from do() and plays together, with a 95 % interval for the rounds it is worth."""
        found = _estimates(state, SHOWN)
        return found._replace(contenders=state.counts.problem.contenders, dropped=~state.alive)


def _estimates(state: ContestState, level: Level) -> Estimates:
    """The mean of each action from do() and plays together, with an interval of a level."""
    return from_counts(_together(state), state.counts.played, state.counts.problem.graph, level)


def _tells(problem: Problem) -> bool:
    """Whether rounds of do() tell anything about an action that can be the best."""
    return any(problem.contenders[a] for reading in Joint(problem).readings for a in reading.actions)


def _watching(problem: Problem) -> int | None:
    """The index of do(); None where the problem does not allow it."""
    return problem.actions.index(do()) if do() in problem.actions else None


def _together(state: ContestState) -> Tally:
    """Each action's plays plus the plays that its formula's value is worth, which combines the two by inverse variance."""
    own = state.counts.tally.cells(slice(0, state.alive.shape[1]))
    return with_formulas(own, state.formula, state.worth, state.variance)


def with_formulas(own: Tally, formula: Floats, worth: Floats, variance: Floats) -> Tally:
    """Plays of each action, and what its formula says as if it were so many plays more (float[L, A] each)."""
    square = None if own.square is None else own.square + (formula**2 + variance) * worth
    return Tally.from_counts(own.weight + worth, own.reward + formula * worth, square)
