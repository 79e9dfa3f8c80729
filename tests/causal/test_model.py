import pickle

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Variable, do
from bestdo.causal import inference
from bestdo.errors import BestdoError, GraphError, TableError, TooLarge
from support import brute_force, random_graph, random_intervention, random_model


@pytest.mark.parametrize("seed", range(100))
def test_distributions_equal_brute_force(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 5, both=0.15, sizes=(2, 3))
    model = random_model(rng, graph, hidden_values=2)
    names = list(rng.permutation(model.graph.names))
    of = [str(n) for n in names[: rng.integers(1, 4)]]
    action = random_intervention(rng, model.graph)
    seen = {
        str(n): str(rng.choice(model.graph.variable(n).values))
        for n in names[3 : 3 + rng.integers(0, 3)]
        if n not in action
    }
    assert model.distribution(of, action, seen) == pytest.approx(brute_force(model, of, action, seen), abs=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_means_and_the_law_of_the_parents_equal_brute_force(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 5, both=0.15, sizes=(2, 3))
    model = random_model(rng, graph, hidden_values=2)
    actions = Actions.up_to(model.graph, 2)
    some = Actions(model.graph, [actions[i] for i in rng.permutation(len(actions))[: max(1, len(actions) // 3)]])
    for chosen in (actions, some):
        expected = [brute_force(model, ["Y"], a)[1] for a in chosen]
        assert model.means(chosen) == pytest.approx(np.array(expected), abs=1e-12)
        law = model.parent_law(chosen)
        assert law.parents == model.graph.parents["Y"]
        for a, row in zip(chosen, law.table, strict=True):
            assert row == pytest.approx(brute_force(model, law.parents, a), abs=1e-12)


@pytest.mark.parametrize("seed", range(100))
def test_means_of_one_value_of_a_reward_with_many_equal_brute_force(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 4, both=0.15, sizes=(2, 3))
    values = tuple("abcde"[: rng.integers(2, 6)])
    variables = tuple(Variable("Y", values) if v.name == "Y" else v for v in graph.variables)
    code = int(rng.integers(len(values)))
    model = random_model(rng, Graph(variables, dict(graph.parents), "Y", values[code]), hidden_values=2)
    actions = Actions.up_to(model.graph, 2)
    expected = [brute_force(model, ["Y"], a)[code] for a in actions]
    assert model.means(actions) == pytest.approx(np.array(expected), abs=1e-12)


def confounded():
    """Z -> X_1..5 -> Y with the numbers of the confounded example."""
    graph = Graph.parse("; ".join(f"Z -> X{i} -> Y" for i in range(1, 6)), reward="Y")
    reward = np.array([[0.2, 0.8], [0.3, 0.9]])
    tables = {"Z": [0.8, 0.2]}
    tables |= {f"X{i}": [[0.9, 0.1], [0.7, 0.3]] for i in (1, 2)}
    tables |= {f"X{i}": [[0.6, 0.4], [0.3, 0.7]] for i in (3, 4, 5)}
    tables["Y"] = np.array([[1 - reward[x[0], x[4]], reward[x[0], x[4]]] for x in np.ndindex(2, 2, 2, 2, 2)]).reshape(
        [2] * 6
    )
    return Model(graph, tables)


def test_known_means_of_the_confounded_example():
    model = confounded()
    actions = Actions(model.graph, [do({f"X{i}": v}) for v in "01" for i in range(1, 6)] + [do(Z=0), do(Z=1), do()])
    known = [0.476, 0.49, 0.49, 0.49, 0.214, 0.576, 0.49, 0.49, 0.49, 0.814, 0.45, 0.65, 0.49]
    assert model.means(actions) == pytest.approx(known, abs=1e-12)


def test_evidence_outside_the_adjustment_set():
    """The first case of pgmpy's issue 3543: the sprinkler, where 0.99 is right."""
    graph = Graph.parse("C -> S -> W; C -> R -> W", reward="W")
    tables = {
        "C": [0.5, 0.5],
        "S": [[0.5, 0.5], [0.9, 0.1]],
        "R": [[0.8, 0.2], [0.2, 0.8]],
        "W": [[[1.0, 0.0], [0.1, 0.9]], [[0.1, 0.9], [0.01, 0.99]]],
    }
    model = Model(graph, tables)
    assert model.distribution(["W"], do(S=1), {"R": "1"})[1] == pytest.approx(0.99, abs=1e-12)


def test_targets_that_are_parents_of_each_other():
    """The second case of pgmpy's issue 3543: C after do(A=0, B=1), where C = A and B or a coin."""
    graph = Graph.parse("A -> B; A -> C; B -> C", reward="C")
    tables = {
        "A": [0.6, 0.4],
        "B": [[0.7, 0.3], [0.2, 0.8]],
        "C": [[[0.5, 0.5], [0.5, 0.5]], [[0.5, 0.5], [0.0, 1.0]]],
    }
    model = Model(graph, tables)
    assert model.distribution(["C"], do(A=1, B=1))[1] == pytest.approx(1.0, abs=1e-12)
    assert model.distribution(["C"], do(A=0, B=1))[1] == pytest.approx(0.5, abs=1e-12)
    # both set: asking for the variables set gives them back
    assert model.distribution(["B", "A"], do(A=0, B=1)) == pytest.approx(np.array([[0, 0], [1, 0]]))


def test_values_are_frozen_hashable_and_pickle():
    model = confounded()
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert hash(again) == hash(model)
    with pytest.raises(ValueError, match="read-only"):
        model.tables["Z"][0] = 1
    assert "6 variables" not in str(model)
    assert str(model).startswith("Model of 7 variables: Z -> X1")


CHAIN = Graph.parse("A -> Y", reward="Y")


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"A": [0.5, 0.5]}, "missing: 'Y'"),
        (
            {"A": [0.5, 0.5], "Y": [0.5, 0.5]},
            r"shape \(2,\); expected \(2, 2\): one axis for each of 'A', 'Y'",
        ),
        ({"A": [0.5, 0.4], "Y": np.full((2, 2), 0.5)}, "'A' is 0.5, 0.4, which sums to 0.9"),
        ({"A": [0.5, 0.5], "Y": [[0.5, 0.5], [1.1, -0.1]]}, "'Y' given A=1 is 1.1, -0.1"),
        ({"A": [0.5, np.nan], "Y": np.full((2, 2), 0.5)}, "sums to nan"),
        ({"A": [np.inf, -np.inf], "Y": np.full((2, 2), 0.5)}, "'A' is inf, -inf"),
        ({"A": "half", "Y": np.full((2, 2), 0.5)}, "not an array of numbers"),
        ({"A": [0.5, 0.5], "Y": np.full((2, 2), 0.5), "B": [1]}, "unknown variable 'B'"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_tables_are_checked(tables, message):
    with pytest.raises(BestdoError, match=message):
        Model(CHAIN, tables)


def test_rows_that_were_rounded_are_made_exact():
    model = Model(CHAIN, {"A": [0.333333, 0.666666], "Y": np.full((2, 2), 0.5)})
    assert model.tables["A"].sum() == pytest.approx(1, abs=1e-15)


def test_a_table_with_34_parents_is_refused_by_its_size():
    graph = Graph.parse("; ".join(f"X{i} -> Y" for i in range(34)), reward="Y")
    with pytest.raises(TooLarge, match="34 parents would hold 34,359,738,368 numbers"):
        Model(graph, {n: [0.5, 0.5] for n in graph.names})


def grid(side):
    """A square grid of variables: its contraction grows with the side."""
    arrows = [f"N{i}_{j} -> N{i + 1}_{j}; N{i}_{j} -> N{i}_{j + 1}" for i in range(side) for j in range(side)]
    graph = Graph.parse("; ".join(arrows), reward=f"N{side}_{side - 1}")
    return random_model(np.random.default_rng(0), graph)


def test_a_contraction_that_does_not_fit_is_refused_before_it_starts(monkeypatch):
    model = grid(6)
    target = model.graph.reward
    assert model.distribution([target]).sum() == pytest.approx(1)
    monkeypatch.setattr(inference, "MOST_NUMBERS", 16)
    inference._steps.cache_clear()
    monkeypatch.setattr(inference, "_product", lambda *_: pytest.fail("it was started"))
    with pytest.raises(TooLarge, match=r"exact inference would need a table of \d+ numbers \(\S+ (bytes|kB)\) over 'N"):
        model.distribution([target])
    inference._steps.cache_clear()


def test_many_parents_with_one_value_do_no_harm():
    names = [f"X{i}" for i in range(55)]
    arrows = "; ".join(f"{n} -> Y" for n in [*names, "A"])
    graph = Graph.parse(arrows, reward="Y", values=dict.fromkeys(names, ("only",)))
    table = np.array([[0.2, 0.8], [0.6, 0.4]]).reshape(*[1] * 55, 2, 2)
    model = Model(graph, {**{n: [1.0] for n in names}, "A": [0.5, 0.5], "Y": table})
    actions = Actions(graph, [do(), do(A=1), do(X0="only"), do(X0="only", A=0)])
    assert model.means(actions) == pytest.approx([0.6, 0.4, 0.6, 0.8])
    assert model.distribution(["X1", "A"]) == pytest.approx(np.array([[0.5, 0.5]]))
    wide = Graph.parse("; ".join(f"X{i} -> Y" for i in range(70)), values={f"X{i}": ("only",) for i in range(70)})
    with pytest.raises(TooLarge, match="71 axes"):
        Model(wide, {n: [1.0] for n in wide.names})


def test_only_what_is_still_needed_is_kept(monkeypatch):
    model = grid(6)
    tables, _ = inference._multiply_all(model._factors([model.graph.reward], (), {}), (), model._sizes, keep=False)
    assert sum(t.size > 0 for t in tables) == 1
    monkeypatch.setattr(inference, "MOST_NUMBERS", 300)
    inference._steps.cache_clear()
    with pytest.raises(TooLarge, match="exact derivatives"):
        inference.derivatives(model._factors([model.graph.reward], (), {}), model._sizes)
    inference._steps.cache_clear()


def test_a_law_that_does_not_fit_is_refused():
    graph = Graph.parse("; ".join(f"X{i} -> Z{i // 20}" for i in range(60)) + "; Z0 -> Y", reward="Y")
    tables = {n: [0.5, 0.5] for n in graph.names if n.startswith("X")}
    tables |= {f"Z{k}": np.full([2] * 21, 0.5) for k in range(3)} | {"Y": np.full((2, 2), 0.5)}
    model = Model(graph, tables)
    with pytest.raises(TooLarge, match="joint law of 60 variables"):
        model.distribution([n for n in graph.names if n.startswith("X")])
    assert model.means(Actions.single(graph, on=["X0"])) == pytest.approx([0.5, 0.5, 0.5])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: m.distribution(["Q"]), "unknown variable 'Q'"),
        (lambda m: m.distribution(["A", "A"]), "asked for twice"),
        (lambda m: m.distribution(["A"], do(B=1)), "unknown variable 'B'"),
        (lambda m: m.distribution(["A"], do(A=7)), "unknown value '7'"),
        (lambda m: m.distribution(["Y"], do(A=1), {"A": "0"}), "cannot be set to '1' and seen as '0'"),
        (lambda m: m.distribution(["A"], given={"Y": "0"}), r"P\(Y=0 \| do\(\)\) is 0"),
        (lambda m: m.means(Actions.single(Graph.parse("B -> Y", reward="Y"))), "another graph"),
    ],
)
def test_requests_are_checked(ask, message):
    model = Model(CHAIN, {"A": [0.5, 0.5], "Y": [[0, 1], [0, 1]]})
    with pytest.raises(BestdoError, match=message):
        ask(model)


def test_evidence_may_be_numbers():
    model = Model(CHAIN, {"A": [0.5, 0.5], "Y": [[0.2, 0.8], [0.6, 0.4]]})
    assert model.distribution(["Y"], do(A=1), given={"A": 1}) == pytest.approx([0.6, 0.4])


def test_means_need_a_reward():
    graph = Graph.parse("A -> Y")
    model = Model(graph, {"A": [0.5, 0.5], "Y": [[0, 1], [0, 1]]})
    with pytest.raises(GraphError, match="need a reward"):
        model.means(Actions.single(graph))
    with pytest.raises(TableError, match="every variable"):
        Model(graph, {})


def test_the_law_of_a_model_with_fewer_arrows_is_of_the_parents_that_are_asked_for():
    rng = np.random.default_rng(1)
    graph = random_graph(rng, 4, arrows=1.0, both=0.0, last=True)
    fewer = Graph.of(
        graph.variables, [tuple(edge.split(" -> ")) for edge in graph.edges if edge != "V0 -> Y"], reward="Y"
    )
    law = random_model(rng, fewer).law_of(graph.parents["Y"], Actions.single(graph))
    assert law.parents == graph.parents["Y"] == ("V0", "V1", "V2")
    assert law.actions.graph == graph
