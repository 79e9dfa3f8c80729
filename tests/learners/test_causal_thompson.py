"""Causal Thompson sampling: its draws against the posterior by enumeration, and what it plays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bestdo
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.learners.causal_thompson import CausalThompson
from bestdo.learners.causal_top_two import believed
from bestdo.simulate.driver import final

PARALLEL = bestdo.Graph.parse("a -> y; b -> y", reward="y", success="1")
HIDDEN = bestdo.Graph.parse("a -> m -> y; b -> y; m <-> y", reward="y", success="1")


def told(problem, horizon=100, counts=(), seed=0, **parameters):
    """The state after rounds of a world in which b = 1 is good, so many of each action."""
    learner = CausalThompson(**parameters)
    tables = {"a": [0.5, 0.5], "b": [0.7, 0.3], "y": np.reshape([0.7, 0.3, 0.2, 0.8] * 2, (2, 2, 2))}
    world = (
        bestdo.World(replace(problem, law=None), bestdo.Model(PARALLEL, tables)) if not problem.graph.hidden else None
    )
    state = learner.start(problem, horizon, 1, np.random.default_rng(seed))
    if world is not None and len(counts):
        plan = Plan(np.array([counts]))
        rounds = world.rounds(plan, np.random.default_rng(seed))
        state = learner.tell(state, plan, learner.statistic(problem, horizon).tally(rounds, 1))
    return learner, state


@pytest.mark.parametrize("counts", [(), (9, 2, 2, 2, 2)])
def test_it_plays_an_action_as_often_as_it_is_the_best_of_the_belief(counts):
    """By 4,000 first rounds against `believed(...).drawn`; 4 sigma of both, ties shared."""
    problem = bestdo.Problem(PARALLEL, set=["a", "b"])
    learner, state = told(problem, counts=counts)
    lanes, rng = 4000, np.random.default_rng(1)
    many = state._replace(
        tally=Tally.each(lambda part: np.repeat(part, lanes, axis=0), state.tally),
        played=np.repeat(state.played, lanes, axis=0),
        money=np.repeat(state.money, lanes),
        ties=learner.start(problem, 100, lanes, rng).ties,
    )
    share = learner.ask(many, Request(), rng).counts.mean(axis=0)
    drawn = believed(problem).drawn(state.tally, state.played, 0, 4000)
    drawn[:, ~problem.contenders] = -np.inf
    best = drawn >= drawn.max(axis=1, keepdims=True) - 1e-10
    expected = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    assert (np.abs(share - expected) < 4 * np.sqrt(2 * 0.25 / lanes)).all()
    assert share[~problem.contenders].sum() == 0


def test_where_causes_are_hidden_its_posterior_is_the_beta_of_the_counts():
    """Plays of do(a=1) alone count for it, with one success and one failure beforehand; by 20,000 draws."""
    from scipy.stats import beta, kstest

    problem = bestdo.Problem(HIDDEN, [bestdo.do(a=0), bestdo.do(a=1)])
    learner = CausalThompson()
    state = learner.start(problem, 50, 20_000, np.random.default_rng(0))
    won, n = np.array([2.0, 6.0]), np.array([5.0, 8.0])
    state = state._replace(
        tally=Tally.from_counts(*(np.tile(part, (20_000, 1)) for part in (n, won))), played=np.tile(n, (20_000, 1))
    )
    drawn = learner._drawn(state, np.random.default_rng(1))
    for a in range(2):
        assert kstest(drawn[:, a], beta(won[a] + 1, n[a] - won[a] + 1).cdf).pvalue > 1e-4
    assert kstest(drawn[:, 1], beta(won[1] + 0.5, n[1] - won[1] + 0.5).cdf).pvalue < 1e-4  # another prior, another law


def test_with_costs_it_plays_what_brings_most_for_the_money():
    graph = bestdo.Graph.parse("x -> y", reward="y", success="1")
    model = bestdo.Model(graph, {"x": [0.5, 0.5], "y": [[0.6, 0.4], [0.2, 0.8]]})
    actions = [bestdo.do(x=0), bestdo.do(x=1)]
    for price, most in ((8.0, 0), (1.5, 1)):
        world = bestdo.World(bestdo.Problem(graph, actions, cost=[1.0, price]), model)
        found = final(world, CausalThompson(), 300, 50, np.random.default_rng(0)).played.mean(axis=0)
        assert found[most] > 3 * found[1 - most]
        assert (found @ world.problem.prices <= 300 + 1e-9).all()


def test_numbers_that_are_to_be_small_and_rounds_planned_at_once():
    from bestdo.causal.outcome import Outcome

    variables = [bestdo.Variable("x"), bestdo.Variable("y", number=bestdo.Number(0, 10))]
    graph = bestdo.Graph(variables, {"y": ["x"]}, "y", aim="minimise")
    model = bestdo.Model(graph, {"x": [0.5, 0.5]}, {"y": Outcome(np.array([7.0, 3.0]), np.ones(2), "beta")})
    world = bestdo.World(bestdo.Problem(graph, [bestdo.do(x=0), bestdo.do(x=1)]), model)
    found = final(world, CausalThompson(block=5), 60, 40, np.random.default_rng(0)).played
    assert (found.sum(axis=1) == 60).all()
    assert found[:, 1].mean() > 45


def test_it_earns_more_than_thompson_where_the_graph_teaches():
    """One cause of five matters and is rare: 100 rounds lose 6 of what Thompson sampling loses 10 of; 5 sigma apart."""
    graph = bestdo.Graph.parse("; ".join(f"x{i} -> y" for i in range(5)), reward="y", success="1")
    rows = np.full((2,) * 5, 0.1)
    rows[1] = 0.35
    tables = {"x0": [0.9, 0.1], **{f"x{i}": [0.5, 0.5] for i in range(1, 5)}, "y": np.stack([1 - rows, rows], axis=-1)}
    world = bestdo.World(bestdo.Problem(graph), bestdo.Model(graph, tables))
    ours, theirs = (
        bestdo.play(world, name, rounds=100, lanes=100, measure="earned", progress=False)
        for name in ("causal-thompson", "thompson")
    )
    error = np.hypot(ours.std(), theirs.std()) / 10
    assert ours.mean() < theirs.mean() - 5 * error


def test_the_default_of_a_study_follows_the_goal(tmp_path):
    url = f"sqlite:///{tmp_path}/s.db"
    earn = bestdo.Study.create("examples/farm.toml", rounds=9, goal="earn", storage=url, name="earn")
    assert earn.status()["learner"] == "causal-thompson"
    assert earn.status()["goal"] == "earn"
    assert earn.why_learner == (
        "every round counts: an action is played as often as it may be the best; all causes of the reward are seen, so each "
        "round teaches about every action"
    )
    assert "the best in a draw" in earn.ask()[0].reason
    other = bestdo.Study.create(
        "examples/farm.toml", rounds=9, goal="earn", learner="uniform", storage=url, name="other"
    )
    assert other.why_learner.startswith("uniform is made to find the best action, whatever its rounds earn")
    find = bestdo.Study.create("examples/farm.toml", rounds=9, learner="causal-thompson", storage=url, name="find")
    assert find.why_learner.startswith("causal-thompson is made to earn while it learns")
    assert not bestdo.Study.create("examples/farm.toml", rounds=9, learner="ucb", storage=url, name="ucb").why_learner
