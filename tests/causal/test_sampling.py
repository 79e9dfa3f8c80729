import numpy as np
import pytest

from bestdo import Actions, Graph, Model, do
from bestdo.causal import sampling
from bestdo.errors import ActionError
from support import brute_force, random_graph, random_model

ROUNDS = 40_000
SIGMA = 4.5  # about 400 cells are compared: one in 300 such runs would exceed this by chance; the seed is fixed


def worst_deviation(model, rows, actions, plays):
    """The largest distance, in standard errors, between what was sampled and the exact joint of all variables."""
    worst = 0.0
    for i, action in enumerate(actions):
        expected = brute_force(model, model.graph.names, action)
        mine = rows[plays == i]
        counts = np.zeros(expected.shape)
        np.add.at(counts, tuple(mine.T), 1)
        assert not counts[expected == 0].any()
        error = np.sqrt(expected * (1 - expected) * len(mine))
        worst = max(worst, float(np.max(np.abs(counts - len(mine) * expected)[error > 0] / error[error > 0])))
    return worst


def play(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 4, arrows=0.7, both=0.2, sizes=(2, 3))
    model = random_model(rng, graph, hidden_values=2)
    actions = Actions(model.graph, [do(), do(V0=model.graph.variable("V0").values[1]), do(V1="v0", V2="v1")])
    plays = rng.integers(0, 3, size=(4, 3 * ROUNDS // 4))
    rows = model.sample(actions, plays, rng)
    assert rows.shape == (*plays.shape, len(model.graph.names))
    assert rows.dtype == np.int8
    return worst_deviation(model, rows.reshape(-1, rows.shape[-1]), actions, plays.reshape(-1))


@pytest.mark.parametrize("seed", range(5))
def test_rows_have_the_exact_law_under_a_mix_of_interventions(seed):
    assert play(seed) < SIGMA


def test_the_test_above_fails_on_a_sampler_that_is_slightly_wrong(monkeypatch):
    right = sampling.columns
    monkeypatch.setattr(sampling, "columns", lambda *a: right(*a)._replace(limits=right(*a).limits * 0.98))
    assert play(0) > SIGMA


def test_the_same_generator_gives_the_same_rows():
    model = random_model(np.random.default_rng(1), Graph.parse("A -> B -> Y", reward="Y"))
    actions = Actions.single(model.graph)
    plays = np.arange(len(actions)).repeat(50)
    one, two = (model.sample(actions, plays, np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(one, two)


def test_what_is_set_is_set():
    model = random_model(np.random.default_rng(1), Graph.parse("A -> B -> Y", reward="Y"))
    actions = Actions.single(model.graph)
    plays = np.arange(len(actions)).repeat(50)
    rows = model.sample(actions, plays, np.random.default_rng(7))
    forced = actions.codes[plays]
    assert (rows[forced >= 0] == forced[forced >= 0]).all()


def test_many_values_need_a_wider_integer():
    graph = Graph.parse("A -> Y", reward="Y", values={"A": [str(i) for i in range(300)]})
    model = Model(graph, {"A": np.full(300, 1 / 300), "Y": np.full((300, 2), 0.5)})
    rows = model.sample(Actions.single(graph, on=["A"]), np.array([300, 0]), np.random.default_rng(0))
    assert rows.dtype == np.int16
    assert rows[0, 0] == 299


@pytest.mark.parametrize("plays", [[99], [-1], [1.5]])
def test_plays_that_are_no_actions_are_refused(plays):
    model = random_model(np.random.default_rng(1), Graph.parse("A -> Y", reward="Y"))
    with pytest.raises(ActionError, match="plays are numbers of actions"):
        model.sample(Actions.single(model.graph), np.array(plays), np.random.default_rng(0))


def test_no_rounds_is_no_rows():
    model = random_model(np.random.default_rng(1), Graph.parse("A -> Y", reward="Y"))
    assert model.sample(Actions.single(model.graph), np.zeros((3, 0), int), np.random.default_rng(0)).shape == (3, 0, 2)
