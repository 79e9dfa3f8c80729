"""Counts of each value of a variable beside those of its c-component parents, and all that formulas need."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph
from bestdo.causal.projection import projected
from bestdo.memory_cache import memory_cache
from bestdo.statistics.formula_counts import Joint
from bestdo.statistics.summing import count_table

__all__ = ["BesideParents", "c_parents", "district_sizes"]


# The most cells of one variable's table: with more, watching would hardly see each of them once. Not measured.
_MOST_CELLS = 2**10


def c_parents(graph: Graph, name: str) -> tuple[str, ...]:
    """The c-component parents of a variable, in the graph's order: what its law is to be conditioned on.

    Of the variable and its ancestors, those connected with it by `<->`, and all their parents; without hidden variables,
    its parents.
    """
    before = projected(graph)
    before = before.subgraph(before.ancestors([name]))
    district = before.district([name])
    parents = (district | {p for n in district for p in before.parents[n] if p not in before.hidden}) - {name}
    return tuple(n for n in graph.names if n in parents)


def district_sizes(graph: Graph) -> dict[str, int]:
    """The number of variables in the c-component of each observed variable."""
    return {name: len(district) for district in projected(graph).districts for name in district}


@memory_cache
def _tables(actions: Actions) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The variables that actions set, each with those of its table, itself first; left out where the table is too large."""
    graph = actions.graph
    tables = []
    for name in dict.fromkeys(n for action in actions for n in action):
        names = (name, *c_parents(graph, name))
        if np.prod([float(graph.size(n)) for n in names]) <= _MOST_CELLS:
            tables.append((name, names))
    return tuple(tables)


@dataclass(frozen=True)
class BesideParents:
    """The sums of `Joint`, then for each variable that can be set how often do() showed its values beside its c-parents'."""

    problem: Problem

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Rounds and successes in each cell."""
        graph, actions = self.problem.graph, self.problem.actions
        column = {n: i for i, n in enumerate(graph.names)}
        watched = rounds.pick(np.flatnonzero(rounds.action == (actions.index(do()) if do() in actions else -1)))
        tables = [
            count_table(watched, [column[n] for n in names], self._shape(names), lanes) for _, names in _tables(actions)
        ]
        return Joint(self.problem).tally(rounds, lanes).beside(*tables)

    @property
    def cells(self) -> int:
        """The number of cells of a tally."""
        return Joint(self.problem).cells + sum(int(np.prod(self._shape(n))) for _, n in _tables(self.problem.actions))

    def _shape(self, names: tuple[str, ...]) -> tuple[int, ...]:
        return tuple(self.problem.graph.size(n) for n in names)

    def rarest(self, tally: Tally) -> Floats:  # float[L, A]
        """Each action's q: the least share of rounds of do() that had its value and some values of the c-parents.

        0 for do(), where nothing was watched, and where the table would be too large.
        """
        actions, first = self.problem.actions, Joint(self.problem).cells
        q = np.zeros((len(tally.weight), len(actions)))
        for name, names in _tables(actions):
            shape = self._shape(names)
            last = first + int(np.prod(shape))
            table = tally.weight[:, first:last].reshape(len(q), shape[0], -1)
            share = table.min(axis=2) / np.maximum(table.sum(axis=(1, 2)), 1)[:, None]
            for a, action in enumerate(actions):
                if name in action:
                    q[:, a] = share[:, self.problem.graph.variable(name).code(action[name])]
            first = last
        return q
