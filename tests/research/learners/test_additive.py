"""MODL: its numbers of rounds beside its authors', what it drops, where it stops, and what it refuses."""

import itertools
import math

import numpy as np
import pytest

from bestdo import Problem, World, do, learner
from bestdo.bandit.request import Request
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.errors import NotValid
from bestdo.research.figures.modl_rounds import THEIRS, modl_rounds
from bestdo.research.learners.additive import MODL
from bestdo.simulate import final
from bestdo.testing import check_learner

EPSILON, DELTA, BOUND = 0.5, 0.1, 50.0
"""Of its authors' experiment."""


@pytest.fixture(scope="module")
def world():
    """Three variables, of 2, 3 and 2 values, add 0, 0.3; 0, 0.1, 0.4; and nothing, to 0.1; all settings are actions."""
    variables = [Variable("A"), Variable("B", ("0", "1", "2")), Variable("C"), Variable("Y")]
    graph = Graph.of(variables, [(n, "Y") for n in "ABC"], reward="Y")
    add = np.add.outer(np.add.outer([0.0, 0.3], [0.0, 0.1, 0.4]), [0.0, 0.0]) + 0.1
    tables = {"A": [0.5, 0.5], "B": [0.2, 0.3, 0.5], "C": [0.9, 0.1], "Y": np.stack([1 - add, add], axis=-1)}
    actions = [do(A=a, B=b, C=c) for a, b, c in itertools.product("01", "012", "01")]
    return World(Problem(graph, Actions(graph, actions)), Model(graph, tables))


@pytest.mark.parametrize("seeds", [1, pytest.param(5, marks=pytest.mark.campaign)])
def test_it_takes_as_many_rounds_as_its_authors_measured(seeds):
    """On their worlds, within three standard errors of the mean over worlds; half the rounds in a phase would be 30 off."""
    for name, (rounds, lost) in modl_rounds(seeds, np.random.default_rng(0)).items():
        error = rounds.mean(axis=1).std(ddof=1) / math.sqrt(20)
        assert abs(rounds.mean() - THEIRS[name]) < 3 * error, (name, rounds.mean(), error)
        assert (lost < EPSILON).mean() > 1 - DELTA


def test_phases_by_the_formula():
    """bound / ε = 100, so p = 7; the last width is ε / 4 × 2 = 0.25: 4 × 45 × ln 70 / 0.0625 = 12,235.7."""
    made = MODL(epsilon=EPSILON, delta=DELTA, spread=1.0, bound=BOUND)
    assert made.phases == 7
    assert made.rounds_of_phase(7, 45) == 12_236
    assert made.rounds_of_phase(6, 45) == 3_059


def test_without_noise_it_drops_exactly_what_is_worse_by_the_width():
    """Effects 0, 0.3, 1 and 0, 0.2: with ε = 0.5 the last width is 0.25, and 0.2 is within it."""
    effects = [np.array([0.0, 0.3, 1.0]), np.array([0.0, 0.2])]
    found = MODL(epsilon=0.5, spread=1.0, bound=2.0).search(
        lambda x: effects[0][x[:, 0]] + effects[1][x[:, 1]], [3, 2], np.random.default_rng(0)
    )
    assert [each.tolist() for each in found.left] == [[2], [0, 1]]
    assert found.best.tolist() == [2, 1]


def test_it_stops_when_it_is_sure_and_is_within_epsilon(world):
    """δ = 0.1: 40 lanes, at most 10 of them wrong (3 sigma above 4); the variable without an effect is not decided."""
    made = MODL(epsilon=0.2)
    state = final(world, made, 100_000, 40, np.random.default_rng(1))
    assert (state.counts.played.sum(axis=1) < 100_000).all()
    assert (world.means.max() - world.means[made.best(state)] > 0.2).sum() <= 10
    assert "within 0.2 of the best" in made.certainty(state)
    first = made.start(world.problem, 100, 1, np.random.default_rng(0))
    assert made.certainty(first) == "not sure yet: 7 of 7 values of 3 variables are left"


def test_estimates_are_sums_of_effects(world):
    """200 rounds are fewer than a phase: nothing is dropped, and all 12 settings have means from the same 7 effects."""
    made = MODL(epsilon=0.02, bound=0.04)
    state = final(world, made, 200, 200, np.random.default_rng(2))
    found = made.estimates(state)
    assert not found.dropped.any()
    by_setting = found.mean.reshape(200, 2, 3, 2)
    assert np.ptp(by_setting[:, 1] - by_setting[:, 0], axis=(1, 2)).max() < 1e-9
    assert np.abs(found.mean.mean(axis=0) - world.means).max() < 4 * found.mean.std(axis=0).max() / math.sqrt(200)
    held = ((found.low <= world.means) & (world.means <= found.high)).mean()
    assert held > 0.95


def test_the_contract_and_what_it_refuses(world):
    check_learner(MODL(epsilon=0.4, delta=0.5), world, horizon=70, lanes=2)
    graph = world.problem.graph
    with pytest.raises(NotValid, match="every setting of all variables"):
        learner("bestdo.research.learners.additive:MODL").start(Problem(graph), 50, 1, np.random.default_rng(0))
    problem = Problem(graph, Actions(graph, [*world.problem.actions, do()]), all_compete=True)
    state = MODL().start(problem, 50, 2, np.random.default_rng(0))
    assert MODL().ask(state, Request(), np.random.default_rng(0)).counts[:, -1].sum() == 0
    listed = Problem(graph, set=["A", "B", "C"], at_most=3)  # of which the smaller settings cannot be the best
    counts = (
        MODL().ask(MODL().start(listed, 50, 2, np.random.default_rng(0)), Request(), np.random.default_rng(0)).counts
    )
    assert {len(listed.actions[a]) for a in np.flatnonzero(counts.any(axis=0))} == {3}
