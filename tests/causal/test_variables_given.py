"""Variables as people give them: numbers as values, attributes of other libraries, bounds in the wrong form."""

import networkx as nx
import pytest

from bestdo import Graph, Problem, Variable, do, identify, read
from bestdo.errors import GraphError


def test_numbers_are_values():
    assert Variable("dose", [0, 2.0, 2.5]).values == ("0", "2", "2.5")
    with pytest.raises(GraphError, match="must be text"):
        Variable("dose", [True, None])


def test_states_of_networkx_nodes_are_values():
    graph = nx.DiGraph([("a", "b")])
    graph.nodes["a"]["states"] = ["low", "mid", "high"]
    assert read(graph).graph.variable("a").values == ("low", "mid", "high")
    graph.nodes["a"]["values"] = 3
    with pytest.raises(GraphError, match="is a list"):
        read(graph)


def test_bounds_in_the_wrong_form():
    with pytest.raises(GraphError, match=r"as Number\(0, 400\)"):
        Variable("y", number=(0, 400))


def test_a_problem_is_identified():
    graph = Graph.parse("a -> b; a <-> b", reward="b", success="1")
    assert identify(Problem(graph), do(a=1)).how == identify(graph, do(a=1)).how
