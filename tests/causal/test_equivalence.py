"""Markov equivalence: against all d-separations by brute force, with and without a variable set."""

import itertools

import numpy as np
import pytest

from bestdo import Graph, Variable
from bestdo.causal.equivalence import classes, doubt_left, open_arrows
from bestdo.causal.separation import separated
from bestdo.errors import GraphError


def every_graph(names="ABCD"):
    pairs, found = list(itertools.combinations(names, 2)), []
    for way in itertools.product((0, 1, 2), repeat=len(pairs)):
        arrows = [(a, b) if w == 1 else (b, a) for (a, b), w in zip(pairs, way, strict=True) if w]
        try:
            found.append(Graph.of([Variable(n) for n in names], arrows))
        except GraphError:
            continue
    return found


def separations(graph):
    """Every statement "a and b are separated given these" that holds."""
    names = graph.names
    return frozenset(
        (a, b, given)
        for a, b in itertools.combinations(names, 2)
        for size in range(len(names) - 1)
        for given in itertools.combinations([n for n in names if n not in (a, b)], size)
        if separated(graph, [a], [b], given)
    )


def groups(keys):
    number = {}
    return [number.setdefault(key, len(number)) for key in keys]


@pytest.mark.parametrize("setting", [(), ("A",), ("A", "B")])
def test_classes_are_those_of_all_separations_with_and_without_what_is_set(setting):
    graphs = every_graph("ABC")
    assert len(graphs) == 25
    whole = [separations(graph) for graph in graphs]
    if setting:  # rounds that set them add a node that points at them: what it is separated from

        def extended(graph):
            arrows = [(p, n) for n in graph.names for p in graph.parents[n]] + [("S", n) for n in setting]
            return Graph.of([Variable(n) for n in (*graph.names, "S")], arrows)

        whole = [(own, separations(extended(graph))) for own, graph in zip(whole, graphs, strict=True)]
    assert classes(graphs, setting).tolist() == groups(whole)


def test_there_are_185_classes_of_four_variables():
    assert len(set(classes(every_graph()).tolist())) == 185  # Gillispie & Perlman 2001


def test_doubt_is_counted_in_bits():
    even = np.full(4, 0.25)
    assert doubt_left(even, np.array([0, 0, 0, 0])) == pytest.approx(2)
    assert doubt_left(even, np.array([0, 0, 1, 1])) == pytest.approx(1)
    assert doubt_left(even, np.arange(4)) == pytest.approx(0)


def test_open_directions_are_those_that_differ_within_a_class():
    """All 543 graphs of four variables, with nothing set and with one or two variables set."""
    graphs = every_graph()
    names = graphs[0].names
    arrows = np.array([[[a in g.parents[b] for b in names] for a in names] for g in graphs])
    for setting in [(), (0,), (3,), (1, 2)]:
        own = classes(graphs, [names[i] for i in setting])
        for k in range(own.max() + 1):
            members = arrows[own == k]
            expected = int((members[0] & ~members.all(axis=0)).sum())
            assert {open_arrows(each, setting) for each in members} == {expected}
