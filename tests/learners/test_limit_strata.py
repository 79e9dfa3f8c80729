"""Limits where a cause is hidden: watching counts for them where something can be adjusted for, as for the reward."""

import numpy as np

from bestdo import Graph, Limit, Model, Problem, World
from bestdo.bandit.rounds import Plan
from bestdo.learners.beliefs.limit_belief import limit_beliefs, problem_of
from bestdo.study.default_learner import choose

GRAPH = Graph.parse("u -> z; u -> y; z -> x; z -> h; x -> y; x -> h; b -> y", reward="y", success="1", hidden=["u"])
LIMIT = Limit("h", "1", at_most=0.3)
PROBLEM = Problem(GRAPH, set=["x", "b"], limits=[LIMIT])


def watched(model, rounds, seed):
    """Rounds in which nothing is set."""
    plan = [rounds if not action else 0 for action in PROBLEM.actions]
    return World(PROBLEM, model).rounds(Plan(np.array([plan])), np.random.default_rng(seed))


def random_model(rng):
    chance = {n: rng.beta(1.5, 1.5, [2] * len(GRAPH.parents[n])) for n in GRAPH.names}
    return Model(GRAPH, {n: np.stack([1 - c, c], -1) for n, c in chance.items()})


def test_watching_counts_for_limits_where_it_can_be_adjusted():
    """Sixty worlds, 3,000 rounds each: the answer is right for 95 % of the actions that are not close to the limit.

    By plays alone, as before, every action but do() kept the limit with probability 0.3, the prior's.
    """
    rng, right = np.random.default_rng(0), []
    beliefs = limit_beliefs(PROBLEM, True)
    asked = problem_of(PROBLEM, LIMIT)
    for world in range(60):
        model = random_model(rng)
        keeps = beliefs.keeps(beliefs.tally(watched(model, 3000, world), 1))[0]
        truth = Model(asked.graph, model.tables).means(asked.actions)
        right += [(k > 0.5) == (t <= 0.3) for k, t in zip(keeps, truth, strict=True) if abs(t - 0.3) > 0.05]
    assert np.mean(right) > 0.95


def test_an_action_without_an_effect_on_the_outcome_keeps_it_like_doing_nothing():
    beliefs = limit_beliefs(PROBLEM, True)
    keeps = beliefs.keeps(beliefs.tally(watched(random_model(np.random.default_rng(4)), 200, 4), 1))[0]
    found = dict(zip(map(str, PROBLEM.actions), keeps, strict=True))
    assert abs(found["do(b=1)"] - found["do()"]) < 0.05  # three standard errors of the draws


def test_the_default_learner_looks_at_limits():
    assert choose(PROBLEM, 60)[0] == "causal-top-two"
    assert choose(Problem(GRAPH, set=["x", "b"]), 60)[0] == "watch-then-act"
