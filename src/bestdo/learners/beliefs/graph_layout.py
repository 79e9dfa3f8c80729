"""The layout of the tables of all candidate graphs, from which the means of all actions follow; graphs share circuits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Ints
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.errors import NotValid
from bestdo.learners.beliefs.passes import Passes, passes_of
from bestdo.memory_cache import memory_cache
from bestdo.statistics.candidate_tables import CandidateFamilies, CandidateTables
from bestdo.statistics.tables import cells as cells_of

__all__ = ["Layout", "layout_of", "sorted_graph"]


class Layout(NamedTuple):
    """The candidates in which no hidden variable causes the reward, in classes and groups.

    Candidates that agree in the families of the reward and of its causes are a class: their means are the same. Classes are a
    group where their arrows are all among those of one of them: its circuit gives the means of all, with tables in which
    the other parents do not matter.
    """

    of: Ints
    """int[K, N]: the family of each variable in each candidate."""
    order: Ints
    """int[K, N]: the variables of each candidate, causes before effects."""
    class_of: Ints
    """int[K]: the class of each candidate."""
    group: Ints
    """int[M]: the group of each class."""
    place: Ints
    """int[M]: the place of each class in its group."""
    passes: tuple[Passes, ...]
    """The passes by which means follow from the tables of each group."""
    maps: tuple[Ints, ...]
    """int[classes, cells] for each group: the cell of all families that each cell of the group's tables is."""
    parents_at: Ints
    """int[F + 1]: where the parents of each family begin in `parent`."""
    parent: Ints
    """The parents of all families, as numbers of variables."""
    stride: Ints
    """The distance that one more of a parent's code moves the cell in the family's table."""
    setting: NDArray[np.int16]
    """int16[A, N]: what each action sets of the variables; -1 where it sets nothing."""


@memory_cache
def layout_of(problem: Problem) -> Layout:
    """The layout of the candidates of a problem, found once; raises TooLarge where the means take too long."""
    assert problem.doubts is not None
    families = CandidateTables(problem).families
    if not len(families.closed):
        raise NotValid(
            "in every candidate a hidden variable causes the reward, so that means do not follow from tables"
        )
    candidates, of = [problem.doubts.candidates[k] for k in families.closed], families.of[families.closed]
    matter = _matters(candidates, families)
    own, first, class_of = np.unique(np.where(matter, of, -1), axis=0, return_index=True, return_inverse=True)
    group, leaders = _groups(families, own)
    place = np.zeros(len(own), np.int64)
    passes, maps = [], []
    for g, leader in enumerate(leaders):
        members = np.flatnonzero(group == g)
        place[members] = np.arange(len(members))
        graph = sorted_graph(candidates[first[leader]])
        passes.append(passes_of(Actions(graph, problem.actions)))
        maps.append(_maps(graph, families, own[members], of[first[leader]]))
    number = {n: i for i, n in enumerate(families.names)}
    order = [[number[n] for n in graph.order if n in number] for graph in candidates]
    parents = [[number[p] for p in family.parents] for family in families.families[: families.plain]]
    graph = problem.graph
    columns = [graph.names.index(n) for n in families.names]
    stride = [families.cells.step[columns[p], f] for f, own in enumerate(parents) for p in own]
    return Layout(
        np.ascontiguousarray(of),
        np.array(order, np.int64),
        class_of.reshape(-1).astype(np.int64),
        group,
        place,
        tuple(passes),
        tuple(maps),
        np.cumsum([0, *map(len, parents)]).astype(np.int64),
        np.array([p for own in parents for p in own], np.int64),
        np.array(stride, np.int64),
        np.ascontiguousarray(problem.actions.codes[:, columns], np.int16),
    )


def _matters(candidates: Sequence[Graph], families: CandidateFamilies) -> NDArray[np.bool_]:  # bool[K, N]
    """A mask of the variables that are the reward or cause it, in each candidate."""
    found = []
    for graph in candidates:
        causes = graph.ancestors([str(graph.reward)])
        found.append([n in causes for n in families.names])
    return np.array(found, bool)


def _groups(families: CandidateFamilies, own: Ints) -> tuple[Ints, list[int]]:  # int[M]
    """The group of each class, given by its families (int[M, N], -1 where they do not matter), and its leading class."""
    number = {n: i for i, n in enumerate(families.names)}
    size = len(number)
    arrows = [sum(1 << (number[p] * size + number[f.name]) for p in f.parents) for f in families.families]  # as bits
    codes = [sum(arrows[f] for f in row if f >= 0) for row in own.tolist()]
    group, leaders = np.zeros(len(own), np.int64), list[int]()
    for m in sorted(range(len(own)), key=lambda m: (-codes[m].bit_count(), m)):
        for g, leader in enumerate(leaders):
            if codes[m] & ~codes[leader] == 0:
                group[m] = g
                break
        else:
            group[m] = len(leaders)
            leaders.append(m)
    return group, leaders


def sorted_graph(graph: Graph) -> Graph:
    """The graph with parents in the order of its variables, as families have them."""
    place = {n: i for i, n in enumerate(graph.names)}
    parents = {n: tuple(sorted(own, key=place.__getitem__)) for n, own in graph.parents.items()}
    return Graph(graph.variables, parents, graph.reward, graph.success, graph.worth, graph.aim)


def _maps(graph: Graph, families: CandidateFamilies, own: Ints, otherwise: Ints) -> Ints:  # int[M, cells]
    """The cell of all families that each cell of the graph's tables is, for classes given by their families (int[M, N]).

    A variable that does not matter in a class has the table of the graph (`otherwise`, int[N]): whatever it is, no mean
    depends on it.
    """
    cells, number = cells_of(graph), {n: i for i, n in enumerate(families.names)}
    place = {n: i for i, n in enumerate(graph.names)}
    found: dict[int, Ints] = {}
    for v, name in enumerate(cells.names):
        axes = (*graph.parents[name], name)
        sizes = [*map(graph.size, axes[:-1]), int(cells.values[v])]
        codes = np.indices(sizes).reshape(len(axes), -1)
        for f in {*own[:, number[name]].tolist(), int(otherwise[number[name]])} - {-1}:
            step = families.cells.step[[place[n] for n in axes], f]
            found[f] = families.cells.start[f] + step @ codes
    rows = [
        np.concatenate([found[f if (f := row[number[n]]) >= 0 else int(otherwise[number[n]])] for n in cells.names])
        for row in own.tolist()
    ]
    return np.array(rows, np.int64)
