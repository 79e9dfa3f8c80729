"""The functions of learners that count the states of the reward's parents, whose law under each action is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds, require_law
from bestdo.bandit.reach import reach_of
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid
from bestdo.learners.algorithm_2 import plug_in_estimates
from bestdo.learners.count_state import Counts, count_out, play_once, rounded, start_counts
from bestdo.statistics.states import States

__all__ = [
    "DIGITS",
    "beside_states",
    "best_by_states",
    "estimates_by_states",
    "listed_law",
    "play_highest",
    "start_states",
    "state_means",
    "states_statistic",
]


DIGITS = 9
"""Bounds and means that agree to so many decimals are ties: the last digits of a matrix product depend on its size."""


def listed_law(problem: Problem, who: str) -> Floats:  # float[A, X]
    """The law of the reward's parents as a table; NotValid, naming `who` needs it, where it cannot be listed."""
    table = require_law(problem, who).listed()
    if table is None:
        raise NotValid(f"{who} needs to list all states of the reward's parents under each action: there are too many")
    return table


def states_statistic(problem: Problem, horizon: float) -> States:
    """Counts of rounds and rewards in each state of the parents."""
    return States(problem)


def start_states(who: str, bounds: bool = True) -> Callable[[Problem, float, int, np.random.Generator], Counts]:
    """A learner's `start` with sums for each state; with `bounds`, the reward has them or a stated spread, or NotValid."""

    def start(problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        if bounds:
            require_bounds(problem, who, or_spread=True)
        states = listed_law(problem, who).shape[1]
        return start_counts(problem, horizon, lanes, rng)._replace(tally=Tally.zeros(lanes, states))

    return start


def state_means(tally: Tally, problem: Problem) -> Floats:  # float[L, X]
    """The mean of each state; of one not seen 0, or the mean of all rounds where the reward has no bounds."""
    return reach_of(problem.graph).means(tally.weight, tally.reward)


def play_highest(bound: Floats, state: Counts, block: int) -> Plan:
    """A plan that plays the contenders with the `block` highest bounds (float[L, A]) once each, ties at random."""
    chosen = []
    for k in range(min(block, int(state.problem.contenders.sum()))):
        chosen.append(argmax(rounded(bound, DIGITS, state.problem), state.ties, state.block * block + k))
        bound[np.arange(len(bound)), chosen[-1]] = -np.inf
    return play_once(chosen, state)


def beside_states(state: Counts, out: NDArray[np.int64]) -> Counts:
    """The state with rounds in flight: each is expected to meet the states by their chances, with the mean of each."""
    if not out.any():
        return state
    states = out @ listed_law(state.problem, "this learner")
    n = np.maximum(state.tally.weight, 1)
    square = None if state.tally.square is None else states * state.tally.square / n
    return count_out(state, out, Tally.from_counts(states, states * state_means(state.tally, state.problem), square))


def best_by_states(state: Counts) -> NDArray[np.int64]:  # int[L]
    """The action with the best mean by the states' means, ties at random."""
    return argmax(rounded(estimates_by_states(state).mean, DIGITS, state.problem), state.ties, state.block)


def estimates_by_states(state: Counts) -> Estimates:
    """Σ_x P(x | a) times the mean of state x, with an interval that allows any mean for states never seen."""
    table = listed_law(state.problem, "this learner")
    found = plug_in_estimates(state.tally, table, state.played, state.problem.graph)
    return found._replace(contenders=state.problem.contenders)
