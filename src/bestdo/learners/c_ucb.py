"""C-UCB: upper confidence bounds on the states of the reward's parents, whose law under each action is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_law
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid
from bestdo.learners.algorithm_2 import plugged
from bestdo.learners.count_state import Counts, added, begin, play_once
from bestdo.statistics.states import States

__all__ = ["CUCB"]

Floats = NDArray[np.float64]

_DIGITS = 9
"""Sums of products that agree to so many digits are equal: their last digits depend on the number of lanes."""


@dataclass(frozen=True)
class CUCB:
    """C-UCB: plays the action whose bound Σ_x P(x | a) U_x is highest, U_x the upper bound of state x of the parents.

    Lu, Meisami, Tewari & Yan (2020), Algorithm 1: U_x = mean of the rounds in state x + √(radius ln(1/δ) / n_x), with
    δ = 1/T² and radius = 2 there; 1/2 is enough for rewards between 0 and 1 (Hoeffding), as in Bilodeau, Wang & Roy
    (2022). A state not seen has n_x = 1 and mean 0, as in the paper. The paper minimises the regret of all rounds; the
    recommendation is ours: the best of the means that follow from the states' means.
    """

    radius: float = 2.0
    block: int = 1
    """How many rounds are out at once: the actions with the highest bounds, one round each."""

    tell = staticmethod(added)

    def statistic(self, problem: Problem, horizon: float) -> States:
        """Rounds and successes in each state of the parents."""
        return States(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """Before the first round."""
        return begin(problem, horizon, lanes, rng)._replace(tally=Tally.zeros(lanes, _table(problem).shape[1]))

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """The next rounds."""
        if not state.left.any():
            return None
        n = np.maximum(state.tally.weight, 1)
        log = 2 * np.log(max(2, state.problem.rounds(state.horizon)))  # ln(1/δ)
        bound = (state.tally.reward / n + np.sqrt(self.radius * log / n)) @ _table(state.problem).T
        chosen = []
        for k in range(min(self.block, bound.shape[1])):
            chosen.append(argmax(bound.round(_DIGITS), state.ties, state.block * self.block + k))
            bound[np.arange(len(bound)), chosen[-1]] = -np.inf
        return play_once(chosen, state)

    def best(self, state: Counts) -> NDArray[np.int64]:  # int[L]
        """The best mean."""
        return argmax(self.estimates(state).mean.round(_DIGITS), state.ties, state.block)

    def estimates(self, state: Counts) -> Estimates:
        """Σ_x P(x | a) times the mean of state x, with an interval that leaves open what was not seen."""
        return plugged(state.tally, _table(state.problem), state.played)


def _table(problem: Problem) -> Floats:  # float[A, X]
    table = require_law(problem, "C-UCB").listed()
    if table is None:
        raise NotValid("C-UCB needs to list all states of the reward's parents under each action: there are too many")
    return table
