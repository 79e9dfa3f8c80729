"""The regression with Thompson draws: its means and draws against least squares on rows that were written out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.number import Number
from bestdo.learners.unfolding import unfolded
from bestdo.research.learners.regression import Regression
from bestdo.research.worlds.shop import segments_of_shop

SCALE = 0.3


def _rows(problem: Problem, rounds: int, rng: np.random.Generator) -> Rounds:
    """Rounds of random actions with random values of what is not set, and a random reward."""
    action = rng.integers(len(problem.actions), size=rounds)
    codes = problem.actions.codes[action].astype(np.int64)
    sizes = [problem.graph.size(name) for name in problem.graph.names]
    x = np.where(codes >= 0, codes, rng.integers(sizes, size=codes.shape))
    y = rng.normal(4 + x[:, 0] + x[:, 0] * x[:, 1], 2.0) if not problem.graph.two_values else rng.random(rounds) < 0.4
    return Rounds(np.zeros(rounds, np.int64), action, x, y)


def _state(learner: Regression, problem: Problem, rounds: Rounds):
    """The state of a learner that was told these rounds."""
    state = learner.start(problem, 1000, 1, np.random.default_rng(0))
    plan = Plan(np.bincount(rounds.action, minlength=len(problem.actions))[None])
    return learner.tell(state, plan, learner.statistic(problem, 1000).tally(rounds, 1))


def _columns(values: NDArray[np.float64], groups: list[range], pairs: list[tuple[int, int]]) -> NDArray[np.float64]:
    """1, all indicators, and all products of indicators of pairs of variables."""
    products = [values[:, i] * values[:, j] for a, b in pairs for i in groups[a] for j in groups[b]]
    return np.column_stack([np.ones(len(values)), values, *products])


def _by_hand(problem: Problem, rounds: Rounds, pairs: list[tuple[int, int]]) -> tuple[NDArray, NDArray]:
    """Means of all actions, and their covariance, by least squares with one row more for each column: its prior."""
    places = np.flatnonzero((problem.actions.codes >= 0).any(axis=0))
    sizes = [problem.graph.size(problem.graph.names[p]) for p in places]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    groups = [range(a, b) for a, b in itertools.pairwise(starts)]
    codes = rounds.x[:, places]
    values = np.concatenate([np.eye(size)[codes[:, k]] for k, size in enumerate(sizes)], axis=1)
    design = _columns(values, groups, pairs)
    y = rounds.y.astype(float)
    two = problem.graph.two_values
    centre = (y.sum() + 1) / (len(y) + 2) if two else y.mean()
    spread = np.sqrt(centre * (1 - centre)) if two else y.std(ddof=1)
    prior = np.r_[1 / 10, np.full(design.shape[1] - 1, 1 / SCALE)]
    whole, right = np.vstack([design, np.diag(prior)]), np.r_[y - centre, np.zeros(len(prior))]
    coefficients = np.linalg.lstsq(whole, right, rcond=None)[0]
    shares = []
    for action in problem.actions.codes[:, places]:
        each = []
        for k, size in enumerate(sizes):
            free = problem.actions.codes[rounds.action][:, places[k]] < 0
            counts = np.bincount(codes[free, k], minlength=size) + 0.5
            each.append(np.eye(size)[action[k]] if action[k] >= 0 else counts / counts.sum())
        shares.append(np.concatenate(each))
    of_actions = _columns(np.array(shares), groups, pairs)
    covariance = of_actions @ np.linalg.inv(whole.T @ whole) @ of_actions.T * spread**2
    return centre + of_actions @ coefficients, covariance


def _three_causes(number: bool) -> Problem:
    reward = Variable("Y", number=Number(spread=3.0)) if number else Variable("Y")
    graph = Graph.of(
        [Variable("A"), Variable("B", ("0", "1", "2")), Variable("C"), reward],
        [(n, "Y") for n in "ABC"],
        reward="Y",
        aim="maximise" if number else None,
    )
    actions = [do(), do(A=1), do(B=2), do(A=0, B=1, C=1), do(A=1, B=2, C=1)]
    return Problem(graph, Actions(graph, actions), all_compete=True)


@pytest.mark.parametrize("number", [True, False])
def test_means_and_draws_are_those_of_least_squares_with_a_row_for_each_prior(number: bool) -> None:
    problem, rng = _three_causes(number), np.random.default_rng(3)
    rounds, learner = _rows(problem, 60, rng), Regression(scales=(SCALE,))
    state = _state(learner, problem, rounds)
    mean, covariance = _by_hand(problem, rounds, [(0, 1), (0, 2), (1, 2)])
    assert learner.means(state)[0] == pytest.approx(mean, abs=1e-8)
    drawn = learner.draws(state, 0, 40_000)
    assert np.cov(drawn.T) == pytest.approx(covariance, abs=5 * np.sqrt(2 / 40_000) * covariance.max())  # 5 sigma
    half = 1.96 * np.sqrt(np.diag(covariance))
    found = learner.estimates(state)
    if number:
        assert (found.high - found.low)[0] == pytest.approx(2 * half, rel=0.1)


def test_with_contexts_pairs_are_those_of_a_setting_and_what_is_seen_first() -> None:
    world = segments_of_shop()
    problem, learner = unfolded(world.problem), Regression(scales=(SCALE,)).in_contexts(world.problem)
    rounds = _rows(problem, 400, np.random.default_rng(4))
    state = _state(learner, problem, rounds)
    pairs = [(i, j) for i in (0, 1) for j in (2, 3, 4, 5)]  # device and visitor come first in the graph
    mean, _ = _by_hand(problem, rounds, pairs)
    sums = learner.statistic(problem, 1000)
    assert len(sums.kept) == 1 + 15 + 5 * 10
    assert (
        sums.columns == 1 + 9 + 3 * 6
    )  # without first values: (2 + 3 - 2) values seen first, (3 + 3 + 2 + 2 - 4) settings
    assert learner.means(state)[0] == pytest.approx(mean, abs=1e-8)


def test_the_scale_with_the_largest_evidence_counts() -> None:
    """Where nothing matters the narrow one, where much does the wide one, by the density of the rewards."""
    from scipy.stats import multivariate_normal

    problem, rng = _three_causes(number=True), np.random.default_rng(5)
    for effect in (0.0, 8.0):
        rounds = _rows(problem, 80, rng)
        rounds = rounds._replace(y=rng.normal(effect * rounds.x[:, 0], 2.0))
        y = rounds.y - rounds.y.mean()
        densities = {}
        for scale in (1.0, 0.03):
            groups = [range(2), range(2, 5), range(5, 7)]
            values = np.concatenate([np.eye(s)[rounds.x[:, k]] for k, s in enumerate((2, 3, 2))], axis=1)
            design = _columns(values, groups, [(0, 1), (0, 2), (1, 2)])
            prior = np.r_[100.0, np.full(design.shape[1] - 1, scale**2)]
            covariance = (np.eye(80) + (design * prior) @ design.T) * rounds.y.var(ddof=1)
            densities[scale] = multivariate_normal(np.zeros(80), covariance).logpdf(y)
        best = max(densities, key=densities.__getitem__)
        assert best == (0.03 if effect == 0 else 1.0)
        both, one = (Regression(scales=s) for s in ((1.0, 0.03), (best,)))
        assert (both.means(_state(both, problem, rounds)) == one.means(_state(one, problem, rounds))).all()


def test_top_two_plays_the_leader_half_of_the_time_and_thompson_as_often_as_it_is_the_best() -> None:
    problem = _three_causes(number=True)
    rounds = _rows(problem, 30, np.random.default_rng(6))
    lanes = 4000
    shares = []
    for learner in (Regression(scales=(SCALE,)), Regression(top_two=True, scales=(SCALE,))):
        state = _state(learner, problem, rounds)
        best = np.argmax(learner.draws(state, 0, lanes), axis=1)
        many = learner.start(problem, 1000, lanes, np.random.default_rng(1))
        many = many._replace(tally=state.tally.lanes(np.zeros(lanes, np.int64)))
        plan = learner.ask(many, Request(), np.random.default_rng(2))
        assert plan is not None
        shares.append((np.bincount(best, minlength=5) / lanes, plan.counts.mean(axis=0)))
    (chance, played), (_, of_two) = shares
    assert played == pytest.approx(chance, abs=5 * np.sqrt(0.5 / lanes))  # 5 sigma of two binomial shares
    assert 0.4 < chance.max() < 0.95  # so that twenty tries are enough for a challenger
    second = chance / 2 + sum(
        lead * np.where(np.arange(5) == a, 0, chance) / max(1 - lead, 1e-9) / 2 for a, lead in enumerate(chance)
    )
    assert of_two == pytest.approx(second, abs=5 * np.sqrt(0.5 / lanes))


def test_of_two_actions_top_two_plays_each_in_half_of_the_rounds_but_for_tries_without_a_challenger() -> None:
    """Exact: P(best) is that of a normal difference, and a challenger is missing after twenty draws alike."""
    from scipy.stats import norm

    graph = _three_causes(number=True).graph
    problem = Problem(graph, Actions(graph, [do(A=0, B=0, C=0), do(A=1, B=2, C=1)]), all_compete=True)
    rounds, lanes = _rows(_three_causes(number=True), 12, np.random.default_rng(9)), 20_000
    rounds = rounds._replace(action=np.zeros(12, np.int64))
    learner = Regression(top_two=True, scales=(SCALE,), tries=3)
    state = _state(learner, problem, rounds)
    mean, covariance = _by_hand(problem, rounds, [(0, 1), (0, 2), (1, 2)])
    p = norm.cdf((mean[1] - mean[0]) / np.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]))
    assert 0.6 < p < 0.95
    exact = p * (1 + p**3) / 2 + (1 - p) * (1 - (1 - p) ** 3) / 2
    many = learner.start(problem, 1000, lanes, np.random.default_rng(1))
    many = many._replace(tally=state.tally.lanes(np.zeros(lanes, np.int64)))
    plan = learner.ask(many, Request(), np.random.default_rng(2))
    assert plan is not None
    assert plan.counts[:, 1].mean() == pytest.approx(exact, abs=4 * 0.5 / np.sqrt(lanes))  # 4 sigma
