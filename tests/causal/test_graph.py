import copy
import pickle

import networkx as nx
import numpy as np
import pytest

from bestdo import Graph, Variable
from bestdo.errors import BestdoError, FileError, GraphError, unknown
from support import random_graph


def test_the_beginning_of_a_name_is_enough_to_ask_whether_it_was_meant():
    assert "did you mean 'Wait (min)'?" in unknown("variable", "wait", ["mood", "Wait (min)"])
    assert "did you mean" not in unknown("variable", "wa", ["mood", "waiting rooms"])


def test_the_one_line_way_in():
    graph = Graph.parse("Z -> X -> Y; X <-> Y", reward="Y")
    assert graph.observed == ("Z", "X", "Y")
    assert graph.hidden == ("X<->Y",)
    assert graph.parents["Y"] == ("X", "X<->Y")
    assert graph.success == "1"
    assert str(graph) == "Z -> X; X -> Y; X <-> Y"


def test_parse_reads_lines_reversed_arrows_quotes_and_single_names():
    graph = Graph.parse('"soil pH" -> crop\ncrop <- rain; weather', values={"rain": ["no", "some", "much"]})
    assert graph.parents["crop"] == ("soil pH", "rain")
    assert graph.size("rain") == 3
    assert "weather" in graph.names


@pytest.mark.parametrize("seed", range(20))
def test_printing_and_parsing_give_the_same_graph(seed):
    graph = random_graph(np.random.default_rng(seed), 6)
    again = Graph.parse(
        "\n".join(graph.edges),
        reward="Y",
        values={v.name: v.values for v in graph.variables if v.name in graph.observed},
    )
    assert {n: set(p) for n, p in again.parents.items()} == {n: set(p) for n, p in graph.parents.items()}


def test_values_are_frozen_hashable_and_pickle():
    graph = Graph.parse("A -> Y; A <-> Y", reward="Y")
    assert pickle.loads(pickle.dumps(graph)) == graph == copy.deepcopy(graph)
    assert hash(pickle.loads(pickle.dumps(graph))) == hash(graph)
    assert graph != Graph.parse("A -> Y", reward="Y")
    with pytest.raises(AttributeError):
        graph.reward = "A"
    with pytest.raises(TypeError):
        graph.parents["A"] = ("Y",)


@pytest.mark.parametrize("seed", range(20))
def test_order_ancestors_and_descendants_agree_with_networkx(seed):
    graph = random_graph(np.random.default_rng(seed), 8)
    network = graph.to_networkx()
    place = {n: i for i, n in enumerate(graph.order)}
    assert all(place[a] < place[b] for a, b in network.edges)
    for name in graph.names:
        assert graph.ancestors([name]) == nx.ancestors(network, name) | {name}
        assert graph.descendants([name]) == nx.descendants(network, name) | {name}


def test_networkx_there_and_back():
    graph = Graph.of(
        [
            Variable("A", ("low", "high"), description="how warm", unit="°C"),
            Variable("H", hidden=True),
            Variable("Y", ("no", "yes")),
        ],
        [("A", "Y"), ("H", "Y")],
        [("A", "Y")],
        reward="Y",
        success="yes",
    )
    assert Graph.from_networkx(graph.to_networkx()) == graph
    plain = nx.DiGraph([("a", "b"), (1, "b")])
    assert Graph.from_networkx(plain, reward="b").parents["b"] == ("a", "1")


def test_latent_projection_of_a_known_graph():
    # A -> H -> B, H -> C, U -> A, U -> D: hidden H and U
    graph = Graph.parse("A -> H -> B; H -> C; U -> A; U -> D; D -> Y; C -> Y; B -> Y", reward="Y", hidden=["H", "U"])
    seen = graph.projected()
    assert set(seen.parents["B"]) == {"A", "B<->C"}
    assert set(seen.parents["C"]) == {"A", "B<->C"}
    assert set(seen.parents["D"]) == {"A<->D"}
    assert seen.districts == (frozenset("AD"), frozenset("BC"), frozenset("Y"))
    assert set(graph.projected(["C"]).parents["Y"]) == {"A", "D", "B", "B<->Y"}
    with pytest.raises(GraphError, match="cannot be hidden"):
        graph.projected(["Y"])


@pytest.mark.parametrize("seed", range(30))
def test_projecting_in_two_steps_or_one_is_the_same(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 7, hidden=0.3)
    hide = [n for n in graph.observed if n != "Y"][:2]
    once, twice = graph.projected(hide), graph.projected(hide[:1]).projected(hide[1:])
    assert {n: set(p) for n, p in once.parents.items()} == {n: set(p) for n, p in twice.parents.items()}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Graph.parse("A -> B -> C -> A"), "form a cycle: A -> B -> C -> A"),
        (lambda: Graph.parse("A -> A"), "cycle: A -> A"),
        (lambda: Graph.parse("A <-> A"), "cannot share a cause with itself"),
        (lambda: Graph.parse("A -> B", reward="C"), r"unknown variable 'C'; allowed: 'A', 'B'"),
        (lambda: Graph.parse("rain -> crop", reward="corp"), "did you mean 'crop'"),
        (
            lambda: Graph.parse("A -> Y", reward="Y", values={"Y": "abc"}),
            r"which value of the reward 'Y' is success, 'a', 'b' or 'c'\? Name it",
        ),
        (
            lambda: Graph.parse("A -> Y", reward="Y", values={"Y": "a"}),
            "the reward 'Y' always is 'a'; it needs two values",
        ),
        (
            lambda: Graph.parse("A -> Y", reward="Y", values={"Y": ("no", "yes")}),
            "which value of the reward 'Y' is success",
        ),
        (
            lambda: Graph.parse("A -> Y", reward="Y", success="2"),
            "unknown value '2' of the variable 'Y'; allowed: '0', '1'",
        ),
        (lambda: Graph.parse("A -> Y", success="1"), "no reward is named"),
        (lambda: Graph.parse("A -> Y", reward="A", hidden=["A"]), "the reward 'A' is hidden"),
        (lambda: Graph.parse("A -> Y", hidden=["B"]), "unknown variable 'B'"),
        (lambda: Variable("A", ("x", "y", "x")), "lists the value 'x' twice"),
        (lambda: Variable("A", ()), "has 0 values"),
        (lambda: Variable("a`b"), "holds the character '`'"),
        (lambda: Variable("a\u202eb"), r"holds the character '\\u202e'"),
        (lambda: Variable("a\x00b"), "control and invisible characters"),
        (lambda: Variable("A", ("a\nb", "c")), "holds the character"),
        (lambda: Variable("A", "yes"), "a list of labels, not the text 'yes'"),
        (lambda: Graph.parse(""), "at least one variable"),
        (lambda: Graph.parse("A -> B", reward="B").projected(["Q"]), "unknown variable 'Q'"),
        (lambda: Variable(" A"), "starts or ends with a space"),
        (lambda: Variable("x" * 201), "201 characters; at most 200"),
        (lambda: Variable(3), "must be text"),
        (lambda: Graph((Variable("A"), Variable("A")), {}), "declared twice"),
        (lambda: Graph((Variable("A"), Variable("B")), {"A": ("B", "B")}), "lists a parent twice"),
    ],
)
def test_every_complaint_names_what_was_seen(make, message):
    with pytest.raises(BestdoError, match=message):
        make()


def test_parse_errors_have_a_place():
    with pytest.raises(FileError) as caught:
        Graph.parse("A -> B\nB -> ; C")
    assert (caught.value.line, caught.value.column) == (2, 6)
    assert "expected a variable" in str(caught.value)
    with pytest.raises(FileError, match=r"found 'B', expected ';'"):
        Graph.parse("A B")


def test_a_long_cycle_is_named_quickly():
    names = [f"n{i}" for i in range(3000)]
    with pytest.raises(GraphError, match="cycle") as caught:
        Graph.parse("; ".join(f"{a} -> {b}" for a, b in zip(names, names[1:] + names[:1], strict=True)))
    assert len(str(caught.value)) < 300
