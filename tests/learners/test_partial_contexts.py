"""Rounds in a context that is known in part are learned from where the graph allows."""

import numpy as np
import pytest

from bestdo.bandit.limit import Limit
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.causal.graph import Graph
from bestdo.learners import learner as learner_by_name
from bestdo.learners.game import game_of
from bestdo.learners.unfolding import unfolded
from bestdo.simulate.driver import play_out
from bestdo.simulate.world import World
from bestdo.statistics.tables import Tables
from support import random_model

GRAPH = Graph.parse(
    "device -> click; banner -> click -> sale; country -> sale; price -> sale; price -> refund; country -> refund",
    reward="sale",
    success="1",
)
PROBLEM = Problem(GRAPH, set=["banner", "price"], first=("device", "country"))
WORLD = World(PROBLEM, random_model(np.random.default_rng(5), GRAPH, hidden_values=2))


def told(learner, problem, rounds, horizon=400):
    state = learner.start(horizon, 1, np.random.default_rng(0))
    counts = np.bincount(rounds.action, minlength=len(problem.actions))[None]
    return learner.tell(state, Plan(counts), learner.statistic(horizon).tally(rounds, 1))


def rounds_without(name, n=200, seed=1):
    plan = Plan(np.full((1, len(PROBLEM.actions)), n // len(PROBLEM.actions)))
    rounds = WORLD.rounds(plan, np.random.default_rng(seed))
    x = rounds.x.copy()
    x[:, GRAPH.names.index(name)] = -1
    return rounds, rounds._replace(x=x)


def test_tables_that_do_not_need_what_is_missing_count_as_if_it_were_there():
    learner = game_of(learner_by_name("causal-top-two"), PROBLEM)
    whole, partial = rounds_without("device")
    cells = Tables(unfolded(PROBLEM)).cells
    sums = [learner.statistic(400).tally(r, 1).own.weight[0, : cells.total] for r in (whole, partial)]
    for i, name in enumerate(cells.names):
        part = slice(int(cells.start[i]), int(cells.start[i + 1]))
        if name == "click":  # it needs the device
            assert sums[0][part].sum() > 0
            assert sums[1][part].sum() == 0
        else:
            assert sums[1][part] == pytest.approx(sums[0][part])


def test_the_rule_learns_from_them_and_they_are_paid_for():
    learner = game_of(learner_by_name("causal-top-two"), PROBLEM)
    _, partial = rounds_without("device", 600)
    state = told(learner, PROBLEM, partial, 1000)
    assert not state.seen.any()
    assert not state.own.played.any()
    assert state.own.money[0] == 1000 - len(partial.action)
    means = learner.means(state)[0].reshape(2, 2, -1)
    assert np.ptp(means, axis=1).max() > 0.3  # what the country does is known
    assert np.ptp(means, axis=0).max() < 1e-9  # and nothing of the device
    for name in ("top-two", "thompson"):
        plays = game_of(learner_by_name(name), PROBLEM)
        assert not told(plays, PROBLEM, partial, 1000).own.tally.weight.any()


def test_nothing_is_learned_of_a_table_by_a_wrong_context():
    """Half of the rounds without their device leave the means nearer to the truth, or as near, as without these rounds."""
    learner = game_of(learner_by_name("causal-top-two"), PROBLEM)
    truth, share = WORLD.means_by_context
    errors = []
    for seed in range(6):
        state = play_out(WORLD, learner, 60, 1, np.random.default_rng(seed))
        _, partial = rounds_without("device", 300, seed)
        more = learner.tell(
            state,
            Plan(np.bincount(partial.action, minlength=len(PROBLEM.actions))[None]),
            learner.statistic(60).tally(partial, 1),
        )
        errors.append([(share @ (learner.means(s)[0] - truth) ** 2).mean() for s in (state, more)])
    assert np.mean(errors, axis=0)[1] < 0.6 * np.mean(errors, axis=0)[0]


def test_limits_learn_from_them_as_well():
    problem = Problem(
        GRAPH, set=["banner", "price"], first=("device", "country"), limits=Limit("refund", "1", at_most=0.5)
    )
    learner = game_of(learner_by_name("causal-top-two"), problem)
    whole, partial = rounds_without("device", 400)
    kept = [learner.keeps(told(learner, problem, r))[0] for r in (whole, partial)]
    assert kept[1] == pytest.approx(kept[0], abs=0.1)  # the refund does not depend on the device
    assert abs(kept[0] - 0.5).max() > 0.4
