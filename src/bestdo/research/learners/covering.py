"""Covering interventions: a random set of actions that together fix the causes of every variable in every way."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import Counts, add_block, split_evenly
from bestdo.memory_cache import memory_cache
from bestdo.research.learners.empirical_tables import (
    best_by_tables,
    estimates_by_tables,
    rows_of,
    start_tables,
    tables_statistic,
)

__all__ = ["Covering", "covered_by"]


@dataclass(frozen=True)
class Covering:
    """Covering interventions: plays a set of actions that covers every row of every table equally often, then infers.

    Sawarni, Madhavan, Sinha & Barman (2023). A row is a variable and a state of its parents; an action covers it if it sets
    all these parents to that state and leaves the variable free. Actions are drawn at random, each variable set with
    probability d / (d + 1), d the most parents of a variable, and then to any of its values alike; a draw is kept if it
    covers a row that those before it do not, until all rows are covered. Each of the kept actions is played equally often.
    Every variable's table is estimated from all rounds that left it free; means follow by exact inference, and the best is
    recommended.

    The paper explores with every setting of any variables, and so does this where the problem allows all of them (`at_most`
    as large as their number). Ours, where it does not: a draw that is no action of the problem is drawn again; a row that no
    action covers counts as covered by the actions that leave its variable free, set no parent otherwise, and set as many of
    them as any action does, do() perhaps; a row that no action can lead to is left out. Variables may have more than two
    values, and those that cannot influence the reward are ignored. Roots are rows too, without parents. With costs, rounds
    are as many as the dearest action allows, then again of what is left.
    """

    traits = Traits(reasons=True)
    statistic = staticmethod(tables_statistic)
    start = staticmethod(start_tables("covering"))
    tell = staticmethod(add_block)
    best = staticmethod(best_by_tables)
    estimates = staticmethod(estimates_by_tables)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """A plan of all rounds: T / |I| of each action of a new cover I; with costs, further ones while the budget lasts."""
        if not state.left.any():
            return None
        cover = random_cover(state.problem, len(state.played), rng)
        return Plan(split_evenly(state.left, cover, rng))

    def reason(self, state: Counts, action: int) -> str:
        """The plan was made in advance."""
        return "planned in advance: one of the actions that together show how every cause follows from its own causes"


def random_cover(problem: Problem, lanes: int, rng: np.random.Generator) -> Bools:  # bool[L, A]
    """A mask of the actions in the cover of each lane, drawn at random.

    Draws of an action that was drawn before cover nothing new. So what is kept are, for each row, the first of its actions in
    an order without repetition by the chances of a draw, which sorting by log chance plus Gumbel noise gives.
    """
    covers = covered_by(problem)
    key = _log_chance(problem) + rng.gumbel(size=(lanes, len(covers)))
    cover = np.zeros(key.shape, bool)
    lane = np.arange(lanes)
    for those in covers.T[covers.any(axis=0)]:
        some = np.flatnonzero(those)
        cover[lane, some[key[:, some].argmax(axis=1)]] = True
    return cover


@memory_cache
def covered_by(problem: Problem) -> Bools:  # bool[A, R]
    """A mask of the rows of the tables that each action covers; of rows that none covers, those with most parents set."""
    graph, rows = problem.graph, rows_of(problem.graph)
    codes, place = problem.actions.codes, {n: i for i, n in enumerate(graph.names)}
    covered = []
    for name in rows.names:
        parents = [place[p] for p in graph.parents[name]]
        sizes = [graph.size(p) for p in graph.parents[name]]
        states = np.indices(sizes).reshape(len(sizes), math.prod(sizes)).T  # int[rows, parents]
        given = codes[:, None, parents]  # int[A, 1, parents]
        free = (codes[:, place[name]] < 0)[:, None] & ((given < 0) | (given == states)).all(axis=2)
        many = np.where(free, (given >= 0).sum(axis=2), -1)  # int[A, rows]
        covered.append(free & (many == many.max(axis=0)))
    return np.concatenate(covered, axis=1)


@memory_cache
def _log_chance(problem: Problem) -> Floats:  # float[A]
    """The logarithm of the chance that a draw sets what each action sets, of the variables that matter."""
    graph, names = problem.graph, rows_of(problem.graph).names
    degree = max(len(graph.parents[n]) for n in names)
    set_ = problem.actions.codes[:, [graph.names.index(n) for n in names]] >= 0
    each = np.log([max(degree, 1) / (degree + 1) / graph.size(n) for n in names])
    return np.asarray(set_ @ each - np.log(degree + 1) * (~set_).sum(axis=1))
