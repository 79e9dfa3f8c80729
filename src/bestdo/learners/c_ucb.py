"""C-UCB: upper confidence bounds on the states of the reward's parents, whose law under each action is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds, require_law
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid
from bestdo.learners.algorithm_2 import plug_in_estimates
from bestdo.learners.count_state import Counts, add_block, count_out, play_once, rounded, start_counts
from bestdo.statistics.states import States

__all__ = ["CUCB"]

Floats = NDArray[np.float64]

_DIGITS = 9
"""Bounds and means that agree to so many decimals are ties: the last digits of a matrix product depend on its size."""


@dataclass(frozen=True)
class CUCB:
    """C-UCB: plays the action whose bound Σ_x P(x | a) U_x is highest, U_x the upper bound of state x of the parents.

    Lu, Meisami, Tewari & Yan (2020), Algorithm 1: U_x = mean of the rounds in state x + √(radius ln(1/δ) / n_x), with
    δ = 1/T² and radius = 2 there; 1/2 is enough for rewards between 0 and 1 (Hoeffding), as in Bilodeau, Wang & Roy
    (2022). A state not seen has n_x = 1 and mean 0, as in the paper (the mean of all rounds, for a number without bounds,
    whose spread must be stated). The paper minimises the regret of all rounds; the
    recommendation is ours: the best of the means that follow from the states' means.
    """

    radius: float = 2.0
    """The factor in the width of the bounds: 2 as in the paper, 1/2 for narrower bounds that are still valid."""
    block: int = 1
    """The number of rounds planned at once: the actions with the highest bounds, one round each."""

    tell = staticmethod(add_block)

    def statistic(self, problem: Problem, horizon: float) -> States:
        """Counts of rounds and successes in each state of the parents."""
        return States(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        require_bounds(problem, "C-UCB", or_spread=True)
        return start_counts(problem, horizon, lanes, rng)._replace(tally=Tally.zeros(lanes, _table(problem).shape[1]))

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds."""
        if not state.left.any():
            return None
        n, mean = np.maximum(state.tally.weight, 1), _means(state)
        log = 2 * np.log(max(2, state.problem.rounds(state.horizon)))  # ln(1/δ)
        bound = (mean + np.sqrt(self.radius * log / n)) @ _table(state.problem).T
        chosen = []
        for k in range(min(self.block, int(state.problem.contenders.sum()))):
            chosen.append(argmax(rounded(bound, _DIGITS, state.problem), state.ties, state.block * self.block + k))
            bound[np.arange(len(bound)), chosen[-1]] = -np.inf
        return play_once(chosen, state)

    def beside(self, state: Counts, out: NDArray[np.int64]) -> Counts:
        """The state with rounds in flight: each is expected to meet the states by their chances, with the mean of each."""
        states, n = out @ _table(state.problem), np.maximum(state.tally.weight, 1)
        square = None if state.tally.square is None else states * state.tally.square / n
        return count_out(state, out, Tally.from_counts(states, states * _means(state), square))

    def reason(self, state: Counts, action: int) -> str:
        """Its bound is the highest."""
        end, most = ("lower", "lowest") if state.problem.graph.aim == "minimise" else ("upper", "highest")
        one = f"is among the {most}" if self.block > 1 else f"is the {most}"
        return f"its {end} bound, by what was seen in each state of the reward's causes, {one}"

    def best(self, state: Counts) -> NDArray[np.int64]:  # int[L]
        """The action with the best mean."""
        return argmax(rounded(self.estimates(state).mean, _DIGITS, state.problem), state.ties, state.block)

    def estimates(self, state: Counts) -> Estimates:
        """Σ_x P(x | a) times the mean of state x, with an interval that allows any mean for states never seen."""
        found = plug_in_estimates(state.tally, _table(state.problem), state.played, state.problem.graph)
        return found._replace(contenders=state.problem.contenders)


def _means(state: Counts) -> Floats:  # float[L, X]
    """The mean of each state; of one not seen 0, or the mean of all rounds where the reward has no bounds."""
    n, s = state.tally.weight, state.tally.reward
    if state.problem.graph.bounds is not None:
        return np.asarray(s / np.maximum(n, 1))
    overall = s.sum(axis=1, keepdims=True) / np.maximum(n.sum(axis=1, keepdims=True), 1)
    return np.where(n > 0, s / np.maximum(n, 1), overall)


def _table(problem: Problem) -> Floats:  # float[A, X]
    """The law of the reward's parents as a table; NotValid where it cannot be listed."""
    table = require_law(problem, "C-UCB").listed()
    if table is None:
        raise NotValid("C-UCB needs to list all states of the reward's parents under each action: there are too many")
    return table
