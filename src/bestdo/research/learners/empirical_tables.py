"""Functions of learners that count the tables of the reward and its causes, and infer means from their frequencies."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates, deviations, from_weights, variance_of_rounds
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_graph
from bestdo.bandit.reach import reach_of
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.causal.reward import NumberReward, SuccessReward, WorthReward
from bestdo.learners.beliefs.passes import passes_of, payoffs
from bestdo.learners.count_state import Counts, rounded, start_counts
from bestdo.learners.kernels import family_lanes
from bestdo.memory_cache import memory_cache
from bestdo.statistics.tables import Cells, Tables, cells

__all__ = [
    "best_by_tables",
    "estimates_by_tables",
    "frequencies",
    "means_by_tables",
    "rows_of",
    "start_tables",
    "tables_statistic",
]


_DIGITS = 9
"""Means that agree to so many decimals are ties: the last digits depend on the order of the multiplications."""
_DRAWS = 200
"""Draws of all tables behind an interval: their standard deviation is then known to 5 %."""


class _Rows(NamedTuple):
    """The rows of all tables: one for each variable that matters and each state of its parents."""

    names: tuple[str, ...]
    """The reward and its causes, causes before effects."""
    variable: Ints
    """int[R]: the place in `names` of the variable of each row."""
    first: Ints
    """int[R]: the first cell of each row."""
    row: Ints
    """int[cells]: the row of each cell."""


@memory_cache
def rows_of(graph: Graph) -> _Rows:
    """The rows of the tables of the reward and its causes."""
    layout = cells(graph)
    each = np.diff(layout.start) // layout.values
    variable = np.repeat(np.arange(len(layout.names)), each)
    length = layout.values[variable]
    return _Rows(layout.names, variable, np.cumsum(length) - length, np.repeat(np.arange(len(length)), length))


def tables_statistic(problem: Problem, horizon: float) -> Tables:
    """Counts of each value of each variable that matters, given each state of its parents."""
    return Tables(problem)


def start_tables(who: str) -> Callable[[Problem, float, int, np.random.Generator], Counts]:
    """A learner's `start` with sums for each cell of each table; NotValid, naming `who`, where they cannot be counted."""

    def start(problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        require_graph(problem, who)
        layout = cells(problem.graph)
        passes_of(problem.actions)  # raises TooLarge where means would take too long
        return start_counts(problem, horizon, lanes, rng)._replace(tally=Tally.zeros(lanes, layout.total))

    return start


def frequencies(tally: Tally, graph: Graph, first: bool = False) -> Floats:  # float[L, cells]
    """The tables as they were counted; a row that was not seen has equal chances, or the mean of all rounds for a number.

    With `first`, such a row's first value is certain.
    """
    weight, rows = tally.weight, rows_of(graph)
    if first:
        unseen = np.add.reduceat(weight, rows.first, axis=1) == 0
        weight = weight.copy()
        weight[:, rows.first] += unseen
    return _shares(weight, tally.reward, graph, cells(graph), rows)


def _shares(weight: Floats, reward: Floats, graph: Graph, layout: Cells, rows: _Rows) -> Floats:  # float[L, cells]
    """Each cell's part of the counts of its row (both float[L, cells]); for a number, the mean of the row."""
    total = np.add.reduceat(weight, rows.first, axis=1)[:, rows.row]
    tables = np.where(
        total > 0, weight / np.maximum(total, np.finfo(float).tiny), 1 / layout.values[rows.variable][rows.row]
    )
    own = _own(layout)
    tables[:, own] = _TABLES[type(graph.rewarded)].filled(tables[:, own], weight[:, own], reward[:, own])
    return np.ascontiguousarray(tables)


class _RewardTable:
    """The table of a reward with a success: shares of counts, as in the tables of its causes (float[L, own cells])."""

    def filled(self, shares: Floats, weight: Floats, reward: Floats) -> Floats:
        """The shares of the counts."""
        return shares

    def best(self, graph: Graph, cells: int) -> Floats | float:  # float[own cells]
        """The chances of a row whose reward is the best possible, whatever it is: 1."""
        return 1.0

    def variance(self, tally: Tally, graph: Graph) -> Floats:  # float[L, own cells]
        """The variance of each cell beside that of its counts: 0."""
        return np.zeros(tally.weight.shape)

    def drawn(self, shares: Floats, mean: Floats, variance: Floats, rng: np.random.Generator) -> Floats:
        """The shares of drawn counts."""
        return shares


class _WorthTable(_RewardTable):
    """The table of a reward whose values are worth numbers."""

    def best(self, graph: Graph, cells: int) -> Floats | float:
        """The value that is worth most is certain."""
        worth = payoffs(graph)
        return np.resize(np.arange(len(worth)) == worth.argmax(), cells).astype(np.float64)


class _NumberTable(_RewardTable):
    """The table of a reward that is a number: the mean of each row."""

    def filled(self, shares: Floats, weight: Floats, reward: Floats) -> Floats:
        """The mean of each row; of all rounds in a row without rounds."""
        overall = reward.sum(axis=1, keepdims=True) / np.maximum(weight.sum(axis=1, keepdims=True), 1)
        return np.where(weight > 0, reward / np.maximum(weight, 1), overall)

    def variance(self, tally: Tally, graph: Graph) -> Floats:
        """The variance of the mean of each row; 0 in a row without rounds."""
        variance = variance_of_rounds(tally.weight, deviations(tally), graph)[0]
        return np.where(tally.weight > 0, variance / np.maximum(tally.weight, 1), 0.0)

    def drawn(self, shares: Floats, mean: Floats, variance: Floats, rng: np.random.Generator) -> Floats:
        """The means of rows with normal noise."""
        noise = rng.standard_normal(shares.shape)
        return np.asarray(mean + np.sqrt(np.where(np.isfinite(variance), variance, 0.0)) * noise)


_TABLES: dict[type, _RewardTable] = {
    SuccessReward: _RewardTable(),
    WorthReward: _WorthTable(),
    NumberReward: _NumberTable(),
}


def _own(layout: Cells) -> slice:
    """The cells of the reward's table, the last."""
    return slice(int(layout.start[-2]), int(layout.start[-1]))


def means_by_tables(tables: Floats, problem: Problem) -> Floats:  # float[L, A]
    """The means of all actions under tables (float[L, cells]), by exact inference."""
    out = np.empty((len(tables), len(problem.actions)))
    family_lanes.means_by_circuit(passes_of(problem.actions), tables, out)
    return out


def best_by_tables(state: Counts, first: bool = False) -> Ints:  # int[L]
    """The action with the best mean by the tables (`frequencies`), ties at random."""
    mean = means_by_tables(frequencies(state.tally, state.problem.graph, first), state.problem)
    return argmax(rounded(mean, _DIGITS, state.problem), state.ties, state.block)


def estimates_by_tables(state: Counts, first: bool = False) -> Estimates:
    """The mean of each action by the tables (`frequencies`) with a 95 % interval.

    Its length is by the mean squared distance from what follows from drawn tables: Dirichlet by the counts, with one round
    more in each cell; for a number, normal around the means of rows. What rows may hide that were never seen is added on both
    sides: the probability that a round needs one of them.
    """
    problem, tally = state.problem, state.tally
    graph, layout, rows = problem.graph, cells(problem.graph), rows_of(problem.graph)
    tables, own = frequencies(tally, graph, first), _own(cells(graph))
    some = np.add.reduceat(tally.weight, rows.first, axis=1)[:, rows.row] > 0  # bool[L, cells]
    known = tables * some
    known[:, own] = some[:, own]  # whatever the reward is then
    reward_table = _TABLES[type(graph.rewarded)]
    known[:, own] *= reward_table.best(graph, own.stop - own.start)
    unknown = np.clip(1 - means_by_tables(known, problem), 0, 1)
    mean, variance = means_by_tables(tables, problem), np.empty(unknown.shape)
    each = reward_table.variance(tally.cells(np.arange(own.start, own.stop)), graph)
    for lane in range(len(tables)):
        rng = np.random.default_rng(0)  # the same sums always have the same interval
        gamma = rng.standard_gamma(tally.weight[lane] + 1, (_DRAWS, layout.total))
        drawn = _shares(gamma, gamma, graph, layout, rows)
        drawn[:, own] = reward_table.drawn(drawn[:, own], tables[lane, own], each[lane], rng)
        variance[lane] = ((means_by_tables(drawn, problem) - mean[lane]) ** 2).mean(axis=0)
    seen = np.maximum(tally.weight[:, own].sum(axis=1, keepdims=True), state.played)
    reach = reach_of(graph)
    unknown = unknown * reach.width(_variance_of_all(tally, own))
    counted = (tally.weight[:, own] > 0).any(axis=1, keepdims=True) & np.isfinite(each).all(axis=1, keepdims=True)
    variance = reach.uncertain(variance, np.asarray(counted))
    found_ = from_weights(mean, variance, unknown, state.played, seen, graph)
    return found_._replace(contenders=problem.contenders)


def _variance_of_all(tally: Tally, own: slice) -> Floats:  # float[L, 1]
    """The variance of all rewards that were counted."""
    n = np.maximum(tally.weight[:, own].sum(axis=1, keepdims=True), 1)
    mean = tally.reward[:, own].sum(axis=1, keepdims=True) / n
    return np.asarray(np.maximum(tally.squares[:, own].sum(axis=1, keepdims=True) / n - mean**2, 0))
