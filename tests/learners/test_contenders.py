"""Actions that cannot be the best: never recommended, without a share of P(best), played only where that teaches."""

import time
from dataclasses import replace

import numpy as np
import pytest

from bestdo import Actions, Graph, Problem, do
from bestdo.bandit.learner import Ties, argmax
from bestdo.bandit.request import Request
from bestdo.causal.model import Model
from bestdo.causal.where import dominated
from bestdo.errors import NotValid
from bestdo.learners import LEARNERS, learner
from bestdo.simulate import chain, paper_parallel, parallel, play
from bestdo.simulate.samplers import tally
from bestdo.simulate.world import World
from bestdo.statistics.played import Played


def front_door(seed=1):
    graph = Graph.parse("X -> M -> Y; X <-> Y", reward="Y")
    rng = np.random.default_rng(seed)
    tables = {}
    for name in graph.names:
        p = rng.uniform(0.1, 0.9, [graph.size(parent) for parent in graph.parents[name]])
        tables[name] = np.stack([1 - p, p], axis=-1)
    return World(Problem(graph, Actions.single(graph)), Model(graph, tables))


def racing(world):
    """A world of the paper in which only actions that can be the best compete."""
    return replace(world, problem=replace(world.problem, all_compete=False))


WORLDS = {
    "front door": front_door(),
    "chain": racing(chain(3, copy=0.8, first=0.3)),
    "parallel": racing(parallel([0.1, 0.4, 0.5])),
}


def played_until_the_end(made, world, horizon, lanes, rng):
    """All plans of a learner, and its state after each block."""
    statistic, state = made.statistic(world.problem, horizon), made.start(world.problem, horizon, lanes, rng)
    plans, states = [], [state]
    while (plan := made.ask(states[-1], Request(), rng)) is not None:
        plans.append(plan.counts)
        states.append(made.tell(states[-1], plan, tally(world, statistic, plan, rng)))
    return sum(plans, np.zeros((lanes, len(world.problem.actions)))).sum(axis=0), states


@pytest.mark.parametrize("where", WORLDS)
@pytest.mark.parametrize("name", LEARNERS)
def test_no_learner_recommends_what_cannot_be_the_best(name, where):
    made, world = learner(name), WORLDS[where]
    actions = world.problem.actions
    out = np.array([a in dominated(actions) for a in actions])
    assert 0 < out.sum() < len(out)
    try:
        played, states = played_until_the_end(made, world, 30, 4, np.random.default_rng(0))
    except NotValid:
        return
    for state in states[:: max(1, len(states) // 4)]:
        assert not out[made.best(state)].any()
        found = made.estimates(state)
        assert not found.p_best[:, out].any()
        np.testing.assert_allclose(found.p_best.sum(axis=1), 1)
    if isinstance(made.statistic(world.problem, 30), Played):  # a round teaches about its own action alone
        assert not played[out].any()
    elif name.startswith("algorithm-1") or name == "watching":
        assert not played[out & np.array([a != do() for a in actions])].any()


def test_leaving_them_out_lowers_the_regret():
    """60 rounds on a front door: 0.04 and 0.05 where all compete, 0.01 and 0 without; the differences are 4 and 8 sigma."""
    world = front_door(seed=2)
    everyone = replace(world, problem=replace(world.problem, all_compete=True))
    for name, lanes in (("top-two", 200), ("causal-top-two", 60)):
        before, now = (play(each, name, 60, lanes, seed=0).mean() for each in (everyone, world))
        assert now < before - 0.01


def test_the_contenders_of_a_problem():
    problem = WORLDS["chain"].problem
    assert [str(a) for a, can in zip(problem.actions, problem.contenders, strict=True) if can] == [
        "do(X3=0)",
        "do(X3=1)",
    ]
    assert replace(problem, all_compete=True).contenders.all()
    assert chain(3).problem.contenders.all()  # the paper's worlds are as in the paper
    order = np.random.default_rng(0).permutation(len(problem.actions))
    other = Problem(problem.graph, Actions(problem.graph, [problem.actions[i] for i in order]))
    assert (other.contenders == problem.contenders[order]).all()


def test_the_largest_value_is_that_of_a_contender():
    problem, rng = WORLDS["chain"].problem, np.random.default_rng(0)
    ties, can = Ties(problem, 50, rng), np.flatnonzero(problem.contenders)
    values = np.tile(np.where(problem.contenders, 0.2, 0.9), (50, 1))
    assert set(argmax(values, ties, 0)) == set(can)
    assert not set(argmax(values, ties, 0, all_compete=True)) & set(can)
    assert set(argmax(np.where(problem.contenders, np.nan, values), ties, 0)) == set(
        can
    )  # though nothing is known of them


def test_one_contender_is_kept_and_played():
    graph = Graph.parse("Z; X -> Y", reward="Y")
    problem = Problem(graph, Actions(graph, [do(X=1), do(X=1, Z=0), do(X=1, Z=1)]))
    assert problem.contenders.tolist() == [True, False, False]
    world = World(problem, Model(graph, {"Z": [0.5, 0.5], "X": [0.5, 0.5], "Y": [[0.5, 0.5], [0.2, 0.8]]}))
    for name in LEARNERS:
        made = learner(name)
        try:
            played, states = played_until_the_end(made, world, 12, 2, np.random.default_rng(0))
        except NotValid:
            continue
        assert made.best(states[-1]).tolist() == [0, 0]
        learns_tables = name == "covering" or name.startswith("propagating-inference")  # from rounds of any action
        assert learns_tables or not played[1:].any()


def test_a_thousand_variables_take_no_time():
    """It took 31 s for 200 variables."""
    actions = paper_parallel(400, 2, 0.3).problem.actions
    start = time.process_time()
    assert [str(a) for a in dominated(actions)] == ["do()"]
    assert time.process_time() - start < 2


def random_world(kind, rng):
    """A random model of a front door, of a chain with a hidden cause, or of a plain chain; all single actions."""
    text = {
        "front door": "X -> M -> Y; X <-> Y", "confounded chain": "A -> B -> C -> Y; A <-> C", "chain": "A -> B -> C -> Y"
    }  # fmt: skip
    graph = Graph.parse(text[kind], reward="Y")
    tables = {}
    for name in graph.names:
        p = rng.random([graph.size(parent) for parent in graph.parents[name]]) * 0.9 + 0.05
        tables[name] = np.stack([1 - p, p], axis=-1)
    return World(Problem(graph, Actions.single(graph)), Model(graph, tables))


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["causal-top-two", "watch-then-act", "top-two"])
@pytest.mark.parametrize("kind", ["front door", "confounded chain", "chain"])
def test_regret_with_and_without_them(kind, name):
    """60 rounds on 40 random worlds, 20 simulations of each; `-s` shows the line in docs/explanation/learners.md."""
    rng, regret = np.random.default_rng(5), np.zeros((40, 2))
    for i in range(40):
        world = random_world(kind, rng)
        for k, all_compete in enumerate((True, False)):
            each = replace(world, problem=replace(world.problem, all_compete=all_compete))
            regret[i, k] = play(each, name, 60, 20, seed=np.random.default_rng(i)).mean()
    (before, now), error = regret.mean(axis=0), np.diff(regret).std() / 40**0.5
    print(f"| {kind} | {name} | {before:.3f} | {now:.3f} | {error:.3f} |")  # noqa: T201
    assert now <= before + 2 * error
