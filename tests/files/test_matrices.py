"""Graphs that are matrices: of 0 and 1, of causal-learn with the library itself, and what cannot be read."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import bestdo
from bestdo import Graph
from bestdo.errors import BestdoError, GraphError

CHAIN = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]])  # a -> b -> c
NAMES = ["a", "b", "c"]


@pytest.mark.parametrize(
    "matrix",
    [
        CHAIN,
        CHAIN.astype(float),
        CHAIN.astype(bool),
        CHAIN.tolist(),
        np.array([[0, -1, 0], [1, 0, -1], [0, 1, 0]]),  # the same with causal-learn's marks
    ],
)
def test_a_row_causes_its_columns(matrix):
    assert bestdo.read(matrix, names=NAMES).graph == Graph.parse("a -> b -> c")


def test_tables_have_their_own_names():
    for table in (
        pd.DataFrame(CHAIN, columns=NAMES),
        pd.DataFrame(CHAIN, columns=NAMES, index=NAMES),
        pl.DataFrame(CHAIN, schema=NAMES),
    ):
        contents = bestdo.read(table, reward="c", success="0")
        assert contents.graph == Graph.parse("a -> b -> c", reward="c", success="0")
        composed = bestdo.compose(table, reward="c", success="0")
        assert list(map(str, composed.problem.actions)) == ["do()", "do(a=0)", "do(a=1)", "do(b=0)", "do(b=1)"]


class Tensor(np.ndarray):
    """gCastle's class for matrices: an array with the names of its columns and rows."""


def test_gcastle_by_its_documented_form():
    Tensor.__module__ = "castle.common.base"
    matrix = CHAIN.view(Tensor)
    matrix.columns, matrix.index = NAMES, NAMES
    assert bestdo.read(matrix).graph == Graph.parse("a -> b -> c")
    learner = type("PC", (), {"__module__": "castle.algorithms.pc"})()
    learner.causal_matrix = matrix
    assert bestdo.read(learner).graph == Graph.parse("a -> b -> c")


def graph_of_causal_learn(arrows):
    from causallearn.graph.Edge import Edge
    from causallearn.graph.Endpoint import Endpoint
    from causallearn.graph.GeneralGraph import GeneralGraph
    from causallearn.graph.GraphNode import GraphNode

    ends = {"-": Endpoint.TAIL, "<": Endpoint.ARROW, ">": Endpoint.ARROW, "o": Endpoint.CIRCLE}
    nodes = {name: GraphNode(name) for name in "abcde"}
    graph = GeneralGraph(list(nodes.values()))
    for a, mark, b in (arrow.split() for arrow in arrows):
        graph.add_edge(Edge(nodes[a], nodes[b], ends[mark[0]], ends[mark[-1]]))
    return graph


def test_causal_learn_itself():
    graph = graph_of_causal_learn(["a --> b", "c --> b", "b <-> d", "e --> a"])
    read = Graph.parse("a; b; c; d; e; a -> b; c -> b; e -> a; b <-> d")
    assert bestdo.read(graph).graph.parents == read.parents
    assert bestdo.read(graph.graph, names=list("abcde")).graph.parents == read.parents
    with pytest.raises(BestdoError, match="which value of the reward 'b' is success"):
        bestdo.read(graph, reward="b")


def test_lines_of_causal_learn_that_do_not_say_which_is_the_cause():
    graph = graph_of_causal_learn(["a --> b", "b --- c", "c o-> d", "d o-o e", "e --o a"])
    with pytest.raises(GraphError, match="which is the cause: a o-- e, b -- c; decide each"):
        bestdo.read(graph)


@pytest.mark.parametrize(
    ("matrix", "names", "message"),
    [
        (
            [[0, 0.7], [0, 0]],
            ["a", "b"],
            r"row 1 \('a'\), column 2 \('b'\) is 0.7; the matrix of a graph holds 0 and 1",
        ),
        ([[0, np.nan], [0, 0]], ["a", "b"], r"row 1 \('a'\), column 2 \('b'\) is nan"),
        ([[0, 0], [0, 1]], ["a", "b"], r"row 2 \('b'\), column 2 \('b'\) is 1: a variable cannot cause itself"),
        ([[0, -1], [0, 0]], ["a", "b"], r"row 1 \('a'\), column 2 \('b'\) is -1, but the other way round 0"),
        ([[0, -1], [1, 2]], ["a", "b"], r"row 2 \('b'\), column 2 \('b'\) is 2"),
        ([[0, 1]], ["a", "b"], "as many rows as columns; this one is 1 x 2"),
        ([[0, 1], [0]], ["a", "b"], "the rows of a matrix must all have the same length"),
        ([], [], "as many rows as columns; this one is 0"),
        ([["0", "1"], ["0", "0"]], ["a", "b"], "holds numbers; this one holds text"),
        ([[0, 1], [0, 0]], None, r"this matrix has no names: give names="),
        ([[0, 1], [0, 0]], ["a"], "1 names for a matrix of 2 rows"),
        ([[0, 1], [0, 0]], ["a", "a"], "'a' is declared twice"),
        ([[0, 1, 0], [0, 0, 1], [1, 0, 0]], NAMES, "the arrows form a cycle"),
        (pd.DataFrame(CHAIN, columns=NAMES, index=["a", "c", "b"]), None, "row 2 is 'c', column 2 'b'"),
    ],
)
def test_errors_name_rows_and_columns(matrix, names, message):
    with pytest.raises(BestdoError, match=message):
        bestdo.read(matrix, names=names)


def test_names_are_for_matrices(tmp_path):
    for source in ("dag { a -> b }", tmp_path / "a.toml", Graph.parse("a -> b").to_networkx()):
        with pytest.raises(BestdoError, match="names are for a matrix"):
            bestdo.read(source, names=["a", "b"])


@pytest.mark.parametrize("seed", range(5))
def test_a_random_graph_comes_back_from_both_kinds_of_matrix(seed):
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(8)]
    order = rng.permutation(8)
    matrix = np.triu(rng.random((8, 8)) < 0.4, 1)[np.ix_(order, order)].astype(int)
    graph = bestdo.read(matrix, names=names).graph
    assert {(p, c) for c, ps in graph.parents.items() for p in ps} == {
        (names[i], names[j]) for i, j in np.argwhere(matrix)
    }
    marks = matrix.T - matrix  # the arrowhead stands in the row of the effect
    assert bestdo.read(marks, names=names).graph.parents == {n: graph.parents[n] for n in names}
