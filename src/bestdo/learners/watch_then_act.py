"""Watch first, then play what watching cannot tell: needs the graph alone, which may have hidden variables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, from_counts
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, do
from bestdo.causal.where import dominated
from bestdo.design.difficulty import difficulty
from bestdo.design.water_filling import level_plays, whole_rounds
from bestdo.learners.count_state import Counts, added, begin, best_of, means
from bestdo.statistics.formula_counts import Joint

__all__ = ["WatchThenAct"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Contest(NamedTuple):
    """Counts of plays and of what was seen, what watching says, and which actions are still in."""

    counts: Counts
    formula: Floats
    """float[L, A]: each action's mean by its formula; 0 where watching does not tell."""
    worth: Floats
    """float[L, A]: how many plays of the action that is worth."""
    alive: Bools
    """bool[L, A]: the contenders."""


@dataclass(frozen=True)
class WatchThenAct:
    """Watches, learns by formulas what the graph lets watching tell, and plays the rest; hidden variables allowed.

    Generalises Maiti, Nair & Sinha (2022) and Jamshidi, Etesami & Kiyavash (2024) to every graph, any number of values
    and any size of intervention: what the ID algorithm identifies is estimated from watching, with its standard error;
    what it does not, or what the rounds of watching hardly tell, is played. Actions that the graph shows never to be
    better than the best of some others (Lee & Bareinboim 2018) are no contenders. First a share of the horizon is
    watched. Then, in each phase, the rounds go where they raise the worth of the least known contender most, be it
    watching or playing, at their prices; after it the half of the contenders with the lowest upper ends of their 95 %
    intervals is dropped, until two are left.
    """

    watch: float = 0.25
    """The share of the horizon that is watched at first, old rounds included, where watching tells about a contender."""

    def statistic(self, problem: Problem, horizon: float) -> Joint:
        """Plays of each action, and the joint counts that the formulas need."""
        return Joint(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Contest:
        """Before the first round."""
        counts = begin(problem, horizon, lanes, rng)
        nothing = np.zeros(counts.played.shape)
        counts = counts._replace(tally=Tally.zeros(lanes, Joint(problem).cells))
        return Contest(counts, nothing, nothing, np.tile(_possible(problem.actions), (lanes, 1)))

    def ask(self, state: Contest, rng: np.random.Generator) -> Plan | None:
        """A share of the horizon of watching, then one phase after the other until the money is spent."""
        counts, problem = state.counts, state.counts.problem
        watching = _watching(problem)
        if counts.block == 0 and watching is not None and _tells(problem):
            plan = np.zeros(counts.played.shape, np.int64)
            old, new = counts.tally.weight[:, watching], counts.horizon / problem.prices[watching]
            plan[:, watching] = np.maximum(self.watch * (old + new) - old + SLACK, 0)
            if plan.any():
                return Plan(plan)
        rate = np.zeros(state.worth.shape)  # what a round of watching is worth to each action
        if watching is not None:
            rate = state.worth / np.maximum(counts.tally.weight[:, [watching]], 1)
            rate[:, watching] = 1.0
        hard = np.minimum(difficulty(np.where(state.alive, rate, 1.0)), state.alive.sum(axis=1))
        phases = np.maximum(np.ceil(np.log2(hard)), 1)
        dearest = np.where(state.alive, problem.prices, 0).max(axis=1)
        money = np.minimum(np.maximum(counts.money / phases, dearest), counts.money)
        plays = level_plays(_together(state).weight, rate, state.alive, money, problem.prices, watching)
        plan = whole_rounds(plays, money, problem.prices, rng)
        return Plan(plan) if plan.any() else None

    def tell(self, state: Contest, plan: Plan, tally: Tally) -> Contest:
        """Adds the block; after a phase drops contenders. Who is not known at all may be anything and stays."""
        counts = added(state.counts, plan, tally)
        watching = _watching(counts.problem)
        formula, worth = state.formula, state.worth
        if watching is not None and tally.weight[:, watching].any():
            formula, worth = Joint(counts.problem).watched(counts.tally)
            formula = np.nan_to_num(formula)
        new = Contest(counts, formula, worth, state.alive)
        played = plan.counts.any(axis=1) & (counts.money >= counts.problem.prices.min() - SLACK)  # not the last phase
        if state.counts.block == 0 and watching is not None:  # the first watching drops nobody
            played &= plan.counts.sum(axis=1) > plan.counts[:, watching]
        size = state.alive.sum(axis=1)
        keep = np.where(played, np.maximum((size + 1) // 2, 2), size)
        return new._replace(alive=best_of(self.estimates(new).high, state.alive, keep, counts.ties, counts.block))

    def best(self, state: Contest) -> NDArray[np.int64]:
        """The best mean of the contenders."""
        mean = np.where(state.alive, means(_together(state)), np.nan)
        return argmax(mean, state.counts.ties, state.counts.block)

    def estimates(self, state: Contest) -> Estimates:
        """Means from watching and playing together, each with Wilson's interval for as many rounds as they are worth."""
        return from_counts(_together(state), state.counts.played)


@lru_cache(maxsize=128)
def _possible(actions: Actions) -> Bools:  # bool[A]
    """Which actions can be the best, whatever the model; of equals the same ones, however actions are numbered."""
    out = dominated(Actions(actions.graph, sorted(actions, key=str)))
    return np.array([a not in out for a in actions])


def _tells(problem: Problem) -> bool:
    """Whether watching tells anything about an action that can be the best."""
    possible = _possible(problem.actions)
    return any(possible[a] for reading in Joint(problem).readings for a in reading.actions)


def _watching(problem: Problem) -> int | None:
    return problem.actions.index(do()) if do() in problem.actions else None


def _together(state: Contest) -> Tally:
    """Each action's own plays and the plays that its formula's value is worth: the two combined by inverse variance."""
    own = slice(0, state.alive.shape[1])
    n, s = state.counts.tally.weight[:, own], state.counts.tally.reward[:, own]
    return Tally.counted(n + state.worth, s + state.formula * state.worth)
