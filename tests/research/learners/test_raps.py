"""RAPS: how many variables it tries, beside its authors' formula; what it decides from its counts; what it refuses."""

import math

import numpy as np
import pytest

from bestdo import Problem, World, do, learner
from bestdo.bandit.rounds import Plan
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.errors import NotValid
from bestdo.research.learners.raps import RAPS
from bestdo.research.statistics.values_by_action import ValuesByAction
from bestdo.simulate import final, parallel
from bestdo.testing import check_learner


def copying_tree(rng, nodes):
    """A random tree in which every variable copies its parent and the reward copies one of them; roots are 0."""
    names = [f"V{i}" for i in range(nodes)]
    arrows = [(names[int(rng.integers(i))], names[i]) for i in range(1, nodes)]
    cause = names[int(rng.integers(nodes))]
    variables = [*map(Variable, names), Variable("Y")]
    truth = Graph.of(variables, [*arrows, (cause, "Y")], reward="Y")
    known = Graph.of(variables, [(n, "Y") for n in names], reward="Y")
    tables = {n: [[1.0, 0.0], [0.0, 1.0]] if truth.parents[n] else [1.0, 0.0] for n in truth.names}
    actions = Actions(known, [do({n: v}) for n in names for v in "01"])
    return World(Problem(known, actions, all_compete=True), Model(truth, tables), mistaken=True), truth, cause


def expected_trials(graph, cause):
    """Σ_v 1 / (|An(v) △ An(P), without v| + 1), a variable being one of its own ancestors."""
    above = {n: set(graph.ancestors([n])) for n in graph.names if n != "Y"}
    return sum(1 / (len((above[v] ^ above[cause]) - {v}) + 1) for v in above)


@pytest.mark.parametrize("trees", [6, pytest.param(50, marks=pytest.mark.campaign)])
def test_it_tries_as_many_variables_as_its_authors_prove(trees):
    """Random trees of 4 to 20 variables, 100 lanes, all tests certain: the cause is always found; 4 sigma of the sum."""
    rng, made, off, variance = np.random.default_rng(0), RAPS(samples=1), 0.0, 0.0
    for tree in range(trees):
        world, graph, cause = copying_tree(rng, 4 + 5 * tree % 17)
        state = final(world, made, 2 * len(graph.names), 100, rng)
        assert (state.trying == -1).all()
        assert (state.cause == graph.names.index(cause)).all()
        off += state.tried.mean() - expected_trials(graph, cause)
        variance += state.tried.var() / 100
    assert abs(off) < 4 * math.sqrt(variance)


def test_counts_of_values_under_actions():
    world, rng = parallel([0.3, 0.6]), np.random.default_rng(1)
    statistic = ValuesByAction(world.problem)
    rounds = world.rounds(Plan(rng.integers(1, 6, size=(2, 5))), rng)
    values, plays = statistic.apart(statistic.tally(rounds, 2))
    names = world.problem.graph.names
    for lane in range(2):
        for a in range(5):
            own = np.flatnonzero((rounds.lane == lane) & (rounds.action == a))
            assert plays.weight[lane, a] == len(own)
            assert plays.reward[lane, a] == rounds.y[own].sum()
            for v in ("X1", "X2"):
                seen = rounds.x[own, names.index(v)]
                start = statistic.start[names.index(v)]
                assert values[lane, a, start : start + 2].tolist() == [(seen == 0).sum(), (seen == 1).sum()]


def test_rounds_of_a_value_by_the_proof():
    """Two variables of two values: 32 / 0.04 × ln(8 × 2 × 2 / 0.05) = 5169.2."""
    assert RAPS().rounds_of_a_value(parallel([0.3, 0.6]).problem) == 5170
    assert RAPS(samples=7).rounds_of_a_value(parallel([0.3, 0.6]).problem) == 7


def test_it_finds_the_cause_where_tests_are_not_certain_and_plays_it():
    """X1 moves the mean by 0.43, and the test is at 0.1, two standard errors with 200 rounds of a value."""
    world = parallel([0.3, 0.6], epsilon=0.3)
    state = final(world, RAPS(samples=200), 1000, 10, np.random.default_rng(0))
    assert (state.cause == 0).mean() >= 0.9
    best = learner("bestdo.research.learners.raps:RAPS", samples=200).best(state)
    assert np.mean([str(world.problem.actions[b]) == "do(X1=1)" for b in best]) >= 0.9


def test_the_contract_and_what_it_refuses():
    check_learner(RAPS(samples=3), horizon=25, lanes=2)
    graph = Graph.parse("A -> Y; B -> Y", reward="Y")
    for actions, words in (([do(A=1, B=0), do()], "no action sets exactly one"), ([do(A=1), do(B=0)], "all values")):
        with pytest.raises(NotValid, match=words):
            RAPS().start(Problem(graph, actions), 50, 1, np.random.default_rng(0))


def test_the_least_horizon_of_a_test_is_that_at_which_one_ends():
    """X2 has two values and X1 three: a test of X2 ends after 2 B rounds, with one round less none does, in 200 lanes."""
    variables = [Variable("X1", ("0", "1", "2")), Variable("X2"), Variable("Y")]
    graph = Graph.of(variables, [("X1", "Y"), ("X2", "Y")], reward="Y")
    model = Model(graph, {"X1": [0.2, 0.3, 0.5], "X2": [0.5, 0.5], "Y": np.full((3, 2, 2), 0.5)})
    world, made = World(Problem(graph, set=["X1", "X2"]), model), RAPS(samples=7)
    least = made.first_test(world.problem)
    assert least == 14
    tested = [final(world, made, horizon, 200, np.random.default_rng(0)).tried.max() for horizon in (least, least - 1)]
    assert tested == [2, 1]  # the variable that is being tried counts
