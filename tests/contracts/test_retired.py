"""Retired actions are neither played nor recommended, and their rounds count: over all learners."""

from dataclasses import replace

import numpy as np
import pytest

from bestdo import Limit, Problem, World, do
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import weighs_by_design
from bestdo.errors import ActionError, NotValid, TooLarge
from bestdo.learners import LEARNERS, learner
from bestdo.learners.game import game_of
from bestdo.simulate.driver import play_out
from contracts.test_dominated import ROUNDS, world

WORLDS = ("chain", "useless", "law", "costs", "context")


def retiring(made, action, **more):
    """The world with this action retired."""
    return replace(made, problem=replace(made.problem, retired=(action,), **more))


def played(name, made, in_flight=1, lanes=2):
    """The learner, its state at the end, and how often each action was played."""
    found = game_of(learner(name), made.problem)
    if weighs_by_design(found.statistic(ROUNDS)):
        raise NotValid("a study does not retire what such a learner has planned")
    counts = np.zeros(len(made.problem.actions))

    def add(plan, _):
        np.add(counts, plan.counts.sum(axis=0), out=counts)

    state = play_out(made, found, ROUNDS, lanes, np.random.default_rng(1), in_flight, add)
    return found, state, counts


@pytest.mark.parametrize("where", WORLDS)
@pytest.mark.parametrize("name", LEARNERS)
def test_what_is_retired_is_neither_played_nor_recommended(name, where):
    """do(), which many learners watch, and the action that is truly the best; one round at a time and several."""
    made = world(where)
    best = made.problem.actions[int(np.where(made.problem.contenders, made.means, -np.inf).argmax())]
    for action in {do(): 0, best: 0}:
        one = retiring(made, action)
        for in_flight in (1, 3):
            try:
                found, state, counts = played(name, one, in_flight)
            except (NotValid, TooLarge):
                continue
            out = one.problem.actions.index(action)
            assert counts[out] == 0
            assert counts.sum() > 0
            assert (found.best(state) != out).all()
            assert not found.estimates(state).p_best[:, out].any()
            assert (found.recommended(state)[0] != out).all()
            assert (one.regret(found.best(state)) >= 0).all()


@pytest.mark.parametrize("where", ["useless", "context"])
@pytest.mark.parametrize("name", ["causal-top-two", "top-two", "ucb", "successive-rejects", "uniform"])
def test_within_limits_what_is_retired_is_not_even_the_nearest(name, where):
    """Only what is retired may keep the limit: the nearest of the others is named, and not said to keep it."""
    made = world(where)
    seen = {"useless": "u", "context": "z"}[where]
    actions = [a for a in made.problem.actions if seen not in a]
    first = {"first": made.problem.first}
    problem = Problem(made.problem.graph, actions, limits=[Limit(seen, "1", at_most=0.02)], sure=0.02, **first)
    one = World(replace(problem, retired=(actions[0],)), made.model)
    try:
        found, state, counts = played(name, one)
    except NotValid:
        return
    assert counts[0] == 0
    best, within = found.recommended(state)
    assert (best != 0).all()
    keeps = np.asarray(found.keeps(state)).reshape(*best.shape, -1)
    own = np.take_along_axis(keeps, best[..., None], axis=-1)[..., 0]
    assert (within == (own >= 0.02)).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_rounds_of_what_is_retired_count(name):
    """Sums of rounds of all actions are told to a learner that may play all but one: its estimate of that one is there."""
    made = world("useless")
    one = retiring(made, do(x=1))
    found, out = learner(name), one.problem.actions.index(do(x=1))
    try:
        statistic = found.statistic(one.problem, 60)
        state = found.start(one.problem, 60, 1, np.random.default_rng(0))
        if weighs_by_design(statistic):
            return
        plan = Plan(np.full((1, len(one.problem.actions)), 3))
        state = found.tell(state, plan, statistic.tally(made.rounds(plan, np.random.default_rng(1)), 1))
    except (NotValid, TooLarge):
        return
    assert found.estimates(state).played[0, out] in (0, 3)  # some learners do not count plays
    assert found.best(state)[0] != out


def test_what_can_be_the_best_is_asked_of_the_others_alone():
    """By the graph do(z=…) is at least as good as do(x=…); without it do(x=…) is in the race."""
    problem = world("chain").problem
    assert not problem.contenders[problem.actions.index(do(x=1))]
    less = replace(problem, retired=(do(z=0), do(z=1)))
    assert less.contenders[less.actions.index(do(x=1))]
    assert not less.contenders[less.actions.index(do(z=1))]
    assert less.playable.sum() == len(problem.actions) - 2


def test_what_cannot_be_retired():
    problem = world("chain").problem
    with pytest.raises(ActionError, match=r"do\(q=1\) is not among the actions, and cannot be retired"):
        replace(problem, retired=(do(q=1),))
    with pytest.raises(ActionError, match="no action would be left that may be played"):
        replace(problem, retired=tuple(problem.actions))
    assert Problem(problem.graph, ["do(x=1)", "do(x=0)"], retired="do(x=0)").retired == (do(x=0),)
