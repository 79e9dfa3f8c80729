"""Random worlds where arrows are in doubt: a graph drawn from the candidates for each lane, then its tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.combinations import HIDDEN_AND_DOUBTS
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.causal.graph_spaces import Listed, Ordered, Unordered
from bestdo.causal.graphs import Graphs
from bestdo.errors import BestdoError, shown
from bestdo.learners.beliefs.graph_scores import sums_of
from bestdo.learners.beliefs.graph_weighing import weighing_of
from bestdo.statistics.candidate_tables import CandidateTables

__all__ = ["candidate_weights", "check_drawable", "drawn_graphs", "embedded"]


def candidate_weights(problem: Problem, parts: Sequence[Rounds]) -> Floats:  # float[K], or float[F]
    """The probability of each candidate given rounds; raises BestdoError where these cannot weigh the candidates.

    Where candidates are not listed: how likely each set of parents of each variable is, and the logarithm of its weight where
    directions are in doubt.
    """
    weighing, statistic = weighing_of(problem), CandidateTables(problem)
    if not parts:
        return weighing.before
    if len(statistic.families.closed) < len(problem.graphs.candidates):
        raise BestdoError(HIDDEN_AND_DOUBTS.why())
    total = Tally.total((statistic.tally(part, 1) for part in parts), 1, statistic.cells.total)
    return np.asarray(weighing.weights(total.weight)[0])


def drawn_graphs(
    problem: Problem, weights: Floats, lanes: int, rng: np.random.Generator
) -> list[tuple[Graph, Ints, list[Graph]]]:
    """A candidate for each lane, in groups: a graph that has all arrows of the group's candidates, their lanes, and these."""
    return _DRAWN[type(problem.graphs.space)](problem, weights, lanes, rng)


def _from_list(
    problem: Problem, weights: Floats, lanes: int, rng: np.random.Generator
) -> list[tuple[Graph, Ints, list[Graph]]]:
    """Candidates of a list by their probabilities (float[K]), in groups with one of the largest."""
    candidates, largest = problem.graphs.candidates, problem.graphs.largest
    which = rng.choice(len(candidates), size=lanes, p=weights)
    group = {int(k): _holding(largest, candidates[k]) for k in np.unique(which)}
    of = np.array([group[int(k)] for k in which], np.int64)
    return [
        (largest[g], np.flatnonzero(of == g), [candidates[k] for k in which[of == g].tolist()]) for g in np.unique(of)
    ]


def _from_sums(
    problem: Problem, weights: Floats, lanes: int, rng: np.random.Generator
) -> list[tuple[Graph, Ints, list[Graph]]]:
    """Acyclic graphs by the logarithms of the weights of sets of parents (float[F]), in groups with one order."""
    return _by_order(problem.graphs, sums_of(problem.graphs, weights).draw(lanes, rng))


def _by_order(doubts: Graphs, parents: Ints) -> list[tuple[Graph, Ints, list[Graph]]]:
    """Graphs, given by the parents of each variable as bits (int[L, N]), in groups that agree with one order."""
    sure = doubts.sure
    place = {n: i for i, n in enumerate(sure.names)}
    groups, left = [], np.arange(len(parents))
    while len(left):
        order, before = list[int](), 0
        while len(order) < len(place):  # of the first graph that is left
            order.append(
                next(v for v in range(len(place)) if not before >> v & 1 and not parents[left[0], v] & ~before)
            )
            before |= 1 << order[-1]
        earlier = [sum(1 << u for u in order[: order.index(v)]) for v in range(len(place))]
        fits = (parents[left] & ~np.array(earlier) == 0).all(axis=1)
        most = [sum(1 << place[p] for p in doubts.may_cause[n]) & earlier[v] for n, v in place.items()]
        graphs = [_with_parents(sure, own) for own in parents[left[fits]].tolist()]
        groups.append((_with_parents(sure, most), left[fits], graphs))
        left = left[~fits]
    return groups


def _with_parents(sure: Graph, parents: Sequence[int]) -> Graph:
    """The graph with these parents of each variable, as bits."""
    own = {n: tuple(p for i, p in enumerate(sure.names) if parents[v] >> i & 1) for v, n in enumerate(sure.names)}
    return sure._with(sure.variables, own)


def _drawn_parents(
    problem: Problem, weights: Floats, lanes: int, rng: np.random.Generator
) -> list[tuple[Graph, Ints, list[Graph]]]:
    """Graphs in one group, the parents of each variable drawn by themselves by their probabilities (float[F])."""
    families = CandidateTables(problem).families.families
    parents: list[dict[str, tuple[str, ...]]] = [{} for _ in range(lanes)]
    for name in problem.graph.names:
        own = [f for f, family in enumerate(families) if family.name == name]
        for lane, f in enumerate(rng.choice(own, size=lanes, p=weights[own]).tolist()):
            parents[lane][name] = families[f].parents
    graphs = [problem.graph._with(problem.graph.variables, each) for each in parents]
    return [(problem.graph, np.arange(lanes), graphs)]


_DRAWN: dict[type, Callable[[Problem, Floats, int, np.random.Generator], list[tuple[Graph, Ints, list[Graph]]]]] = {
    Listed: _from_list,
    Ordered: _drawn_parents,
    Unordered: _from_sums,
}
"""The ways in which graphs of each kind are drawn by their weights."""


def _holding(largest: Sequence[Graph], graph: Graph) -> int:
    """The first of some graphs that has all arrows of a graph."""
    for g, other in enumerate(largest):
        if all(set(own) <= set(other.parents[n]) for n, own in graph.parents.items()):
            return g
    raise AssertionError("every candidate is in one of the largest")


def embedded(
    whole: Graph, name: str, graphs: Sequence[Graph], draw: Callable[[Graph, int], Floats]
) -> Floats:  # float[L, *values of the parents in the whole graph, values]
    """The tables of a variable in lanes with these graphs, constant along parents that a lane's graph has not.

    `draw` gives tables of the variable in a graph, for so many lanes.
    """
    axes = whole.parents[name]
    wide = np.empty((len(graphs), *map(whole.size, axes), whole.size(name)))
    lanes: dict[frozenset[str], list[int]] = {}
    for lane, graph in enumerate(graphs):
        lanes.setdefault(frozenset(graph.parents[name]), []).append(lane)
    for some in lanes.values():
        graph = graphs[some[0]]
        parents = graph.parents[name]
        tables = draw(graph, len(some))
        tables = tables.transpose(0, *(1 + parents.index(p) for p in axes if p in parents), len(parents) + 1)
        wide[some] = tables.reshape(len(some), *(whole.size(p) if p in parents else 1 for p in axes), whole.size(name))
    return wide


def check_drawable(problem: Problem, known: Mapping[str, Floats]) -> None:
    """Raises BestdoError where worlds cannot be drawn: a table that is known, or a number, whose parents are in doubt."""
    doubtful = {n for a, mark, b in problem.graphs.possible for n in ((a, b) if mark == "<->" else (b,))}
    for name in (n for n in problem.graph.names if n in known or n in problem.graph.numeric):
        if name in doubtful:
            what = "its table is known" if name in known else "it is a number"
            raise BestdoError(f"arrows into {shown(name)} are in doubt, and {what}: such worlds cannot be drawn yet")
