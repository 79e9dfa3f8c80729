"""Doubtful arrows in every format, and what other programs leave open: CPDAGs and PAGs."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

import bestdo
from bestdo import BestdoError, Doubts
from bestdo.causal import arrows
from bestdo.causal.doubt_kinds import KINDS
from bestdo.errors import FileError
from bestdo.files import is_text, parse

FARM = "shade -> moisture -> yield; shade ?0.3-> yield; moisture ?<-> yield; sun ?-? shade; sun ?0.9-? yield; alone"
FORMATS = ["toml", "dot", "gml", "json", "dagitty"]


@pytest.mark.parametrize("extension", FORMATS)
@pytest.mark.parametrize(
    "text", [FARM, "a -- b; b -- c; a ?-> d", "a @-> b; b @-@ c; a ?-> d; a ?<-> d", "a -> b; a ?<-> b"]
)
def test_doubts_survive_every_format(tmp_path, extension, text):
    doubts = Doubts.parse(text)
    path = tmp_path / f"graph.{extension}"
    bestdo.write(doubts, path)
    found = bestdo.read(path)
    assert found.doubts == doubts
    assert found.graph == doubts.graph
    assert found.doubtful == doubts.arrows
    first = path.read_text()
    bestdo.write(found, path)
    assert path.read_text() == first


def test_a_problem_with_doubts_is_written_and_read(tmp_path):
    doubts = Doubts.parse(FARM, reward="yield")
    problem = bestdo.Problem(doubts, set=["shade", "moisture"], at_most=2)
    bestdo.write(problem, tmp_path / "farm.toml")
    assert bestdo.read(tmp_path / "farm.toml").problem == problem


def test_networkx_has_doubts_as_attributes():
    doubts = Doubts.parse("a -> b; a ?<-> b; a ?0.2-> c; b ?-? c")
    assert set(bestdo.read(doubts.to_networkx()).doubts.candidates) == set(doubts.candidates)
    made = nx.DiGraph([("a", "b")])
    made.add_edge("a", "c", doubt=True)
    made.add_edge("b", "c", doubt=0.25)
    assert str(bestdo.read(made).doubts) == "a -> b; a ?-> c; b ?0.25-> c"
    made.add_edge("b", "c", doubt=0.0)
    with pytest.raises(bestdo.BestdoError, match=r"probability of a doubtful arrow is 0\.0; it is above 0"):
        bestdo.read(made, reward="c", success="1")
    made.add_edge("b", "c", doubt=False)
    assert bestdo.read(made, reward="c", success="1").doubts.count == 2


def test_listed_candidates_are_held_by_toml_alone(tmp_path):
    graphs = [bestdo.Graph.parse(text) for text in ("a -> b -> c", "a <- b; c", "a; b; c; a <-> c")]
    doubts = Doubts.among(graphs, [1, 2, 4])
    assert doubts.by_list
    bestdo.write(doubts, tmp_path / "graph.toml")
    assert bestdo.read(tmp_path / "graph.toml").doubts == doubts
    for extension in FORMATS[1:]:
        with pytest.raises(BestdoError, match="cannot hold 3 graphs that are listed one by one"):
            bestdo.write(doubts, tmp_path / f"graph.{extension}")
        assert not (tmp_path / f"graph.{extension}").exists()
    with pytest.raises(BestdoError, match="a BIF file holds the tables of one graph"):
        bestdo.write(doubts, tmp_path / "graph.bif")


def test_a_candidate_beside_others_of_hardly_any_probability_is_written_and_read(tmp_path):
    graphs = [bestdo.Graph.parse(text, reward="c") for text in ("a -> b -> c", "b -> a -> c", "a -> c; b -> c")]
    bestdo.write(Doubts.among(graphs, [1e20, 1, 2]), tmp_path / "graph.toml")
    assert bestdo.read(tmp_path / "graph.toml").doubts.chances[0] == 1


TOML = """bestdo = 1
[variables.a]
[variables.b]
[variables.c]
[graph]
edges = ["a -> b"%s]
reward = "c"
%s
"""

CANDIDATES = """[[graph.candidates]]
edges = ["b -> c"]%s
[[graph.candidates]]
edges = ["a -> c"]%s"""


@pytest.mark.parametrize(
    ("edges", "more", "place", "message"),
    [
        (', "b ?1.2-> c"', "", (6, 23), "probability of a doubtful arrow is 1.2"),
        (', "b ?-> a"', "", (6, 21), "b ?-> a can be in no graph: the arrows form a cycle"),
        (', "b ?-> d"', "", (6, 21), "unknown variable 'd'"),
        (', "b ?-> c", "b ?-> c"', "", (6, 32), "b -> c is in doubt already"),
        (', "b -- c", "a -- c"', "order = 3", (8, 1), "must be a list"),
        ("", 'order = ["b", "a"]', (6, 11), "against the order"),
        (', "c ?-> b"', 'order = ["b", "c"]', (6, 21), "c ?-> b is against the order, in which 'b' is earlier"),
        ("", 'order = ["b", "z"]', (8, 16), "unknown variable 'z'"),
        ("", 'order = "none"', (8, 1), 'or "unknown"'),
        ("", '[[graph.candidates]]\nedges = ["b ?-> c"]', (9, 1), "a candidate has arrows that are there"),
        (
            "",
            "[[graph.candidates]]\nprobability = 0",
            (9, 1),
            "the probability of a candidate is 0; it is above 0 and below 1",
        ),
        ("", "[[graph.candidates]]\nprobability = 1.5", (9, 1), "the probability of a candidate is 1.5"),
        (
            "",
            CANDIDATES % ("\nprobability = 0.7", ""),
            (11, 1),
            "some candidates have a probability and others have none",
        ),
        (
            "",
            CANDIDATES % ("", "\nprobability = 0.7"),
            (10, 1),
            "some candidates have a probability and others have none",
        ),
        ("", CANDIDATES % ("\nprobability = 0.7", "\nprobability = 0.7"), (8, 9), "sum to 1.4; they sum to 1"),
        (', "c ?-> b"', CANDIDATES % ("", ""), (6, 21), "c ?-> b is in doubt beside them: write all possible graphs"),
        ("", 'order = "unknown"\n' + CANDIDATES % ("", ""), (8, 1), "a ?-? c is in doubt beside them"),
        (', "b ?-> c"', "[tables]\na = [0.5, 0.5]", (8, 2), "belongs to one graph, and arrows are in doubt"),
    ],
)
def test_errors_in_toml_have_their_place(edges, more, place, message):
    with pytest.raises(FileError) as caught:
        bestdo.read(TOML % (edges, more))
    assert message in caught.value.message
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("dag { a ?2-> b }", 9, "probability of a doubtful arrow is 2"),
        ("a ?0-? b", 3, "probability of a doubtful arrow is 0"),
        ("digraph { a -> b [doubt=7] }", 25, "probability of a doubtful arrow is 7"),
        ("digraph { a -> b [doubt=perhaps] }", 25, "perhaps is no probability"),
        ("pdag { a -- b -- c -- d -- a }", 10, "no graph is possible"),
        ("pag { a @-- b }", 9, "which is the cause: a @-- b"),
        ("dag { a -- b }", 9, "pdag { } and pag { } hold the lines"),
    ],
)
def test_errors_in_text_have_their_place(text, column, message):
    with pytest.raises(FileError) as caught:
        bestdo.read(text)
    assert message in caught.value.message
    assert caught.value.column == column


def test_only_text_that_looks_like_a_graph_is_taken_for_one():
    for text in ("a -- b", "a ?-? b", "a @-@ b", "a -- b; b -- c"):
        assert bestdo.read(text).doubts is not None
    for path in ("my file -- copy.csv", "folder/x -- y"):
        with pytest.raises(BestdoError, match="there is no file"):
            bestdo.read(path)
    for table in (b"x,y\n1, -- ,2\n", b"x;y\n -- ;3\n"):
        with pytest.raises(BestdoError, match="the format of this file is unknown"):
            parse(table, "t.csv")


def test_an_order_in_time_leaves_all_graphs_that_agree_with_it():
    known = bestdo.read(TOML % ("", 'order = ["a", "b", "c"]'))
    assert str(known.doubts) == "a -> b; a ?-> c; b ?-> c"
    together = bestdo.read(TOML.replace('"a -> b"', "") % ("", 'order = [["a", "b"], "c"]'))
    assert len(together.doubts.candidates) == 3 * 2 * 2
    unknown = bestdo.read(TOML.replace('"a -> b"', "") % ("", 'order = "unknown"'))
    assert len(unknown.doubts.candidates) == 25


def members(arrows: list[tuple[str, str]], lines: list[tuple[str, str]]) -> int:
    """How many acyclic graphs a CPDAG has, by networkx: all directions of its lines without a new v-structure."""

    def colliders(graph: nx.DiGraph) -> set:
        joined = graph.to_undirected()
        return {
            (frozenset((a, b)), c)
            for c in graph
            for a, b in itertools.combinations(sorted(graph.predecessors(c)), 2)
            if not joined.has_edge(a, b)
        }

    wanted, found = None, 0
    skeleton = nx.Graph([*arrows, *lines])
    fixed = nx.DiGraph(arrows)
    wanted = {(pair, c) for pair, c in colliders(fixed) if not skeleton.has_edge(*pair)}
    for ways in itertools.product((1, -1), repeat=len(lines)):
        graph = nx.DiGraph([*arrows, *(line[::way] for line, way in zip(lines, ways, strict=True))])
        found += nx.is_directed_acyclic_graph(graph) and colliders(graph) == wanted
    return found


def test_a_cpdag_of_causal_learn():
    search = pytest.importorskip("causallearn.search.ConstraintBased.PC")
    rng = np.random.default_rng(19)
    x = rng.normal(size=(800, 1))
    data = np.hstack([x, x + rng.normal(size=(800, 1)), x + rng.normal(size=(800, 1)), rng.normal(size=(800, 1))])
    data = np.hstack([data, (data[:, [2]] + data[:, [3]] + 0.5 * rng.normal(size=(800, 1)))])
    found = search.pc(data, show_progress=False)
    contents = bestdo.read(found.G)
    arrows = [(a, b) for a, b in ((a.split(" -> ")) for a in contents.sure.edges if " -> " in a)]
    lines = [(doubt.a, doubt.b) for doubt in contents.doubtful]
    assert lines
    assert all(doubt.kind == "--" for doubt in contents.doubtful)
    assert len(contents.doubts.candidates) == members(arrows, lines)


def test_a_cpdag_as_a_matrix_of_gcastle():
    matrix = np.array([[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]])
    contents = bestdo.read(matrix, names=["a", "b", "c", "d"])
    assert len(contents.doubts.candidates) == members([], [("a", "b"), ("b", "c"), ("a", "c")]) == 6


def test_a_pdag_of_pgmpy():
    base = pytest.importorskip("pgmpy.base")
    pdag = base.PDAG(directed_ebunch=[("a", "c"), ("b", "c"), ("c", "d")], undirected_ebunch=[("d", "e"), ("e", "f")])
    contents = bestdo.read(pdag)
    lines = [("d", "e"), ("e", "f")]
    assert len(contents.doubts.candidates) == members([("a", "c"), ("b", "c"), ("c", "d")], lines) == 1
    more = base.PDAG(directed_ebunch=[("a", "c"), ("b", "c")], undirected_ebunch=[("d", "e"), ("e", "f"), ("d", "f")])
    found = bestdo.read(more).doubts
    assert len(found.candidates) == 6
    graph = {frozenset(g.edges) for g in found.candidates}
    assert frozenset(f"{a} -> {b}" for a, b in more.to_dag().edges) in graph


def test_a_pag_of_causal_learn():
    marks = np.array([[0, 2, 0], [1, 0, 1], [0, 2, 0]])  # a o-> b <-o c
    contents = bestdo.read(marks, names=["a", "b", "c"])
    assert {str(g) for g in contents.doubts.candidates if not g.hidden} == set()
    assert len(contents.doubts.candidates) == 4
    assert "add a ?<-> b where there may be one" in contents.notes[0]


@pytest.mark.parametrize("kind", KINDS)
def test_one_arrow_of_each_kind_is_taken_for_a_text_and_read(kind):
    text = f"a {kind} b"
    assert is_text(text)
    assert [doubt[1] for doubt in arrows.parse(text).doubts] == [kind]
