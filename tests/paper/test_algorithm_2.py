"""Algorithm 2 of the paper: its design, weights, truncation and estimators on rounds made up by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bestdo import Actions, Graph, Problem, do
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.causal.fit import fitted
from bestdo.causal.unlisted_law import ModelLaw
from bestdo.design.difficulty import m_of_design
from bestdo.errors import NotValid
from bestdo.learners.algorithm_2 import GeneralAlgorithm
from bestdo.simulate import World, chain, confounded, paper_parallel, play
from bestdo.statistics.importance import Importance

WORLD = confounded([0.1, 0.4], [0.3, 0.7])
PROBLEM = WORLD.problem
A = len(PROBLEM.actions)


def some_rounds(count=50, seed=1):
    counts = np.random.default_rng(seed).multinomial(count, np.full(A, 1 / A))[None, :]
    return WORLD.rounds(Plan(counts), np.random.default_rng(seed))


def test_weights_are_the_ratio_of_the_laws():
    eta = np.random.default_rng(0).dirichlet(np.ones(A))
    rounds = some_rounds()
    tally = Importance(PROBLEM, eta).tally(rounds, 1)
    law = PROBLEM.law
    place = [PROBLEM.graph.names.index(p) for p in law.parents]
    reward = np.zeros(A)
    for x, y in zip(rounds.x, rounds.y, strict=True):
        at = (slice(None), *x[place])
        reward += y * law.table[at] / (eta @ law.table[at])
    assert tally.reward[0] == pytest.approx(reward)
    assert tally.rounds[0] == pytest.approx(np.full(A, 50))


@pytest.mark.parametrize(("truncation", "cut"), [("zero", lambda r, b: r * (r <= b)), ("clip", np.minimum)])
def test_truncation_at_the_papers_limit(truncation, cut):
    learner = GeneralAlgorithm(eta="uniform", truncation=truncation)
    statistic = learner.statistic(PROBLEM, 50)
    limit = math.sqrt(m_of_design(PROBLEM.law, np.full(A, 1 / A)) * 50 / math.log(2 * 50 * A))
    assert statistic.limit == pytest.approx(np.full(A, limit))
    ratios = np.linspace(0, 2.9 * limit, 7)[:, None] * np.ones(A)
    assert statistic.cut(ratios) == pytest.approx(cut(ratios, limit))


def test_the_three_estimators_on_the_same_rounds():
    rounds, eta = some_rounds(), np.full(A, 1 / A)
    plan = Plan(np.bincount(rounds.action, minlength=A)[None, :])
    means = {}
    for estimator in ("importance", "self-normalised", "plug-in"):
        learner = GeneralAlgorithm(eta="uniform", estimator=estimator)
        state = learner.start(PROBLEM, 50, 1, np.random.default_rng(0))
        state = learner.tell(state, plan, learner.statistic(PROBLEM, 50).tally(rounds, 1))
        means[estimator] = learner.estimates(state).mean[0]
    tally = Importance(PROBLEM, eta).tally(rounds, 1)
    assert means["importance"] == pytest.approx(tally.reward[0] / 50)
    assert means["self-normalised"] == pytest.approx(tally.reward[0] / tally.weight[0])
    x = rounds.x[:, [PROBLEM.graph.names.index(p) for p in PROBLEM.law.parents]]
    by_state = np.full((2, 2), rounds.y.mean())
    for state in np.ndindex(2, 2):
        here = (x == state).all(axis=1)
        if here.any():
            by_state[state] = rounds.y[here].mean()
    assert means["plug-in"] == pytest.approx((PROBLEM.law.table * by_state).sum(axis=(1, 2)))


def test_rounding_is_right_on_average_and_never_a_round_off():
    eta = tuple(np.random.default_rng(3).dirichlet(np.ones(A)))
    learner = GeneralAlgorithm(eta=eta)
    state = learner.start(PROBLEM, 37, 20_000, np.random.default_rng(0))
    counts = learner.ask(state, Request(), np.random.default_rng(0)).counts
    assert (counts.sum(axis=1) == 37).all()
    assert (np.abs(counts - 37 * np.array(eta)) < 1 + 1e-9).all()
    assert counts.mean(axis=0) == pytest.approx(37 * np.array(eta), abs=4 * 0.5 / math.sqrt(20_000))  # 4 sigma


def test_one_do_teaches_all_on_the_chain():
    """Twelve rounds for twenty-five actions: the design learns all of them, playing each alone learns nothing."""
    world = chain(12)
    regret = play(world, GeneralAlgorithm(), 12, 2000, seed=0)
    classical = play(world, "successive-rejects", 12, 2000, seed=0)
    assert regret.mean() < 0.02
    assert classical.mean() > 0.1


def test_fifty_confounded_causes_are_weighed_row_by_row():
    world = confounded([0.1] * 25 + [0.4] * 25, [0.3] * 25 + [0.7] * 25)
    assert isinstance(world.problem.law, ModelLaw)
    learner = GeneralAlgorithm()
    assert learner.design(world.problem).sum() == pytest.approx(1)
    regret = play(world, learner, 200, 40, seed=0)
    classical = play(world, "successive-rejects", 200, 40, seed=0)
    assert regret.mean() < 0.05  # 0.012 with a standard error of 0.009
    assert classical.mean() > 0.2  # 0.276 with a standard error of 0.018


def test_the_law_can_be_estimated_from_rounds():
    rows = WORLD.rounds(Plan(np.full((1, A), 4000)), np.random.default_rng(0))
    model = fitted(PROBLEM.graph, PROBLEM.actions, rows.action, rows.x)
    law = model.parent_law(PROBLEM.actions)
    # 36,000 rows; each conditional rests on at least 2,000 of them: 4 standard errors are below 0.05
    assert law.table == pytest.approx(PROBLEM.law.table, abs=0.05)
    problem = replace(PROBLEM, law=law)
    regret = play(World(problem, WORLD.model), GeneralAlgorithm(), 8, 500, seed=0)
    known = play(WORLD, GeneralAlgorithm(), 8, 500, seed=0)
    assert abs(regret.mean() - known.mean()) < 4 * math.hypot(regret.std(), known.std()) / math.sqrt(500)


def test_refusals_in_words():
    with pytest.raises(NotValid, match="needs the law of the reward's parents"):
        GeneralAlgorithm().start(replace(PROBLEM, law=None), 10, 1, np.random.default_rng(0))
    with pytest.raises(NotValid, match="9 probabilities" if A == 9 else f"{A} probabilities"):
        GeneralAlgorithm(eta=(0.5, 0.5)).design(PROBLEM)
    many = paper_parallel(20, 2, 0.3)
    with pytest.raises(NotValid, match="explicit table"):
        GeneralAlgorithm(estimator="plug-in").start(many.problem, 10, 1, np.random.default_rng(0))
    hidden = Graph.parse("X -> Y; X <-> Y", reward="Y")
    problem = Problem(hidden, Actions(hidden, [do()]))
    with pytest.raises(NotValid):
        GeneralAlgorithm().start(problem, 10, 1, np.random.default_rng(0))


def test_missing_parents_do_not_count():
    rounds = some_rounds()
    blind = Rounds(rounds.lane, rounds.action, np.where(np.arange(50)[:, None] < 10, -1, rounds.x), rounds.y)
    tally = Importance(PROBLEM, np.full(A, 1 / A)).tally(blind, 1)
    assert tally.rounds[0] == pytest.approx(np.full(A, 40))
