"""The variance of a formula's value on counts, against many repetitions."""

import numpy as np
import pytest

from bestdo import do
from bestdo.causal.formula import P, marginals_of, variables, variance
from bestdo.causal.identify import identify
from bestdo.research.worlds.confounded_worlds import front_door, napkin

LANES, ROUNDS = 4000, 5000


def test_of_a_conditional_it_is_that_of_a_mean():
    table = np.array([[[30.0, 10.0], [5.0, 15.0]]])  # (X, Y)
    found = variance(P(("Y",), ("X",)), ["X", "Y"], table)  # float[1, Y, X]
    assert found[0, 1] == pytest.approx([0.25 * 0.75 / 40, 0.75 * 0.25 / 20], rel=1e-6)


def test_all_variables_of_a_formula_are_named():
    graph = front_door().problem.graph
    assert set(variables(identify(graph, do(X="a")).formula)) == {"X", "M", "Y"}
    assert set(variables(identify(napkin().problem.graph, do(X="a")).formula)) == {"W", "R", "X", "Y"}


@pytest.mark.parametrize(
    ("world", "action"),
    [(front_door, do(X="a")), (front_door, do(M="mid")), (napkin, do(X="a")), (napkin, do(W="1")), (napkin, do(R="0"))],
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_it_is_the_variance_of_repetitions(world, action):
    # 4,000 repetitions: the spread of a variance is 2.2 %, so 10 % is 4.5 sigma
    world = world()
    graph = world.problem.graph
    answer = identify(graph, action)
    names = [n for n in graph.names if n in variables(answer.formula)]
    chance = world.model.distribution(names)
    table = np.random.default_rng(0).multinomial(ROUNDS, chance.ravel(), LANES).reshape(LANES, *chance.shape) * 1.0
    value = answer.evaluate(marginals_of(names, table))[:, 1]
    found = answer.at(variance(answer.formula, names, table[:200]))[:, 1]
    assert found.mean() == pytest.approx(value.var(), rel=0.1)
    assert value.mean() == pytest.approx(world.means[world.problem.actions.index(action)], abs=0.01)
