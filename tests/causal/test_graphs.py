"""The graphs that are possible: one graph is the case without doubt, and answers as several do."""

from __future__ import annotations

import numpy as np
import pytest

from bestdo import Doubts, Graph, Problem
from bestdo.causal.doubt_effects import arrows_that_matter, identified_in
from bestdo.causal.doubts import graphs_among
from bestdo.causal.graph_spaces import Listed, Ordered, Unordered
from bestdo.causal.graphs import OneGraph
from bestdo.causal.where import contenders
from bestdo.errors import NotValid, TooLarge

TEXT = "x -> m -> y; x <-> y"


def test_one_graph_is_the_case_without_doubt():
    graph = Graph.parse(TEXT, reward="y", success="1")
    problem = Problem(graph, set=["x", "m"])
    graphs = problem.graphs
    assert graphs == OneGraph(graph)
    assert graphs.space is graphs
    assert graphs.doubts is None
    assert (graphs.count, graphs.chances, graphs.remark) == (1, (1.0,), "")
    assert graphs.arrows == graphs.marked == graphs.possible == graphs.before == ()
    assert graphs.one_by_one == []
    assert graphs.candidates == graphs.largest == graphs.covering == graphs.smallest == (graph,)
    assert graphs.graph is graphs.sure is graphs.only(NotValid("never")) is graph
    assert graphs.every(NotValid("never")) == (graph,)
    assert graphs.above(["m"]) == {"x<->y", "x", "m"}
    np.testing.assert_array_equal(graphs.prior, [1.0])
    np.testing.assert_array_equal(graphs.in_some(problem.actions, contenders), contenders(problem.actions))
    assert identified_in(graphs, problem.actions) == ["all"] * len(problem.actions)
    assert arrows_that_matter(graphs, problem.actions, lambda g: problem.contenders, lambda g: [g]) == ()
    other = graphs.each(lambda each: each.rewarding("m", "1"))
    assert problem.by(graphs) == problem
    assert other.graph.reward == "m"


@pytest.mark.parametrize(
    ("doubts", "kind"),
    [
        (Doubts.parse("x -> m -> y; x ?-> y", reward="y"), Listed),
        (Doubts.in_order([*"abcdef", "y"], reward="y"), Ordered),
        (Doubts.in_order([[*"abcdef", "y"]], reward="y"), Unordered),
    ],
)
def test_kinds_of_doubt(doubts: Doubts, kind: type):
    problem = Problem(doubts)
    assert problem.graphs is doubts
    assert type(doubts.space) is kind
    assert problem.by(doubts) == problem
    assert problem.by(OneGraph(doubts.graph)).graphs == OneGraph(doubts.graph)
    assert bool(doubts.candidates) == (kind is Listed)
    assert bool(doubts.covering) == (kind is not Unordered)
    with pytest.raises(NotValid, match="one graph is needed"):
        doubts.only(NotValid("one graph is needed"))
    if kind is not Listed:
        with pytest.raises(TooLarge, match="a list is needed"):
            doubts.every(TooLarge("a list is needed"))


def test_graphs_that_are_all_the_same_are_one():
    graph, other = Graph.parse("x -> y", reward="y"), Graph.parse("x; y", reward="y")
    assert graphs_among([graph, graph], [0.5, 0.5]) == OneGraph(graph)
    assert graphs_among([graph, other], [0.25, 0.75]).chances == (0.25, 0.75)
