"""Wu's learner of side observations: its plan beside linear programming, and which of its three ways it takes by hand."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from bestdo import Problem, do, learner
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.errors import NotValid
from bestdo.research.learners.wu_side_observations import least_plays
from bestdo.simulate import final, parallel


def program(rng):
    """A random program: gaps, what is wanted, and how likely do(), the last, shows each; some are never shown."""
    actions = int(rng.integers(2, 8))
    gaps, wanted = rng.random(actions), 2 / rng.uniform(0.1, 1, actions) ** 2
    gaps[rng.integers(actions)] = 0.0
    seen = rng.random(actions) * (rng.random(actions) < 0.8)
    seen[-1] = 1.0
    return gaps, wanted, seen


def constraints(seen):
    found = np.eye(len(seen))
    found[:-1, -1] = seen[:-1]
    return found


def cost_of(plan, solve=least_plays):
    """What a hundred random plans cost, by the learner or another, and by SciPy; plans must be feasible."""
    rng, ours, theirs = np.random.default_rng(plan), 0.0, 0.0
    for _ in range(100):
        gaps, wanted, seen = program(rng)
        rows = constraints(seen)
        plays = solve(gaps[None], wanted[None], seen[None], len(seen) - 1)[0]
        assert (rows @ plays >= wanted * (1 - 1e-9)).all()
        ours += plays @ gaps
        theirs += linprog(gaps, A_ub=-rows, b_ub=-wanted).fun
    return ours, theirs


def test_the_plan_is_that_of_linear_programming():
    ours, theirs = cost_of(0)
    assert ours == pytest.approx(theirs, rel=1e-9)


def test_a_plan_that_does_not_watch_costs_more():
    ours, theirs = cost_of(0, lambda gaps, wanted, seen, watching: wanted)
    assert ours > 1.2 * theirs


def told(n, s, explored, rounds):
    """The state on the parallel graph with q = 0.3 after sums by action (X1=0, X1=1, do())."""
    made, problem = learner("wu-side-observations"), parallel([0.3]).problem
    state = made.start(problem, 10_000, 1, np.random.default_rng(0))
    n, s = np.array([n], float), np.array([s], float)
    played = np.array([[0, 0, rounds]])
    state = made.tell(state, Plan(played), Tally.from_counts(n, s))
    return made, state._replace(explored=np.array([float(explored)]))


def test_its_three_ways_by_hand():
    """Means 0.3, 0.8 and 0.45: the least gap is 0.35, and 2 × 0.25 / 0.35² × 8.4 ln t = 4.08 × 8.4 ln t rounds are wanted."""
    actions = list(map(str, parallel([0.3]).problem.actions))
    wanted = 0.5 / 0.35**2 * 8.4 * math.log(5000)
    enough = math.ceil(wanted) + 1
    cases = [
        ((enough, enough, enough), 100, "do(X1=1)", "the best so far"),
        ((enough, enough, enough - 3), 100, "", "asks for more rounds"),
        ((enough, 0, enough), 100, "do(X1=1)", "hardly seen"),
    ]
    for n, explored, expected, words in cases:
        made, state = told(n, [0.3 * n[0], 0.8 * n[1], 0.45 * n[2]], explored, 5000)
        action = int(made.ask(state, Request(), np.random.default_rng(0)).counts[0].argmax())
        assert words in made.reason(state, action)
        assert not expected or actions[action] == expected


def test_what_is_known_is_not_explored():
    """Where watching shows everything, actions that are seen need no plays of their own: few of 600 rounds set X1 = 0."""
    world, made = parallel([0.5, 0.5], 0.5), learner("wu-side-observations")
    state = final(world, made, 600, 5, np.random.default_rng(0))
    played = made.estimates(state).played.mean(axis=0)
    assert played[world.problem.actions.index(do(X1=0))] < 30


def test_what_it_is_not_for():
    graph = Graph.parse("A -> X -> Y; A -> Y", reward="Y")
    with pytest.raises(NotValid, match="needs seeing to be as good as doing"):
        learner("wu-side-observations").start(Problem(graph), 50, 1, np.random.default_rng(0))
    world = parallel([0.3, 0.6])
    actions = [a for a in world.problem.actions if a != do()]
    for name in ("wu-side-observations", "exp3-ix"):
        with pytest.raises(NotValid, match="does not allow the action do"):
            learner(name).start(Problem(world.problem.graph, actions), 50, 1, np.random.default_rng(0))
