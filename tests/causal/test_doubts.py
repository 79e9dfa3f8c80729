"""Doubtful arrows: the candidates and their probabilities against enumeration by brute force."""

from __future__ import annotations

import itertools
import pickle

import networkx as nx
import numpy as np
import pytest

import bestdo
from bestdo import BestdoError, Doubt, Doubts, Graph, Problem
from bestdo.causal.candidates import arrows_of
from bestdo.errors import TooLarge

NAMES = ("a", "b", "c", "d")


def brute_force(text: str, options: list[list[tuple[tuple[tuple[str, str, str], ...], float]]]) -> dict:
    """All acyclic combinations of sure arrows and one option of each doubt, with their probabilities."""
    sure = tuple((a, "->", b) for a, b in (part.split(" -> ") for part in text.split("; ") if part))
    found: dict[frozenset, float] = {}
    for chosen in itertools.product(*options):
        arrows = frozenset((*sure, *(arrow for arrows, _ in chosen for arrow in arrows)))
        directed = nx.DiGraph([(a, b) for a, mark, b in arrows if mark == "->"])
        if nx.is_directed_acyclic_graph(directed):
            found[arrows] = found.get(arrows, 0.0) + float(np.prod([p for _, p in chosen]))
    total = sum(found.values())
    return {arrows: p / total for arrows, p in found.items()}


def as_dict(doubts: Doubts) -> dict:
    """The candidates of doubts by their arrows."""
    return {frozenset(arrows_of(g)): p for g, p in zip(doubts.candidates, doubts.prior, strict=True)}


@pytest.mark.parametrize(("variables", "graphs"), [(2, 3), (3, 25), (4, 543)])
def test_where_nothing_is_known_the_candidates_are_all_acyclic_graphs_equally_probable(variables, graphs):
    pairs = itertools.combinations(NAMES[:variables], 2)
    doubts = Doubts.parse("; ".join(f"{a} ?-? {b}" for a, b in pairs))
    assert len(doubts.candidates) == len(set(doubts.candidates)) == graphs
    np.testing.assert_allclose(doubts.prior, 1 / graphs, rtol=1e-12)


def test_candidates_and_prior_are_all_acyclic_combinations():
    doubts = Doubts.parse("a -> b; b ?0.3-> c; c ?0.8-? d; d ?-> b; a ?0.1<-> c; c ?-? a")
    c, d, b, a = "cdba"
    options = [
        [(((b, "->", c),), 0.3), ((), 0.7)],
        [(((c, "->", d),), 0.4), (((d, "->", c),), 0.4), ((), 0.2)],
        [(((d, "->", b),), 0.5), ((), 0.5)],
        [(((a, "<->", c),), 0.1), ((), 0.9)],
        [(((c, "->", a),), 1 / 3), (((a, "->", c),), 1 / 3), ((), 1 / 3)],
    ]
    expected = brute_force("a -> b", options)
    found = as_dict(doubts)
    assert found.keys() == expected.keys()
    for arrows in expected:
        assert found[arrows] == pytest.approx(expected[arrows], abs=1e-12)


def test_all_candidates_have_the_same_variables_and_the_graph_is_that_with_most_arrows():
    doubts = Doubts.parse("x -> y; x ?<-> y; z ?-> x", reward="y")
    assert {g.names for g in doubts.candidates} == {("x", "y", "z", "x<->y")}
    assert len(list(arrows_of(doubts.graph))) == 3
    assert all(g.reward == "y" for g in doubts.candidates)
    assert doubts.possible == (("x", "<->", "y"), ("z", "->", "x"))
    np.testing.assert_allclose(doubts.prior @ doubts.there, [0.5, 0.5])


def test_the_largest_candidates_hold_all_others():
    doubts = Doubts.parse("a ?-? b; b ?-? c; a ?-? c; c ?-> d")
    largest = [set(arrows_of(g)) for g in doubts.largest]
    assert len(largest) == 6  # orders of three variables
    for graph in doubts.candidates:
        assert any(set(arrows_of(graph)) <= arrows for arrows in largest)
    assert not any(x < y for x in largest for y in largest)


def test_lines_are_the_members_of_a_markov_equivalence_class():
    """Every class of DAGs over four variables: its CPDAG, found from its members, has exactly these as candidates."""
    members: dict[tuple, list[frozenset]] = {}
    pairs = list(itertools.combinations(range(4), 2))
    for ways in itertools.product((None, 1, -1), repeat=6):
        edges = [(a, b) if way == 1 else (b, a) for (a, b), way in zip(pairs, ways, strict=True) if way]
        graph = nx.DiGraph(edges)
        if not nx.is_directed_acyclic_graph(graph):
            continue
        skeleton = frozenset(map(frozenset, edges))
        colliders = frozenset(
            (frozenset((a, b)), c)
            for c in graph
            for a, b in itertools.combinations(graph.predecessors(c), 2)
            if frozenset((a, b)) not in skeleton
        )
        members.setdefault((skeleton, colliders), []).append(frozenset(edges))
    assert len(members) == 185  # known number of classes of four variables (Gillispie & Perlman 2001)
    for graphs in members.values():
        if len(graphs) == 1:
            continue
        common = frozenset.intersection(*graphs)
        lines = {frozenset(edge) for edges in graphs for edge in edges - common}
        text = [NAMES[0], *NAMES[1:], *(f"{NAMES[a]} -> {NAMES[b]}" for a, b in common)]
        text += [f"{NAMES[min(line)]} -- {NAMES[max(line)]}" for line in lines]
        doubts = Doubts.parse("; ".join(text))
        expected = {frozenset((NAMES[a], "->", NAMES[b]) for a, b in edges) for edges in graphs}
        assert as_dict(doubts).keys() == expected
        np.testing.assert_allclose(doubts.prior, 1 / len(expected))


def test_listed_graphs_become_doubtful_arrows_where_they_are_their_combinations():
    graphs = [Graph.parse("a -> b -> c"), Graph.parse("a -> b; c")]
    doubts = Doubts.among(graphs, [1, 3])
    assert not doubts.by_list
    assert doubts.arrows == (Doubt("b", "?->", "c", 0.25),)
    more = Doubts.among([*graphs, Graph.parse("b -> c; c -> a")])
    assert more.by_list
    assert len(more.candidates) == 3
    assert sum(more.prior) == pytest.approx(1)
    twice = Doubts.among([graphs[0], graphs[1], graphs[1]])
    np.testing.assert_allclose(twice.prior, [1 / 3, 2 / 3])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a ?1.5-> b", "1.5; it is above 0 and below 1"),
        ("a ?0-> b", "0; it is above 0 and below 1"),
        ("a ?-0.5-? b", "-0.5; it is above 0 and below 1"),
        ("a ?often-> b", "often is no probability"),
        ("a -> b; b ?-> a", "b ?-> a can be in no graph: the arrows form a cycle: a -> b -> a"),
        ("a -> b; b ?-> a", "write b -- a, or b ?-? a where it may not be there, in place of both"),
        ("a ?0,3-> b", "0,3 is no probability: it is written with a point and without %"),
        ("a ?30%-> b", "30% is no probability"),
        ("a ?0.3 -> b", "without spaces"),
        ("a -?> b", "in doubt ?->, ?-?, ?<->, --, @-> and @-@, with a probability ?0.3->"),
        ("Wait (min) -> b", "other names than plain words stand in quotes"),
        ("a -> b -> a; c ?-> a", "the arrows form a cycle"),
        ("a -- b; b -- c; c -- d; d -- a", "no graph is possible: every direction of a -- b, b -- c, c -- d, d -- a"),
        ("a -> b; a ?-? b", "a -> b is stated already"),
        ("a ?-> a", "cannot? cause itself|can neither cause itself"),
        ("a -> b", "no arrow is in doubt"),
    ],
)
def test_bad_doubts_are_errors_that_say_what_to_do(text, message):
    with pytest.raises(BestdoError, match=message.replace("?", r"\?") if "|" not in message else message):
        Doubts.parse(text)


def test_an_order_alone_or_nothing_at_all():
    doubts = Doubts.in_order([["a", "b"], "c", "y"], reward="y", known="a -> b; a ?0.3-> y")
    assert str(doubts) == "a -> b; a ?0.3-> y; a ?-> c; b ?-> c; b ?-> y; c ?-> y"
    assert Doubts.in_order([["a", "b", "y"]], reward="y").count == 25
    for order, known, message in (
        ("unknown", "", "an order is a list"),
        (["a", ["b", "a"]], "", "in the order twice"),
        (["a", "b"], "b -> a", "b -> a is against the order, in which 'a' is earlier"),
        (["a", "b"], "b ?0.3-> a", r"b \?-> a is against the order"),
    ):
        with pytest.raises(BestdoError, match=message):
            Doubts.in_order(order, known=known)


def test_too_many_graphs_are_refused_with_the_doubts_to_settle_first():
    names = [f"v{i}" for i in range(8)]
    text = "; ".join([*(f"{a} ?-? {b}" for a, b in itertools.combinations(names, 2)), "v0 <-> v7"])
    with pytest.raises(TooLarge, match=r"28 doubtful arrows .* settle about 21 of them, .*: v0 \?-\? v1, "):
        Doubts.parse(text, reward="v7")
    many = [f"v{i}" for i in range(11)]
    with pytest.raises(TooLarge, match="directions between 11 variables open; at most 10 are averaged over"):
        Doubts.parse("; ".join(f"{a} ?-? {b}" for a, b in itertools.combinations(many, 2)), reward="v7")
    values = {n: tuple("0123456789") for n in names}
    with pytest.raises(TooLarge, match=r"tables of [\d,]+ cells; at most 524,288 are counted"):
        Doubts.parse("; ".join(f"v0 ?-? {b}; {b} ?-> v1" for b in names[2:]), reward="v1", success="1", values=values)
    with pytest.raises(TooLarge, match=r"leave out those that can never matter to y: y .-> z0, "):
        Doubts.parse("; ".join(["x <-> y", *(f"y ?-> z{i}" for i in range(13))]), reward="y")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("a -> c", "'b' is in graph 1 and not in graph 2"),
        ("a -> b -> c", "'c' is in graph 2 and not in graph 1"),
    ],
)
def test_listed_graphs_have_the_same_variables(other, message):
    with pytest.raises(BestdoError, match=message):
        Doubts.among([Graph.parse("a -> b"), Graph.parse(other)])
    with pytest.raises(BestdoError, match="values of 'b' is"):
        Doubts.among([Graph.parse("a -> b"), Graph.parse("a; b", values={"b": ["x", "y"]})])
    with pytest.raises(BestdoError, match="reward is None in graph 1 and 'b' in graph 2"):
        Doubts.among([Graph.parse("a -> b"), Graph.parse("a; b", reward="b")])
    with pytest.raises(BestdoError, match="all the same"):
        Doubts.among([Graph.parse("a -> b"), Graph.parse("a -> b")])


def test_a_problem_in_doubt():
    doubts = Doubts.parse("x -> m -> y; x ?-> y", reward="y")
    problem = Problem(doubts, set=["x", "m"])
    assert problem.graph == doubts.graph
    assert problem.given(1).graph == doubts.candidates[1]
    assert problem.given(1).doubts is None
    assert [str(a) for a, can in zip(problem.actions, problem.contenders, strict=True) if can] == [
        "do(x=0)",
        "do(x=1)",
        "do(m=0)",
        "do(m=1)",
    ]
    assert not problem.given(1).contenders[:3].any()
    assert pickle.loads(pickle.dumps(problem)) == problem
    with pytest.raises(BestdoError, match="there are 2, from 0 to 1"):
        problem.given(2)
    with pytest.raises(BestdoError, match="no arrow of this problem is in doubt"):
        problem.given(0).given(0)
    with pytest.raises(BestdoError, match="about another graph"):
        Problem(doubts.sure, doubts=doubts)


def test_what_is_seen_first_is_not_caused_by_an_action_in_any_candidate():
    doubts = Doubts.parse("device -> sale; price -> sale; price ?-? device", reward="sale")
    with pytest.raises(BestdoError, match=r"what can be set causes it .price -> device."):
        Problem(doubts, set=["price"], first=["device"])


def test_a_number_is_a_cause_of_the_reward_in_no_candidate():
    variables = [bestdo.Variable("x"), bestdo.Variable("litres", number=bestdo.Number()), bestdo.Variable("m")]
    sure = Graph.of([*variables, bestdo.Variable("y")], [("x", "y"), ("x", "litres")], reward="y", success="1")
    assert len(Doubts.of(sure, [("litres", "?->", "m")]).candidates) == 2
    with pytest.raises(BestdoError, match="'litres' is a number and a cause of the reward"):
        Doubts.of(sure, [("litres", "?->", "m"), ("m", "?->", "y")])


def test_many_lines_end_in_words_and_in_time():
    chain = "; ".join(f"v{i} -- v{i + 1}" for i in range(30))
    assert len(Doubts.parse(chain).candidates) == 31
    ring = "; ".join(f"v{i} -- v{(i + 1) % 60}" for i in range(60))
    with pytest.raises(BestdoError, match="no graph is possible"):
        Doubts.parse(ring)
    with pytest.raises(TooLarge, match="4,000 doubtful arrows leave more graphs possible than 4,096"):
        Doubts.parse("; ".join(f"v{i} ?-> v{i + 1}" for i in range(4000)))


def test_doubts_are_drawn_dashed_in_notebooks_and_figures():
    doubts = Doubts.parse("x -> y; x ?0.3-> z; z ?-? y; x ?<-> y", reward="y")
    shown = doubts._repr_html_()
    assert shown.count("bd-arrow bd-doubt") == 2
    assert "in doubt: probability 0.3" in shown
    texts = [text.get_text() for text in doubts.plot().axes[0].texts]
    assert {"0.30", "0.67", "0.50"} <= set(texts)
    assert "bd-doubt" in bestdo.draw(doubts)


def test_compose_takes_doubts():
    doubts = Doubts.parse("x -> y; x ?<-> y")
    found = bestdo.compose(doubts, reward="y", success="1", set=["x"])
    assert found.problem.doubts is not None
    assert found.problem.doubts.graph.reward == "y"
    assert len(found.problem.actions) == 3
