"""A belief on the conditional tables of the reward and its causes: the means of all actions follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions
from bestdo.causal.circuit import Circuit, circuit
from bestdo.errors import TooLarge
from bestdo.learners.beliefs.belief import DRAWS, first_two, summed_up
from bestdo.memory_cache import memory_cache
from bestdo.statistics.tables import Tables

__all__ = ["TableBelief"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_PRODUCTS = 2**24  # of one lane: all bases, one pass


class _Passes(NamedTuple):
    """Which passes through the circuit give the means of all actions.

    A pass with some variables set (its base) gives the mean of the base, and of every action that sets one more. So
    do() and all single actions take one pass; pairs take one for each value of one of the two.
    """

    circuit: Circuit
    bases: NDArray[np.int16]
    """int16[B, N]: what each pass sets, of the variables that matter; -1 where it sets nothing."""
    codes: NDArray[np.int16]
    """int16[A, N]: what each action sets of them."""
    base: Ints
    """int[A]: the pass of each action."""
    slot: Ints
    """int[A]: which of its results is the action's mean."""


@dataclass(frozen=True)
class TableBelief:
    """Independent Dirichlet posteriors of all rows of all tables. Needs all causes of the reward to be observed.

    How much a cell counts before anything is seen is one of some priors, the same in all rows of a table; how likely
    each prior is, is learned from the table: where every row seen so far is as good as certain, so are the others. An
    action's mean is linear in each row and no product holds two cells of a table, so its expectation is its value at
    the mean tables, exactly.
    """

    problem: Problem
    priors: tuple[float, ...] = (0.5, 0.125, 0.03125)
    """What a cell may count before anything is seen. What to play is decided by the first alone, which is quicker."""
    shares_all: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _passes(self.problem.actions)

    @property
    def statistic(self) -> Tables:
        """Counts of each cell of each table."""
        return Tables(self.problem)

    def weights(self, tally: Tally) -> Floats:  # float[L, N, P]
        """How likely each prior is for each table."""
        from bestdo.learners.kernels import table_kernels  # numba is loaded when it is first needed

        cells = self.statistic.cells
        out = np.empty((len(tally.weight), len(cells.values), len(self.priors)))
        counts = np.ascontiguousarray(tally.weight)
        table_kernels.weigh(counts, cells.start, cells.values, np.array(self.priors), out)
        return out

    def draw_tables(self, tally: Tally, prior: Floats, rng: np.random.Generator) -> Floats:  # float[L, C]
        """All cells of all tables, in one draw from the posterior, for a prior of each table (float[L, N])."""
        from bestdo.learners.kernels import table_kernels

        cells = self.statistic.cells
        counts = np.ascontiguousarray(tally.weight)
        tables = rng.standard_normal(counts.shape)
        table_kernels.draw_tables(counts, cells.start, cells.values, prior, rng, tables)
        return tables

    def means_of(self, tables: Floats) -> Floats:  # float[L, A]
        """The mean of every action, for the tables (float[L, C]) of each lane."""
        from bestdo.learners.kernels import table_kernels

        cells, passes = self.statistic.cells, _passes(self.problem.actions)
        out = np.empty((len(tables), len(passes.bases), int(cells.values.sum()) + 1))
        table_kernels.set_means(passes.circuit, passes.bases, cells.start, cells.values, tables, out)
        return out[:, passes.base, passes.slot]

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions under tables drawn from the posterior."""
        below = self.weights(tally).cumsum(axis=2)[..., :-1]
        which = (rng.random((*below.shape[:2], 1)) >= below).sum(axis=2)
        return self.means_of(self.draw_tables(tally, np.array(self.priors)[which], rng))

    def pairs(
        self, tally: Tally, played: Floats, k: int, rng: np.random.Generator
    ) -> tuple[Ints, Ints]:  # int[L, K] twice
        """The best and the second best action of k draws, by the first prior."""
        prior = np.full((len(tally.weight), len(self.statistic.cells.values)), self.priors[0])
        return first_two([self.means_of(self.draw_tables(tally, prior, rng)) for _ in range(k)])

    def mean(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior expectations of the means."""
        from bestdo.learners.kernels import table_kernels

        cells = self.statistic.cells
        counts = np.ascontiguousarray(tally.weight)
        tables = np.empty_like(counts)
        priors, weights = np.array(self.priors), self.weights(tally)
        table_kernels.mean_tables(counts, cells.start, cells.values, priors, weights, tables)
        return self.means_of(tables)

    def gain(self, tally: Tally, played: Floats, leader: Ints, challenger: Ints) -> Floats:  # float[L, A]
        """Which share of the variance of the pairs' differences a round of each action is expected to remove.

        By the first prior; the differences are linearised in the tables.
        """
        from bestdo.learners.kernels import table_kernels

        cells, passes = self.statistic.cells, _passes(self.problem.actions)
        alpha, pairs = tally.weight + self.priors[0], np.stack([leader, challenger], axis=2)
        out = np.empty((len(leader), len(passes.bases), int(cells.values.sum()) + 1))
        table_kernels.set_gains(
            passes.circuit, passes.bases, cells.start, cells.values, alpha, passes.codes, pairs, out
        )
        return out[:, passes.base, passes.slot]

    def estimates(self, tally: Tally, played: Floats) -> Estimates:
        """Posterior means, with intervals and chances of being best from joint draws, the same for the same sums.

        `seen` is how many rounds of the action alone would tell as much about its mean as all rounds did.
        """
        mean = self.mean(tally, played)
        low, high, spread, joint = (np.empty_like(mean) for _ in range(4))
        for lane in range(len(mean)):
            drawn = self.draw(tally.lanes(np.repeat(lane, DRAWS)), np.random.default_rng(0))
            low[lane], high[lane], spread[lane], joint[lane] = summed_up(drawn)
        worth = mean * (1 - mean) / np.maximum(spread, 1e-12) - 1
        told = tally.weight.any(axis=1, keepdims=True)
        seen = np.where(told, np.maximum(worth - self._worth_before, played), played)
        return Estimates(mean, np.minimum(low, mean), np.maximum(high, mean), played, seen, joint)

    @cached_property
    def _worth_before(self) -> Floats:  # float[A]
        """How many rounds of each action the prior is worth."""
        nothing = Tally.zeros(DRAWS, self.statistic.cells.total)
        drawn = self.draw(nothing, np.random.default_rng(0))
        return np.asarray(drawn.mean(axis=0) * (1 - drawn.mean(axis=0)) / np.maximum(drawn.var(axis=0), 1e-12) - 1)


@memory_cache
def _passes(actions: Actions) -> _Passes:
    """The passes for a list of actions, found once."""
    graph = actions.graph
    assert graph.reward is not None
    cells = Tables(Problem(graph, actions)).cells
    number = {n: i for i, n in enumerate(cells.names)}
    success = graph.variable(graph.reward).code(graph.success)
    tables = []
    for v, name in enumerate(cells.names):
        axes = (*graph.parents[name], name)
        places = np.arange(cells.start[v], cells.start[v + 1]).reshape([graph.size(n) for n in axes])
        if name == graph.reward:
            axes, places = axes[:-1], places[..., success]
        tables.append((tuple(number[n] for n in axes), places))
    made = circuit(tables, tuple(graph.size(n) for n in cells.names), cells.total)
    codes = actions.codes[:, [graph.names.index(n) for n in cells.names]]
    first = np.concatenate([[0], np.cumsum(cells.values)])
    bases: dict[tuple[int, ...], int] = {}
    base, slot = np.empty(len(actions), np.int64), np.full(len(actions), first[-1])
    for a, row in enumerate(codes):
        rest = row.copy()
        for v in np.flatnonzero(row >= 0)[:1]:  # one of them, the same for all that set the others alike
            slot[a] = first[v] + row[v]
            rest[v] = -1
        base[a] = bases.setdefault(tuple(rest.tolist()), len(bases))
    if len(bases) * len(made.out) > _MOST_PRODUCTS:
        raise TooLarge(
            f"the means of all actions take {len(bases) * len(made.out):,} multiplications; "
            f"at most {_MOST_PRODUCTS:,} are done: allow fewer actions that set several variables"
        )
    return _Passes(made, np.array(list(bases), np.int16).reshape(-1, len(cells.names)), codes, base, slot)
