"""gamma-NB against an exact calculation on a world of one variable, and its choice between watching and acting by hand."""

import math
from dataclasses import replace

import numpy as np
import pytest

from bestdo import do
from bestdo.bandit.request import Request
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid
from bestdo.research.learners.gamma_nb import GammaNB
from bestdo.research.learners.watch_half import spend_evenly
from bestdo.simulate import parallel, play
from research.learners.exact_halves import chance_of_one

LANES = 20_000


def priced(world, gamma):
    cost = tuple(1.0 if not a else gamma for a in world.problem.actions)
    return replace(world, problem=replace(world.problem, cost=cost))


@pytest.mark.parametrize("gamma", [2, 3])
def test_it_recommends_as_often_as_all_outcomes_say(gamma):
    """4 sigma, 20,000 lanes: 0.012. Exchanging the sides of the choice is 0.05 off, never playing rare actions 0.06."""
    world = priced(parallel([0.2], 0.2), gamma)
    world = replace(world, problem=replace(world.problem, all_compete=False))  # do() is never the best
    found = 1 - np.mean(play(world, GammaNB(), budget=12, lanes=LANES, seed=3)) / 0.25
    truth = chance_of_one(0.2, (0.45, 0.7), 12, gamma, lambda share: share * 2 * gamma >= 1, pooled=True)
    assert abs(found - truth) < 4 * math.sqrt(truth * (1 - truth) / LANES)


@pytest.mark.parametrize(
    ("often", "gamma", "plays"),
    [
        ((0.5, 0.5, 0.5), 4.0, {}),  # nothing is rare
        ((0.3, 0.5, 0.5), 4.0, {}),  # m = 2, and 0.3 * 2 * 4 is above 1: watching on is cheaper
        ((0.3, 0.5, 0.5), 1.5, {do(X1=1)}),  # 0.3 * 2 * 1.5 is below 1
        ((0.0, 0.0, 0.1), 4.0, {do(X1=1), do(X2=1), do(X3=1)}),  # m = 3: 0.1 is below a third too
        ((0.0, 0.0, 0.4), 4.0, {do(X1=1), do(X2=1)}),  # three are below a half, so m = 3, and X3 = 1 is not rare
    ],
)
def test_the_choice_between_watching_and_acting_by_hand(often, gamma, plays):
    problem = priced(parallel(often), gamma).problem
    learner, rounds = GammaNB(), 100
    state = learner.start(problem, 2.0 * rounds, 1, np.random.default_rng(0))
    plan = learner.ask(state, Request(), np.random.default_rng(0))
    watching = problem.actions.index(do())
    assert plan.counts[0, watching] == rounds == plan.counts.sum()
    seen = np.array(
        [[1 - often[int(n[1]) - 1], often[int(n[1]) - 1]][int(v)] for a in problem.actions for n, v in a.items()]
    )
    weight = np.insert(seen * rounds, watching, rounds)[None]
    state = learner.tell(state, plan, Tally.from_counts(weight, weight / 2))
    after = learner.ask(state, Request(), np.random.default_rng(0)).counts[0]
    chosen = {problem.actions[i] for i in np.flatnonzero(after)}
    assert chosen == (set(plays) or {do()})
    if plays:
        each = int(rounds // (gamma * len(plays)))
        assert set(after[after > 0]) <= {each, each + 1}


def test_a_dear_do_is_refused():
    problem = priced(parallel([0.2, 0.3]), 0.5).problem
    with pytest.raises(NotValid, match=r"do\(\) costs 1, do\(X1=0\) costs 0.5; take watch-then-act"):
        GammaNB().start(problem, 20, 1, np.random.default_rng(0))


def test_a_budget_is_spent_evenly_on_actions_of_different_cost():
    money, prices = np.array([10.0, 10.0, 0.5]), np.array([1.0, 2.0, 3.0])
    among = np.array([[True, True, False], [False, False, True], [True, True, True]])
    plan = spend_evenly(money, among, prices, np.random.default_rng(0))
    assert plan[0].tolist() in ([4, 3, 0], [3, 3, 0])
    assert plan[1:].tolist() == [[0, 0, 3], [0, 0, 0]]
    assert (plan @ prices <= money).all()


def test_a_study_can_ask_why():
    learner, problem = GammaNB(), priced(parallel([0.1, 0.5]), 2.0).problem
    state = learner.start(problem, 40, 1, np.random.default_rng(0))
    assert "watching" in learner.reason(state, problem.actions.index(do()))
    assert learner.ask(state, Request(), np.random.default_rng(0)) is not None
