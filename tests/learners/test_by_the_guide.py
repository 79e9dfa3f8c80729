"""A learner that was written by following docs/howto/your-own-learner.md alone does what its paper says."""

import numpy as np
import pytest

import bestdo
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.simulate import confounded, final, parallel
from bestdo.testing import check_learner, check_world, measured
from ucb_n import UCBN


@pytest.mark.parametrize(
    "world",
    [None, confounded([0.1, 0.4], [0.3, 0.7]), measured(parallel([0.1, 0.5])), bestdo.world("front-door")],
    ids=["parallel", "confounded", "number", "hidden"],
)
def test_it_keeps_the_contract_on_worlds_of_many_kinds(world):
    check_learner(UCBN(), world, horizon=30, lanes=3)


def test_it_plays_the_highest_bound_worked_out_by_hand():
    """Rounds of do() count for each action whose value occurred, others for the action played."""
    world, learner = parallel([0.2, 0.5, 0.4]), UCBN()
    problem, rng = world.problem, np.random.default_rng(2)
    rounds = world.rounds(Plan(np.array([[3] * len(problem.actions)])), rng)
    state = learner.start(problem, 100, 1, rng)
    plan = Plan(np.array([[3] * len(problem.actions)]))
    state = learner.tell(state, plan, learner.statistic(problem, 100).tally(rounds, 1))
    names, bounds = problem.graph.names, []
    for i, action in enumerate(problem.actions):
        rewards = []
        for played, x, y in zip(rounds.action, rounds.x, rounds.y, strict=True):
            occurred = all(x[names.index(n)] == problem.graph.variable(n).code(v) for n, v in action.items())
            if played == i or (problem.actions[int(played)] == bestdo.do() and occurred):
                rewards.append(y)
        bounds.append(np.mean(rewards) + np.sqrt(2 * np.log(len(rounds.y) + 1) / len(rewards)))
    chosen = learner.ask(state, Request(), rng).counts[0]
    assert chosen.sum() == 1
    assert bounds[int(chosen.argmax())] == pytest.approx(max(bounds))


def test_side_observations_help():
    """Without them it is UCB1 on plays. 8 causes, 60 rounds, 300 lanes: 3 standard errors of the difference."""
    world = bestdo.world("parallel", [0.1] + [0.5] * 7)
    with_them, without = (bestdo.play(world, each, rounds=60, lanes=300, seed=0) for each in (UCBN(), "ucb"))
    error = np.hypot(with_them.std(), without.std()) / np.sqrt(300)
    assert without.mean() - with_them.mean() > 3 * error


def test_it_plays_do_where_that_cannot_be_the_best():
    """On the farm do() is no contender, and only its rounds show others: more observations than plays."""
    world = bestdo.world("farm")
    watching = world.problem.actions.index(bestdo.do())
    state = final(world, UCBN(), 60, 20, np.random.default_rng(0))
    assert not world.problem.contenders[watching]
    assert (state.played[:, watching] > 0).all()
    assert (state.tally.weight.sum(axis=1) > state.played.sum(axis=1)).all()


def test_a_world_is_given_to_the_checks():
    with pytest.raises(AssertionError, match=r"give a world, as bestdo.world\('farm'\); Problem has no problem"):
        check_world(parallel([0.5]).problem)
    with pytest.raises(AssertionError, match=r"give a world, as bestdo.world\('farm'\); str has no problem"):
        bestdo.check_learner(UCBN(), "farm")


def test_a_learner_that_fails_is_told_where():
    class Wrong(UCBN):
        def ask(self, state, request, rng):
            return state.nothing

    with pytest.raises(
        AssertionError, match=r"ask fails with AttributeError: .*test_by_the_guide\.py, line \d+: return state\.nothing"
    ):
        check_learner(Wrong())
