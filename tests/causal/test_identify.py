import os
import subprocess
import sys

import numpy as np
import pytest

from bestdo import Actions, Graph, Intervention, do
from bestdo.causal.formula import marginals_of
from bestdo.causal.identify import adjustment_set, identify, seeing_is_doing
from bestdo.errors import BestdoError, GraphError
from support import random_graph, random_intervention, random_model

NAPKIN = Graph.parse("W -> R -> X -> Y; W <-> X; W <-> Y", reward="Y")
FRONT_DOOR = Graph.parse("X -> Z -> Y; X <-> Y", reward="Y")
BOW = Graph.parse("X -> Y; X <-> Y", reward="Y")


def by_pyagrum(graph, names):
    import pyagrum
    import pyagrum.causal

    network = pyagrum.BayesNet()
    for n in graph.observed:
        network.add(pyagrum.LabelizedVariable(n, n, 2))
    for n in graph.observed:
        for p in graph.parents[n]:
            if p in graph.observed:
                network.addArc(p, n)
    network.generateCPTs()  # any tables: only whether there is a formula matters
    hidden = [(f"U{i}", list(graph.children[h])) for i, h in enumerate(graph.hidden)]
    causal = pyagrum.causal.CausalModel(network, hidden, True)  # True: keep the arcs between confounded variables
    _, answer, _ = pyagrum.causal.causalImpact(causal, on="Y", doing=set(names))
    return answer is not None


def by_y0(graph, names):
    from y0.algorithm.identify import Identification, Unidentifiable
    from y0.algorithm.identify import identify as y0_identify
    from y0.dsl import Variable
    from y0.graph import NxMixedGraph

    mixed = NxMixedGraph.from_str_edges(
        nodes=list(graph.observed),
        directed=[(p, n) for n in graph.observed for p in graph.parents[n] if p in graph.observed],
        undirected=[graph.children[h] for h in graph.hidden],
    )
    question = Identification.from_parts(outcomes={Variable("Y")}, treatments=set(map(Variable, names)), graph=mixed)
    try:
        y0_identify(question)
    except Unidentifiable:
        return False
    return True


def agrees_with_the_truth(rng, graph, action, found):
    model = random_model(rng, graph)
    truth = model.distribution(["Y"], action)
    return found.evaluate(model.distribution) == pytest.approx(truth, abs=1e-9)


def check_random_graphs(count, seed):
    """How many were identifiable, after comparing every answer with both libraries and with the truth."""
    rng = np.random.default_rng(seed)
    how = dict.fromkeys(["seeing", "adjusting", "formula", "doing"], 0)
    while sum(how.values()) < count:
        graph = random_graph(
            rng,
            int(rng.integers(3, 9)),
            rng.uniform(0.2, 0.6),
            rng.uniform(0.05, 0.3),
            last=rng.random() < 0.9,
        )
        action = Intervention({})
        while not action:
            action = random_intervention(rng, graph, most=2, spare=["Y"])
        found = identify(graph, action)
        if found.how == "seeing" and rng.random() < 0.8:
            continue  # the easy answer is the commonest: fewer of those
        assert found.identifiable == by_pyagrum(graph, action) == by_y0(graph, action), (str(graph), action)
        if found.identifiable:
            assert agrees_with_the_truth(rng, graph, action, found), (str(graph), action)
        else:
            assert found.hedge.inner < found.hedge.outer
            assert set(action) & (found.hedge.outer - found.hedge.inner)
        how[found.how] += 1
    return how


@pytest.mark.filterwarnings("ignore")
def test_200_random_graphs_agree_with_pyagrum_y0_and_the_truth():
    how = check_random_graphs(200, 0)
    assert all(n > 5 for n in how.values()), how  # every kind of answer was met


@pytest.mark.campaign
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", range(10))
def test_2000_random_graphs_agree_with_pyagrum_y0_and_the_truth(part):
    check_random_graphs(200, 1000 + part)


@pytest.mark.parametrize("seed", range(40))
def test_hidden_variables_with_parents_and_many_values(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 6, arrows=0.5, both=0.1, sizes=(2, 3), hidden=0.35)
    action = random_intervention(rng, graph, most=2, spare=["Y"])
    found = identify(graph, action)
    if found.identifiable:
        assert agrees_with_the_truth(rng, graph, action, found)


@pytest.mark.parametrize("graph", [NAPKIN, FRONT_DOOR], ids=["napkin", "front-door"])
@pytest.mark.parametrize("seed", range(10))
def test_napkin_and_front_door_give_the_truth(graph, seed):
    rng = np.random.default_rng(seed)
    for value in "01":
        found = identify(graph, do(X=value))
        assert found.how == "formula"
        assert agrees_with_the_truth(rng, graph, do(X=value), found)


def test_seeing_would_be_wrong_on_the_napkin():
    model = random_model(np.random.default_rng(0), NAPKIN)
    seen = model.distribution(["Y"], given={"X": "1"})
    assert np.abs(seen - model.distribution(["Y"], do(X=1))).max() > 1e-3


def test_formulas_print_as_mathematics():
    assert str(identify(FRONT_DOOR, do(X=1)).formula) == "Σ_{Z} P(Z | X) [Σ_{X′} P(X′) P(Y | X′, Z)]"
    assert str(identify(NAPKIN, do(X=1)).formula) == (
        "(Σ_{W} P(W) P(X | W, R) P(Y | W, R, X)) / (Σ_{Y′, W} P(W) P(X | W, R) P(Y′ | W, R, X)), for any R"
    )
    confounded = Graph.parse("C -> X -> Y; C -> Y", reward="Y")
    assert str(identify(confounded, do(X=1)).formula) == "Σ_{C} P(C) P(Y | X, C)"
    assert str(identify(confounded, do(C=1)).formula) == "P(Y | C)"
    assert str(identify(confounded, do()).formula) == "P(Y)"


def test_reasons_in_words():
    graph = Graph.parse("C -> X -> Y; C -> Y; D", reward="Y")
    assert identify(graph, do(X=1)).reason == "C causes both X and Y"
    among = Graph.parse("U -> X; U -> C -> Y; X -> Y", reward="Y", hidden=["U"])
    assert identify(among, do(X=1)).reason == "what connects X with Y, beside the effect, goes through C"
    assert identify(graph, do(C=1)).reason == (
        "nothing that causes C reaches Y in another way, so seeing is as good as setting"
    )
    assert identify(graph, do(D=1)).reason == "no chain of arrows leads from D to Y, so it changes nothing"
    assert "setting D as well changes nothing" in identify(graph, do(D=1, C=1)).reason
    bow = identify(BOW, do(X=1))
    assert bow.how == "doing"
    assert bow.hedge.outer == {"X", "Y"}
    assert "hidden causes shared by X and Y" in bow.reason
    assert str(bow).startswith("do(X=1), only by doing it: ")
    assert identify(BOW, "do(X=1)") == bow
    with pytest.raises(BestdoError, match="cannot be learned by watching"):
        bow.evaluate(lambda names: np.ones([2] * len(names)))
    with pytest.raises(GraphError, match="sets the reward itself"):
        identify(BOW, do(Y=1))
    with pytest.raises(GraphError, match="needs a reward"):
        identify(Graph.parse("A -> B"), do(A=1))


def test_formulas_do_not_depend_on_the_hash_seed():
    code = (
        "from bestdo import Graph, do, identify; g = Graph.parse('v0->v1->v2->v3; v0<->v1; v1<->v3', reward='v3');"
        "print(identify(g, do(v1=0)).formula)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "012345"
    }
    assert len(printed) == 1


def test_the_smallest_adjustment_set_is_taken():
    # X <- A <- B -> Y with three more ways round through A: A alone blocks all
    graph = Graph.parse("A -> X -> Y; A -> P -> Y; A -> Q -> Y; A -> R -> Y", reward="Y")
    assert adjustment_set(graph, frozenset(["X"])) == {"A"}
    assert identify(graph, do(X=1)).adjust == ("A",)
    assert adjustment_set(BOW, frozenset(["X"])) is None
    # a mediator must never be adjusted for
    assert adjustment_set(Graph.parse("C -> X -> M -> Y; C -> M", reward="Y"), frozenset(["X"])) == {"C"}


def test_seeing_is_doing_exactly_when_it_holds_in_random_models():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        graph = random_graph(rng, 5, both=0.2)
        model = random_model(rng, graph)
        for name in ("V0", "V1"):
            same = np.allclose(
                model.distribution(["Y"], do({name: "v1"})),
                model.distribution(["Y"], given={name: "v1"}),
                atol=1e-9,
            )
            assert same == seeing_is_doing(graph, frozenset([name]))


def test_counts_with_lanes_and_what_was_never_seen():
    rng = np.random.default_rng(0)
    model = random_model(rng, Graph.parse("C -> X -> Y; C -> Y", reward="Y"))
    graph, names = model.graph, model.graph.names
    rows = model.sample(Actions(graph, [do()]), np.zeros((3, 200_000), int), rng)
    tables = np.zeros((3, 2, 2, 2))
    for lane in range(3):
        np.add.at(tables[lane], tuple(rows[lane].T), 1)
    found = identify(graph, do(X=1))
    estimates = found.evaluate(marginals_of(names, tables))
    assert estimates.shape == (3, 2)
    # 4 standard errors of an adjusted mean with 200,000 rows are below 0.01
    assert estimates == pytest.approx(np.tile(model.distribution(["Y"], do(X=1)), (3, 1)), abs=0.01)
    single = found.evaluate(marginals_of(names, tables[1]))
    assert single == pytest.approx(estimates[1], abs=1e-15)
    tables[2, 0, 1] = 0  # in the last lane X=1 was never seen with C=0
    again = found.evaluate(marginals_of(names, tables))
    assert np.isnan(again[2]).all()
    assert again[:2] == pytest.approx(estimates[:2])
    tables[2, 0] = 0  # C=0 itself never happens: then it does not matter
    assert found.evaluate(marginals_of(names, tables))[2].sum() == pytest.approx(1)
