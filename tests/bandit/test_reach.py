"""The reach of means: 0 to 1 between bounds, and what was seen takes their place without them."""

import math

import numpy as np

from bestdo import Graph, Number, Variable
from bestdo.bandit.reach import Anywhere, Within, reach_of
from bestdo.causal.reward import SuccessReward

VALUES = np.array([[0.25, -np.inf, 1000.125, 500.0]])


def _graph(number, aim="maximise"):
    return Graph((Variable("x"), Variable("y", number=number)), {"y": ("x",)}, "y", aim=aim)


def test_both_bounds_or_none():
    assert isinstance(reach_of(Graph.parse("x -> y", reward="y")), Within)
    assert isinstance(reach_of(_graph(Number(0, 10))), Within)
    for number in (Number(), Number(low=0), Number(spread=2)):  # one bound is none
        assert isinstance(reach_of(_graph(number)), Anywhere)


def test_ends_are_in_the_unit_of_the_reward():
    graph = _graph(Number(2, 10), "minimise")
    assert reach_of(graph).ends(graph.rewarded) == (2.0, 10.0)
    graph = _graph(Number(low=0))
    assert reach_of(graph).ends(graph.rewarded) == (-math.inf, math.inf)


def test_ties_are_shares_of_the_range_without_bounds():
    np.testing.assert_array_equal(Within().rounded(VALUES, 1), [[0.2, -np.inf, 1000.1, 500.0]])
    np.testing.assert_array_equal(Anywhere().rounded(VALUES[:, [0, 2, 3]], 1), [[0.0, 1.0, 0.5]])
    assert Within().length(VALUES) == 1
    assert Anywhere().length(VALUES) == 999.875


def test_what_was_seen_takes_the_place_of_bounds():
    n, s = np.array([[2.0, 0.0]]), np.array([[6.0, 0.0]])
    np.testing.assert_array_equal(Within().means(n, s), [[3.0, 0.0]])
    np.testing.assert_array_equal(Anywhere().means(n, s), [[3.0, 3.0]])
    assert (Within().width(np.array([[4.0]])), Anywhere().width(np.array([[4.0]]))) == (1, 4)
    np.testing.assert_array_equal(Within().top(n, s), [[1.0]])
    np.testing.assert_array_equal(Anywhere().top(n, s), [[6.0]])
    np.testing.assert_array_equal(Anywhere().top(np.zeros((1, 2)), s), [[0.0]])


def test_only_a_success_is_drawn_by_samplers_of_successes():
    samplers = {SuccessReward: 1}
    assert Graph.parse("x -> y", reward="y").rewarded.drawn_by(samplers) == samplers
    assert _graph(Number(0, 1)).rewarded.drawn_by(samplers) == {}
    worth = Graph((Variable("y"),), {}, "y", worth=(("0", 0.0), ("1", 5.0))).rewarded
    assert worth.drawn_by(samplers) == {}
    np.testing.assert_allclose(worth.mean_of(np.array([[0.2, 0.8]])), [4.0])
