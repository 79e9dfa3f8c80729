"""Worlds on which a prior that is certain of something false stays wrong: causal top-two finds the best action on them."""

import numpy as np

from bestdo import Actions, Graph, Problem, Variable
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.data.compose import compose
from bestdo.learners import learner
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import chain, final, parallel, play
from bestdo.simulate.samplers import tally
from bestdo.simulate.world_batch import Worlds
from support import ROOT


def causes(count, first, base, top, lanes=40):
    """Fair causes of Y; the first is 1 by itself with chance `first`, and success is `top` where it is 1, else `base`."""
    names = [f"X{i + 1}" for i in range(count)]
    graph = Graph.of([Variable(n) for n in (*names, "Y")], [(n, "Y") for n in names], reward="Y")
    fair = {n: np.array([0.5, 0.5]) for n in names}
    won = np.full((2,) * count, base)
    won[1] = top
    tables = {**fair, "X1": np.array([1 - first, first]), "Y": np.stack([1 - won, won], axis=-1)}
    return Worlds(Problem(graph, Actions.single(graph)), lanes, tables)


def in_strata(lanes=20):
    """64 strata of six common causes of X and Y; do(X=1) is the best, and X is seldom 1 by itself."""
    names = [f"Z{i + 1}" for i in range(6)]
    arrows = [(n, "X") for n in names] + [(n, "Y") for n in names] + [("X", "Y"), ("W", "Y")]
    graph = Graph.of([Variable(n) for n in (*names, "X", "W", "Y")], arrows, reward="Y")
    parents = {n: graph.parents[n] for n in ("X", "Y")}
    seldom = np.broadcast_to([0.97, 0.03], (2,) * 6 + (2,))
    won = np.full((2,) * 8, 0.45)
    won[tuple(slice(None) if n != "X" else 1 for n in parents["Y"])] = 0.8
    tables = {n: np.array([0.5, 0.5]) for n in (*names, "W")}
    tables |= {"X": seldom, "Y": np.stack([1 - won, won], axis=-1)}
    return Worlds(Problem(graph, Actions.single(graph, ["X", "W"])), lanes, tables)


def regret(worlds, horizon, who, seed=0):
    """The regret of each lane, and the state at the end."""
    rng = np.random.default_rng(seed)
    statistic, state = who.statistic(worlds.problem, horizon), who.start(worlds.problem, horizon, worlds.lanes, rng)
    while (plan := who.ask(state, Request(), rng)) is not None:
        state = who.tell(state, plan, tally(worlds, statistic, plan, rng))
    means = worlds.means
    return means.max(axis=1) - means[np.arange(worlds.lanes), who.best(state)], state


def test_a_best_action_that_never_occurs_by_itself_is_found():
    """Five causes, 0.8 -> 0.95: 0.003 with a standard error of 0.001 after 220 rounds; it was 0.150, the largest possible."""
    found, _ = regret(causes(5, 0.0, 0.8, 0.95), 220, CausalTopTwo())
    assert found.mean() < 0.03


def test_an_often_seen_best_action_is_found_at_a_low_base_rate():
    """Five causes, 0.07 -> 0.3 in half of the rounds: 0.001 after 220 rounds, of 0.23 at most."""
    found, _ = regret(causes(5, 0.5, 0.07, 0.3), 220, CausalTopTwo())
    assert found.mean() < 0.03


def test_a_rare_best_action_is_found_in_64_strata():
    """With a prior worth 8 rounds in each of 64 strata it was 0.148 after 250 rounds, of 0.35 at most."""
    found, _ = regret(in_strata(), 250, CausalTopTwo())
    assert found.mean() < 0.03


def test_intervals_hold_for_actions_that_were_never_tried():
    """After 30 rounds of watching, the interval of an action that never occurred covers the truth in most studies."""
    worlds = causes(5, 0.0, 0.8, 0.95, lanes=40)
    who, problem = CausalTopTwo(), worlds.problem
    rng = np.random.default_rng(1)
    state = who.start(problem, 300, worlds.lanes, rng)
    plan = np.zeros((worlds.lanes, len(problem.actions)), int)
    plan[:, problem.actions.index("do()")] = 30
    state = who.tell(state, Plan(plan), tally(worlds, who.statistic(problem, 300), Plan(plan), rng))
    found, best = who.estimates(state), problem.actions.index("do(X1=1)")
    covered = (found.low[:, best] <= 0.95) & (found.high[:, best] >= 0.95)
    assert covered.mean() > 0.9  # it was covered in 0 of 30
    assert found.joint[:, best].mean() > 0.05  # the probability to be the best was 0.000


def test_with_the_known_law_of_the_farm_it_is_as_good_as_c_ucb():
    """After 80 rounds, 300 lanes each: both about 0.019 with a standard error of 0.003; it was 0.024 against 0.015."""
    farm = compose(ROOT / "examples" / "farm.toml")
    worlds = Worlds(farm.problem, 300, farm.model.tables)
    ours, theirs = (regret(worlds, 80, who)[0] for who in (CausalTopTwo(), learner("c-ucb")))
    error = np.hypot(ours.std(), theirs.std()) / np.sqrt(300)
    assert ours.mean() < theirs.mean() + 2 * error


def test_a_known_law_with_more_states_than_actions_is_used():
    """Eight states, seven actions: whatever was seen, do() is as good as the actions on X at the known chances of X."""
    chances = 0.1, 0.5, 0.7
    world, who = parallel(chances), CausalTopTwo()
    actions = world.problem.actions
    assert world.problem.law.listed(100).shape == (7, 8)
    mean = who.estimates(final(world, who, 12, 5, np.random.default_rng(0))).mean
    for i, q in enumerate(chances):
        zero, one = (mean[:, actions.index(f"do(X{i + 1}={value})")] for value in (0, 1))
        np.testing.assert_allclose(mean[:, actions.index("do()")], (1 - q) * zero + q * one, rtol=1e-9)


def test_in_a_chain_of_copies_rounds_go_to_its_two_ends():
    """Twenty copies, 0.4 -> 0.6, 40 rounds: 0.014 with a standard error of 0.004.

    With pairs from counts after every row of the tables has been seen it was 0.041: copies that share all their rounds
    were compared with each other.
    """
    found = play(chain(20, epsilon=0.1), CausalTopTwo(law=False), 40, 200, seed=3)
    assert found.mean() < 0.028
