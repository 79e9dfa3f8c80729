"""The regret summed over rounds, against expectations worked out by brute force on tiny worlds."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import bestdo
from bestdo.bandit.learner import argmax
from bestdo.causal.outcome import Outcome
from bestdo.learners.count_state import means
from bestdo.simulate import Prior
from bestdo.simulate.play import outcomes
from bestdo.simulate.summed_regret import round_regrets

GRAPH = bestdo.Graph.parse("x -> y", reward="y", success="1")
TABLES = {"x": [0.5, 0.5], "y": [[0.7, 0.3], [0.2, 0.8]]}


def world(cost=None, **more):
    problem = bestdo.Problem(GRAPH, [bestdo.do(x=0), bestdo.do(x=1)], cost=cost, **more)
    return bestdo.World(problem, bestdo.Model(GRAPH, TABLES))


def exact_greedy(rounds, mean=(0.3, 0.8)):
    """The expected summed regret of one round each, then always the best mean so far, ties by halves."""
    gap, total = max(mean) - np.array(mean), 0.0
    for start in itertools.product((0, 1), repeat=2):
        chance = np.prod([m if s else 1 - m for m, s in zip(mean, start, strict=True)])
        total += chance * _greedy(np.ones(2), np.array(start, float), rounds - 2, mean, gap)
    return total + gap.sum()


def _greedy(n, s, left, mean, gap):
    if not left:
        return 0.0
    ratio = s / n
    best = np.flatnonzero(ratio == ratio.max())
    found = 0.0
    for a in best:
        for won, p in ((1, mean[a]), (0, 1 - mean[a])):
            one = np.arange(2) == a
            found += p / len(best) * (gap[a] + _greedy(n + one, s + won * one, left - 1, mean, gap))
    return found


class Greedy:
    """Plays each action once, then the best mean so far."""

    def __init__(self):
        inner = bestdo.learner("ucb")
        for name in ("statistic", "start", "tell", "best", "estimates"):
            setattr(self, name, getattr(inner, name))

    def ask(self, state, request, rng):
        from bestdo.learners.count_state import once_each, play_once

        if not state.left.any():
            return None
        return once_each(state, rng) or play_once([argmax(means(state.tally), state.ties, state.block)], state)


def test_play_agrees_with_brute_force():
    """4 sigma of 20,000 lanes; a sum that leaves out the last round, or takes wins for means, is 10 sigma off."""
    found = bestdo.play(world(), Greedy(), rounds=6, lanes=20_000, measure="earned", progress=False)
    error = found.std() / np.sqrt(len(found))
    assert abs(found.mean() - exact_greedy(6)) < 4 * error
    assert error < 0.01


def test_what_is_not_played_counts_as_the_action_kept():
    class Lazy(Greedy):
        def ask(self, state, request, rng):
            return None if state.played.any() else super().ask(state, request, rng)

    found = bestdo.play(world(), Lazy(), rounds=7, lanes=4000, measure="earned", progress=False)
    assert set(np.round(found, 6)) == {0.5, 3.0}  # do(x=0) once, or once and five times more
    wrong = (1 - 0.8) * 0.3 + 0.5 * (0.3 * 0.8 + 0.7 * 0.2)
    assert abs((found > 1).mean() - wrong) < 4 * np.sqrt(wrong / 4000)


def test_with_costs_it_is_what_the_money_would_have_brought():
    """0.3 for 1 is more than 0.8 for 4: a round of the latter brings 0.8 where its money would have brought 1.2."""
    assert np.allclose(round_regrets(world([1.0, 4.0])), [[[0.0, 0.4]]])
    priced = world([1.0, 4.0])
    found = outcomes(priced, "uniform", 40, 20, np.random.default_rng(0), summed_at=np.array([8.0, 40.0]))
    dear = found.earned / 0.4
    assert np.allclose(dear, dear.round())
    assert np.isin(dear.round(), (7, 8, 9)).all()  # eight rounds each, and what is left over to either
    assert np.allclose(found.over_time[:, 1], found.earned)


def test_numbers_that_are_to_be_small_and_worth():
    number = bestdo.Graph(
        [bestdo.Variable("x"), bestdo.Variable("y", number=bestdo.Number(0, 10))], {"y": ["x"]}, "y", aim="minimise"
    )
    model = bestdo.Model(number, {"x": [0.5, 0.5]}, {"y": Outcome(np.array([4.0, 1.0]), np.ones(2), "beta")})
    small = bestdo.World(bestdo.Problem(number, [bestdo.do(x=0), bestdo.do(x=1)]), model)
    assert np.allclose(round_regrets(small), [[[3.0, 0.0]]])
    assert np.allclose(bestdo.play(small, "uniform", rounds=8, lanes=2, measure="earned", progress=False), 12.0)
    worth = GRAPH.rewarding("y", worth={"0": -2.0, "1": 6.0})
    world_of_worth = bestdo.World(bestdo.Problem(worth, [bestdo.do(x=0), bestdo.do(x=1)]), bestdo.Model(worth, TABLES))
    assert np.allclose(round_regrets(world_of_worth), [[[4.0, 0.0]]])


def test_in_contexts_each_round_is_compared_with_the_best_of_its_context():
    graph = bestdo.Graph.parse("c -> y; x -> y", reward="y", success="1")
    tables = {"c": [0.25, 0.75], "x": [0.5, 0.5], "y": np.reshape([0.9, 0.1, 0.4, 0.6, 0.3, 0.7, 0.6, 0.4], (2, 2, 2))}
    problem = bestdo.Problem(graph, [bestdo.do(x=0), bestdo.do(x=1)], first="c")
    seen = bestdo.World(problem, bestdo.Model(graph, tables))
    assert np.allclose(round_regrets(seen), [[[0.5, 0.0], [0.0, 0.3]]])
    found = outcomes(seen, "thompson", 1, 4000, np.random.default_rng(0), summed_at=np.array([1.0]))
    expected = 0.5 * (0.25 * 0.5 + 0.75 * 0.3)  # the first draw is of two equal posteriors
    assert abs(found.earned.mean() - expected) < 4 * found.earned.std() / np.sqrt(4000)
    assert (found.over_time[:, 0] == found.earned).all()


def test_over_time_is_linear_inside_a_block_and_ends_with_the_sum():
    at = np.array([1.0, 5.0, 10.0])
    found = outcomes(world(), "uniform", 10, 2, np.random.default_rng(0), summed_at=at)
    assert np.allclose(found.over_time, [[0.25, 1.25, 2.5]] * 2)
    found = outcomes(world(), "thompson", 10, 50, np.random.default_rng(0), summed_at=np.arange(1.0, 11))
    steps = np.diff(found.over_time, axis=1, prepend=0.0)
    assert set(np.round(steps, 9).ravel()) == {0.0, 0.5}
    assert np.allclose(found.over_time[:, -1], found.earned)


def test_with_limits_a_round_that_breaks_one_is_the_worst():
    graph = bestdo.Graph.parse("x -> y; x -> harm", reward="y", success="1")
    tables = {"x": [0.5, 0.5], "y": TABLES["y"], "harm": [[0.95, 0.05], [0.4, 0.6]]}
    actions = [bestdo.do(), bestdo.do(x=0), bestdo.do(x=1)]
    problem = bestdo.Problem(graph, actions, limits=bestdo.Limit("harm", "1", at_most=0.4))
    limited = bestdo.World(problem, bestdo.Model(graph, tables))
    assert np.allclose(round_regrets(limited), [[[0.0, 0.25, 0.25]]])  # do() has 0.55; do(x=1) counts as 0.3
    assert np.allclose(round_regrets(replace(limited, problem=replace(problem, limits=()))), [[[0.25, 0.5, 0.0]]])


def test_rounds_in_flight_and_worlds_of_a_prior_are_summed_too():
    one = bestdo.play(world(), "thompson", rounds=20, lanes=20, delay=3, measure="earned", progress=False)
    assert ((one * 2).round(9) % 1 == 0).all()
    assert (one <= 10).all()
    prior = Prior(world().problem, ("x", "y"))
    regret = bestdo.play(prior, "uniform", rounds=2, lanes=30, worlds=1, measure="earned", progress=False)
    drawn = prior.worlds(30, np.random.default_rng(1)).means
    assert np.allclose(regret, np.ptp(drawn, axis=1))


def test_another_measure_is_refused_in_words():
    with pytest.raises(bestdo.BestdoError, match="unknown measure 'earnt'"):
        bestdo.play(world(), "ucb", rounds=3, measure="earnt")
