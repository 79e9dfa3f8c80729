"""Variables that are numbers, or are measured in numbers and cut; and the exact means of models with numbers."""

import itertools
import math
import pickle

import numpy as np
import pytest

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.number import Number, grid_labels, read_number
from bestdo.causal.outcome import Outcome
from bestdo.errors import GraphError, NoAim, TableError
from bestdo.simulate.world import World


@pytest.mark.parametrize(
    ("written", "number"),
    [("12.5", 12.5), ("12,5", 12.5), (" -3 ", -3), ("1e3", 1000), (",5", 0.5), (7, 7), (0.1, 0.1)],
)
def test_numbers_are_read_as_people_write_them(written, number):
    assert read_number("yield", written) == number


@pytest.mark.parametrize(
    "written", ["", "nan", "inf", "-Infinity", "1e999", "twelve", "1.2.3", "1,000.5", "٣", True, math.nan, "9" * 10**6]
)
def test_what_is_no_number_is_refused(written):
    with pytest.raises(GraphError, match="yield"):
        read_number("yield", written)


def test_a_number_outside_its_bounds_is_refused():
    yields = Variable("yield", number=Number(0, 12))
    assert [yields.code(v) for v in ("0", "12", "3,5")] == [0, 0, 0]
    with pytest.raises(GraphError, match="at least 0 and at most 12"):
        yields.code("12.1")
    for low, high, spread in ((3, 3, None), (math.nan, 1, None), (0, 1, 0), (True, 2, None)):
        with pytest.raises(GraphError):
            Number(low, high, spread)


def test_a_cut_variable_takes_numbers_and_names():
    heat = Variable("heat", ("cold", "mild", "hot"), cut=(10, 18.5))
    assert [heat.code(v) for v in ("9.99", "10", "18,4", "18.5", "hot", -40)] == [0, 1, 1, 2, 2, 0]
    with pytest.raises(GraphError, match="must be cold or mild or hot, or a number"):
        heat.code("warm")
    for values, cut in ((("a", "b"), (2, 1)), (("a", "b", "c"), (1, 1)), (("a", "b"), (1, 2)), (("1", "2"), (1,))):
        with pytest.raises(GraphError):
            Variable("heat", values, cut=cut)


def test_a_number_needs_an_aim():
    variables, arrows = [Variable("A"), Variable("Y", number=Number(-2, 6))], [("A", "Y")]
    with pytest.raises(NoAim, match="large or as small"):
        Graph.of(variables, arrows, reward="Y")
    small = Graph.of(variables, arrows, reward="Y", aim="minimise")
    assert (small.span, small.bounds) == ((6, -2), (-2, 6))
    assert small.in_unit(0.25) == 4
    assert pickle.loads(pickle.dumps(small)) == small
    for more in ({"success": "1"}, {"worth": (("1", 2.0),)}, {"aim": "more"}):
        with pytest.raises(GraphError):
            Graph.of(variables, arrows, **{"reward": "Y", "aim": "maximise", **more})
    assert Graph.parse("A -> Y", reward="Y").rewarding("Y", worth={"0": 1, "1": 3}, aim="minimise").span == (3, 1)


def random_model(rng, shape):
    names = [f"V{i}" for i in range(int(rng.integers(2, 5)))]
    sizes = rng.integers(2, 4, len(names))
    variables = [Variable(n, tuple("abc"[:size])) for n, size in zip(names, sizes, strict=True)]
    arrows = [(a, b) for a, b in itertools.combinations(names, 2) if rng.random() < 0.6]
    arrows += [(n, "Y") for n in names if rng.random() < 0.7]
    graph = Graph.of([*variables, Variable("Y", number=Number())], arrows, reward="Y", aim="minimise")
    tables = {}
    for v in variables:
        shape_ = [graph.size(p) for p in graph.parents[v.name]]
        tables[v.name] = rng.dirichlet(np.ones(len(v.values)), shape_ or None)
    rows = [graph.size(p) for p in graph.parents["Y"]]
    mean = rng.uniform(1, 5, rows)
    return Model(graph, tables, {"Y": Outcome(mean, mean * rng.uniform(1, 2, rows), shape)})


def by_hand(model, action):
    graph, total = model.graph, 0.0
    names = [n for n in graph.names if n != "Y"]
    for values in itertools.product(*(range(graph.size(n)) for n in names)):
        at = dict(zip(names, values, strict=True))
        if any(graph.variable(n).code(v) != at[n] for n, v in action.items()):
            continue
        chance = math.prod(
            model.tables[n][(*(at[p] for p in graph.parents[n]), at[n])] for n in names if n not in action
        )
        total += chance * model.numbers["Y"].mean[tuple(at[p] for p in graph.parents["Y"])]
    return total


@pytest.mark.parametrize("seed", range(100))
def test_the_means_are_those_of_the_exact_mixture(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, ["normal", "lognormal", "zeros"][seed % 3])
    names = [n for n in model.graph.names if n != "Y"]
    actions = Actions(model.graph, [do(), *(do({n: "b"}) for n in names), do({names[0]: "a", names[-1]: "b"})])
    np.testing.assert_allclose(model.means(actions), [by_hand(model, a) for a in actions], rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", ["normal", "lognormal", "counts", "zeros", "beta"])
def test_drawn_numbers_have_their_mean_and_spread(shape):
    """4 sigma of 200,000 draws; with the spread in the place of the variance it fails for every shape."""
    number = Number(0, 10) if shape == "beta" else Number()
    mean, spread = np.array([2.0, 5.0]), np.array([2.5, 5.5]) if shape != "beta" else np.array([1.0, 2.0])
    outcome = Outcome(mean, spread, shape)
    rng = np.random.default_rng(7)
    for row in (0, 1):
        drawn = outcome.draw(np.full(200_000, row), rng, number.bounds)
        assert abs(drawn.mean() - mean[row]) < 4 * spread[row] / 200_000**0.5
        fourth = ((drawn - drawn.mean()) ** 4).mean()
        error = math.sqrt((fourth - drawn.var() ** 2) / 200_000)
        assert abs(drawn.var() - spread[row] ** 2) < 4 * error
    if shape == "counts":
        assert (drawn == np.round(drawn)).all()


def test_outcomes_that_cannot_be():
    graph = Graph.of([Variable("A"), Variable("Y", number=Number())], [("A", "Y")], reward="Y", aim="maximise")
    tables = {"A": [0.5, 0.5]}
    for outcome in (
        Outcome([1, 2], [1, 0]),
        Outcome([0, 2], [1, 1], "lognormal"),
        Outcome([3, 2], [1, 5], "zeros"),
        Outcome([9, 2], [1, 5], "counts"),
        Outcome([9, 2], [1, 5], "beta"),
        Outcome([9, 2], [1, 5], "cauchy"),
        Outcome([1, 2, 3], [1, 1, 1]),
        Outcome([math.nan, 2], 1),
        Outcome("two", 1),
    ):
        with pytest.raises(TableError, match="'Y'"):
            Model(graph, tables, {"Y": outcome})
    with pytest.raises(TableError, match="missing: 'Y'"):
        Model(graph, tables)
    with pytest.raises(TableError, match="'A' is given a mean"):
        Model(graph, tables, {"Y": Outcome([1, 2], 1), "A": Outcome(1, 1)})


def test_a_world_shows_numbers_as_learners_have_them():
    """Means within 4 sigma of 40,000 rounds, on the learners' scale, on which more is better."""
    graph = Graph.of([Variable("A"), Variable("Y", number=Number(0, 10))], [("A", "Y")], reward="Y", aim="minimise")
    model = Model(graph, {"A": [0.5, 0.5]}, {"Y": Outcome([2, 5], 1, "beta")})
    world = World(Problem(graph, Actions(graph, [do(), do(A=0), do(A=1)])), model)
    np.testing.assert_allclose(world.means, [3.5, 2, 5])
    np.testing.assert_allclose(world.gains, [-3.5, -2, -5])
    rounds = world.rounds(Plan(np.full((1, 3), 40_000)), np.random.default_rng(1))
    for action, (mean, spread) in enumerate([(0.65, 0.1803), (0.8, 0.1), (0.5, 0.1)]):
        assert abs(rounds.y[rounds.action == action].mean() - mean) < 4 * spread / 200


def test_numbers_whose_squares_are_not_finite_are_refused():
    for number in (1e101, -1e308, "1e200", 10**400, float("inf"), float("nan")):
        with pytest.raises(GraphError, match="at most 1e\\+100 in size"):
            read_number("y", number)
    for bounds in ({"low": -1e308, "high": 1e308}, {"high": 1e101}, {"spread": 1e308}, {"low": float("nan")}):
        with pytest.raises(GraphError, match="at most 1e\\+100 in size"):
            Number(**bounds)
    with pytest.raises(GraphError, match="at least 1e-40"):
        Number(spread=1e-300)
    with pytest.raises(GraphError, match="at most 1e\\+100 in size"):
        grid_labels(-1e308, 1e308, 3)
    assert (read_number("y", "-1e100") / 1e-40) ** 2 < float("inf")


def test_a_word_that_is_no_value_is_answered_with_what_can_be_told():
    with pytest.raises(GraphError, match=r"'soil' is 'damp'; it must be dry or wet, or a number in % \(cut at 18\)"):
        Variable("soil", ("dry", "wet"), cut=(18,), unit="%").code("damp")
