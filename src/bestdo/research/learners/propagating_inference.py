"""Propagating inference: learns the tables of all causes, for any actions, by a design made from a first look at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.graph import Graph, Variable
from bestdo.design.matrix import design_of_numerators
from bestdo.design.water_filling import whole_rounds
from bestdo.errors import shown
from bestdo.learners.beliefs.passes import Passes, passes_of
from bestdo.learners.count_state import Counts, add_block, is_old, split_evenly
from bestdo.learners.kernels import family_lanes
from bestdo.memory_cache import memory_cache
from bestdo.research.learners.empirical_tables import (
    best_by_tables,
    estimates_by_tables,
    frequencies,
    rows_of,
    start_tables,
    tables_statistic,
)
from bestdo.statistics.tables import cells

__all__ = ["PropagatingInference", "parent_chances"]


_DIGITS = 9
"""Chances that agree to so many decimals are ties: the last digits depend on the order of the multiplications."""
_TOLERANCE = 1e-4
"""The relative gap at which the search for a design stops: it is rounded to whole rounds, which loses more."""
_CELLS_AT_ONCE = 2**22
"""Numbers in the tables or chances of the lanes that are worked on at once: 32 MB, a limit of memory. Not measured."""


@dataclass(frozen=True)
class PropagatingInference:
    """Propagating inference: a third of the rounds for a first look at all tables, the rest by a design made from them.

    Yabe, Hatano, Sumita, Ito, Kakimura, Fukunaga & Kawarabayashi (2018). A row is a variable n and a state π of its
    parents, C the number of rows, and β_n(π, a) the chance of π under action a, 0 if a sets n. First (their stage 1), for
    the rows of causes before effects, the action with the largest β by the tables so far is played T / 3C times. Then (stage
    2) all other rounds follow the design η that minimises max_a Σ_n Σ_π β_n(π, a)² / Σ_b η_b β_n(π, b), β by the tables of
    the first stage. At last (stage 3) means follow by exact inference from the tables of all rounds; the best is kept.

    Ours: the T / 3 rounds of the first stage are spread over the rows where T / 3C is no whole number; in it a row's table
    counts all rounds so far that left its variable free, not only those played for the row; η is rounded to whole
    rounds instead of drawn; variables that cannot influence the reward are ignored, as are rows of variables that all
    actions set; more than two values; with costs, T is the number of rounds that the budget pays for of the dearest action,
    and the design is for the money. A row that was never seen has equal chances.
    """

    as_published: bool = False
    """Whether to play as the baseline in the code of Sawarni et al. (2023): the second stage plays the likeliest action of
    each row equally often instead of a design; the first counts for a row only rounds played for it; T / 3C and 2T / 3C are
    rounded down, so that there may be no first stage; roots are left out of it, β is not 0 for actions that set n, the first
    of equals (here by their texts) is played, and the first value of a row that was never seen is taken to be certain."""

    traits = Traits(reasons=True)
    statistic = staticmethod(tables_statistic)
    start = staticmethod(start_tables("propagating inference"))

    @classmethod
    def as_published_with_error(cls) -> PropagatingInference:
        """Propagating inference as the baseline of others plays it: without the design of its second stage."""
        return cls(as_published=True)

    def schedule(self, problem: Problem, horizon: float) -> list[tuple[int, int]]:
        """The first stage: for each of its blocks the row, and the number of rounds."""
        rounds, rows = problem.rounds(horizon), rows_of(problem.graph)
        learned = np.flatnonzero(_free(problem)[:, rows.variable].any(axis=0))
        if self.as_published:
            parents = np.array([len(problem.graph.parents[name]) for name in rows.names])
            learned = np.flatnonzero(parents[rows.variable])
            each = rounds // 3 // len(rows.variable)
            return [(int(row), each) for row in learned] if each else []
        upto = np.arange(len(learned) + 1) * (rounds // 3) // max(len(learned), 1)
        return [(int(row), int(each)) for row, each in zip(learned, np.diff(upto), strict=True) if each]

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan: in stage 1 the likeliest action of the next row, T / 3C times; in stage 2 all that is left, by η."""
        if not state.left.any():
            return None
        problem, schedule = state.problem, self.schedule(state.problem, state.horizon)
        plan = np.zeros(state.played.shape, np.int64)
        if state.block < len(schedule):
            row, each = schedule[state.block]
            chosen = self._likeliest(state, row)
            plan[np.arange(len(plan)), chosen] = np.minimum(each, state.left)
        elif not self.as_published:
            for some, chance in self._chances(state):
                money = state.money[some]
                eta = _designs(chance, problem)
                plan[some] = whole_rounds(money[:, None] * eta / problem.prices, money, problem.prices, rng)
        elif state.block == len(schedule):
            rows, rounds = len(rows_of(problem.graph).variable), problem.rounds(state.horizon)
            for row in range(rows):
                np.add.at(plan, (np.arange(len(plan)), self._likeliest(state, row)), (rounds - rounds // 3) // rows)
            if not plan.any():  # fewer rounds than rows
                plan = split_evenly(state.left, np.ones(plan.shape, bool), rng)
            plan = np.where((plan.sum(axis=1) <= state.left)[:, None], plan, 0)
        return Plan(plan) if plan.any() else None

    def tell(self, state: Counts, plan: Plan, tally: Tally) -> Counts:
        """The state after a block."""
        schedule = self.schedule(state.problem, state.horizon) if self.as_published else []
        if state.block < len(schedule) and not is_old(plan, tally):
            mine = rows_of(state.problem.graph).row == schedule[state.block][0]
            tally = Tally.each(lambda part: np.where(mine, part, 0.0), tally)
        return add_block(state, plan, tally)

    def best(self, state: Counts) -> Ints:  # int[L]
        """The action with the best mean by the tables (stage 3)."""
        return best_by_tables(state, self.as_published)

    def estimates(self, state: Counts) -> Estimates:
        """The mean of each action by the tables with a 95 % interval."""
        return estimates_by_tables(state, self.as_published)

    def _likeliest(self, state: Counts, row: int) -> Ints:  # int[L]
        """The action with the largest chance of a row's state of the parents, ties at random, or the first by their texts."""
        problem, variable = state.problem, int(rows_of(state.problem.graph).variable[row])
        start = int(np.searchsorted(rows_of(problem.graph).variable, variable))
        parts = [
            parent_chances(frequencies(part, problem.graph, self.as_published), problem, variable, [row - start])[:, 0]
            for _, part in _parts(state, cells(problem.graph).total)
        ]
        chance = np.concatenate(parts).round(_DIGITS)
        if self.as_published:
            order = np.array(sorted(range(len(problem.actions)), key=lambda a: str(problem.actions[a])))
            return np.asarray(order[chance[:, order].argmax(axis=1)])
        return argmax(np.where(_free(problem)[:, variable], chance, -1.0), state.ties, state.block, all_compete=True)

    def _chances(self, state: Counts) -> Iterator[tuple[slice, Floats]]:
        """Some lanes at a time, and β (float[L, A, R]) by their tables."""
        problem, rows = state.problem, rows_of(state.problem.graph)
        free = _free(problem)[:, rows.variable]
        for some, part in _parts(state, len(problem.actions) * len(rows.variable)):
            tables = frequencies(part, problem.graph)
            each = [parent_chances(tables, problem, v) for v in range(len(rows.names))]
            yield some, np.concatenate(each, axis=1).transpose(0, 2, 1) * free

    def reason(self, state: Counts, action: int) -> str:
        """The variable about which the round is to teach."""
        schedule = self.schedule(state.problem, state.horizon)
        if state.block >= len(schedule):
            return "planned to learn the tables of all causes, as far as the means of all actions depend on them"
        rows = rows_of(state.problem.graph)
        name = rows.names[int(rows.variable[schedule[state.block][0]])]
        return f"a first look at {shown(name)}: it is likeliest to bring about a state of its causes that is to be seen"


def _parts(state: Counts, cells_of_lane: int) -> Iterator[tuple[slice, Tally]]:
    """Some lanes at a time, with their sums."""
    size = max(1, _CELLS_AT_ONCE // cells_of_lane)
    for start in range(0, len(state.played), size):
        some = slice(start, start + size)
        yield some, state.tally.lanes(np.arange(len(state.played))[some])


def _designs(chance: Floats, problem: Problem) -> Floats:  # float[L, A, R] -> float[L, A]
    """The shares of the money that minimise the largest Σ_n Σ_π β² / Σ_b η_b β_b of a contender, in each lane."""
    designs: dict[bytes, Floats] = {}
    for each in chance:
        if (key := each.tobytes()) not in designs:
            square = each[problem.contenders] ** 2
            eta = design_of_numerators(each / problem.prices[:, None], square, _TOLERANCE).eta
            designs[key] = eta / eta.sum()
    return np.array([designs[each.tobytes()] for each in chance])


@memory_cache
def _free(problem: Problem) -> Bools:  # bool[A, N]
    """A mask of the variables that matter and that each action leaves free."""
    graph = problem.graph
    return np.asarray(problem.actions.codes[:, [graph.names.index(n) for n in rows_of(graph).names]] < 0)


class _Question(NamedTuple):
    """The inference of the chances of all states of a variable's parents from tables."""

    passes: Passes
    """The passes of the means of an event: that the parents are in one state."""
    source: Ints
    """int[cells]: the cell of the whole graph's tables that each cell is taken from; of the event's own any."""
    event: Ints
    """int[rows]: the cell that is 1 when it is asked for this state."""
    own: slice
    """The cells of the event's table."""
    action: Ints
    """int[A]: the place of each action among those that differ in what matters here."""


@memory_cache
def _question(problem: Problem, variable: int) -> _Question:
    """The inference of the chances of the states of one variable's parents from the tables."""
    graph, whole = problem.graph, cells(problem.graph)
    name = whole.names[variable]
    causes = graph.ancestors(graph.parents[name])
    variables = tuple(graph.variable(n) for n in graph.names if n in causes)
    parents = {n: graph.parents[n] for n in (*causes, name)}
    asked = Graph((*variables, Variable(name, ("0", "1"))), parents, reward=name, success="1")
    settings = [Intervention({n: v for n, v in action.items() if n in causes}) for action in problem.actions]
    distinct = {action: i for i, action in enumerate(dict.fromkeys(settings))}
    part = cells(asked)
    source = np.zeros(part.total, np.int64)
    for place, n in enumerate(part.names[:-1]):
        first = whole.start[whole.names.index(n)]
        source[part.start[place] : part.start[place + 1]] = first + np.arange(np.diff(part.start)[place])
    own = slice(int(part.start[-2]), int(part.start[-1]))
    event = np.arange(own.start, own.stop, 2) + asked.success_place
    action = np.array([distinct[a] for a in settings])
    return _Question(passes_of(Actions(asked, list(distinct))), source, event, own, action)


def parent_chances(
    tables: Floats, problem: Problem, variable: int, states: list[int] | None = None
) -> Floats:  # float[L, S, A]
    """The chance of states of one variable's parents under each action, by tables (float[L, cells]) and exact inference.

    `variable` is its place among those that matter; `states` are those that are asked for, by default all.
    """
    asked = _question(problem, variable)
    event = asked.event if states is None else asked.event[states]
    given = np.ascontiguousarray(np.repeat(tables[:, asked.source], len(event), axis=0))
    given[:, asked.own] = 0.0
    given[np.arange(len(given)), np.tile(event, len(tables))] = 1.0
    out = np.empty((len(given), len(np.unique(asked.action))))
    family_lanes.means_by_circuit(asked.passes, given, out)
    return out.reshape(len(tables), len(event), -1)[:, :, asked.action]
