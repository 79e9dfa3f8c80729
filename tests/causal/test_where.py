import itertools
import json

import networkx as nx
import numpy as np
import pytest

from bestdo import Actions, Graph, Variable, do
from bestdo.causal.where import dominated, minimal_sets, possibly_optimal_sets
from bestdo.errors import GraphError, TooLarge
from support import DATA, random_graph, random_model

NAMED = json.loads((DATA / "pomis_named.json").read_text())
RANDOM = json.loads((DATA / "pomis_random.json").read_text())


@pytest.mark.parametrize("case", NAMED, ids=lambda c: c["name"])
def test_named_graphs(case):
    names = dict.fromkeys(n for e in [*case["directed"], *case["bidirected"], [case["reward"]]] for n in e)
    graph = Graph.of(map(Variable, names), map(tuple, case["directed"]), map(tuple, case["bidirected"]), case["reward"])
    found = possibly_optimal_sets(graph, fixed=case.get("not_manipulable", ()))
    assert set(found) == {frozenset(s) for s in case["pomis"]}
    assert len(found) == len(set(found))
    if "n_mis" in case:
        assert len(minimal_sets(graph)) == case["n_mis"]


def test_random_graphs():
    for case in RANDOM:
        graph = Graph.of(map(Variable, case["V"]), map(tuple, case["E"]), map(tuple, case["B"]), "Y")
        assert set(possibly_optimal_sets(graph)) == {frozenset(s) for s in case["pomis"]}
        assert len(minimal_sets(graph)) == case["n_mis"]


def by_definition(graph):
    """Minimal and possibly-optimal sets by trying every set, with networkx and no code of the library."""
    arrows = nx.DiGraph()
    arrows.add_nodes_from(graph.observed)
    arrows.add_edges_from((p, c) for c in graph.observed for p in graph.parents[c] if p in graph.observed)
    pairs = [graph.children[h] for h in graph.hidden]
    minimal, optimal = set(), set()
    others = [n for n in graph.observed if n != "Y"]
    for size in range(len(others) + 1):
        for chosen in map(frozenset, itertools.combinations(others, size)):
            cut = arrows.copy()
            cut.remove_edges_from([(a, b) for a, b in arrows.edges if b in chosen])
            above = nx.ancestors(cut, "Y") | {"Y"}
            if not chosen <= above:
                continue
            minimal.add(chosen)
            both = nx.Graph()
            both.add_nodes_from(above)
            both.add_edges_from((a, b) for a, b in pairs if {a, b} <= above and not {a, b} & chosen)
            inside = cut.subgraph(above)
            territory = {"Y"}
            while True:
                wider = set().union(*(nx.node_connected_component(both, n) for n in territory))
                wider |= set().union(*(nx.descendants(inside, n) for n in wider))
                if wider == territory:
                    break
                territory = wider
            border = {p for n in territory for p in inside.predecessors(n)} - territory
            if border == chosen:
                optimal.add(chosen)
    return minimal, optimal


def graphs(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield (
            rng,
            random_graph(rng, int(rng.integers(2, 7)), arrows=rng.uniform(0.2, 0.7), both=rng.uniform(0, 0.5)),
        )


def test_brute_force_from_the_definition_on_500_random_graphs():
    for _, graph in graphs(500, 0):
        minimal, optimal = by_definition(graph)
        assert set(minimal_sets(graph)) == minimal
        assert set(possibly_optimal_sets(graph)) == optimal


def test_too_many_sets_are_not_listed():
    graph = Graph.parse("; ".join(f"X{i} -> Y" for i in range(25)), reward="Y")
    with pytest.raises(TooLarge, match="more than 200,000"):
        minimal_sets(graph)


def test_variables_that_cannot_be_set_are_projected_out_first():
    front_door = Graph.parse("X -> Z -> Y; X <-> Y", reward="Y")
    assert possibly_optimal_sets(front_door) == [frozenset(), frozenset("Z")]
    assert possibly_optimal_sets(front_door, fixed=["Z"]) == [frozenset(), frozenset("X")]
    for _, graph in graphs(100, 1):
        fixed = graph.observed[:1] if graph.observed[0] != "Y" else ()
        assert set(possibly_optimal_sets(graph, fixed)) == by_definition(graph.projected(fixed))[1]
    with pytest.raises(GraphError, match="unknown variable 'Q'"):
        possibly_optimal_sets(front_door, fixed=["Q"])


def test_with_every_setting_allowed_what_is_not_dominated_is_possibly_optimal():
    for _, graph in graphs(150, 2):
        actions = Actions.up_to(graph, len(graph.observed))
        left = {frozenset(a) for a in actions} - {frozenset(a) for a in dominated(actions)}
        assert left == set(possibly_optimal_sets(graph))


def test_a_dominated_action_is_never_better_in_any_model():
    checked = 0
    for rng, graph in graphs(150, 3):
        every = list(Actions.up_to(graph, 2))
        chosen = Actions(graph, [every[i] for i in sorted(rng.permutation(len(every))[: max(2, 2 * len(every) // 3)])])
        found = dominated(chosen)
        assert len(found) < len(chosen)
        for _ in range(5):
            model = random_model(rng, graph, concentration=0.5)
            wide = Actions(model.graph, list(chosen))
            means = dict(zip(wide, model.means(wide), strict=True))
            kept = max(m for a, m in means.items() if a not in found)
            assert kept == pytest.approx(max(means.values()), abs=1e-12)
            for d in found.values():
                assert means[d.action] <= max(means[a] for a in d.by) + 1e-12
                checked += 1
    assert checked > 1000


def test_reasons_in_words():
    graph = Graph.parse("A -> B -> Y; C -> Y; D", reward="Y")
    found = dominated(Actions.up_to(graph, 2))
    assert found[do(B=0)].reason == "it leaves C to chance; setting that to its best value is at least as good"
    assert found[do(A=0, B=1)].reason == "setting A changes nothing once B is set"
    single = dominated(Actions.single(graph))
    assert single[do(A=1)].reason == "it acts only through B; setting that to its best value is at least as good"
    assert single[do(A=1)].by == (do(B=0), do(B=1))
    assert single[do(D=1)].reason == "setting D changes nothing"
    assert single[do()].reason == "it leaves B to chance; setting that to its best value is at least as good"
    assert do(B=0) not in single
    assert do(C=0) not in single
