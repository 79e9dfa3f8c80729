"""Counts of the conditional tables, against counting in plain Python."""

from collections import Counter

import numpy as np
import pytest

from bestdo import Actions, Graph, Problem, Variable, do
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.errors import NotValid, TooLarge
from bestdo.simulate import World, arms, chain, confounded, parallel
from bestdo.statistics import tables
from bestdo.statistics.tables import Tables
from bestdo.testing import check_sampler, check_statistic
from support import random_graph, random_model

WORLDS = {
    "parallel": lambda: parallel([0.3, 0.0, 0.1]),
    "confounded": lambda: confounded([0.1, 0.4, 0.4], [0.3, 0.7, 0.6]),
    "chain": lambda: chain(3, copy=0.8, first=0.3),
    "bandit": lambda: arms([0.2, 0.7, 0.5]),
}


def random_world(rng, most=2):
    graph = random_graph(rng, int(rng.integers(2, 7)), arrows=0.5, both=0, sizes=(1, 2, 3))
    return World(Problem(graph, Actions.up_to(graph, most)), random_model(rng, graph))


def naive(statistic, rounds):
    """{(lane, variable, parents' values, value): (how often, successes)}, row by row."""
    problem, weight, reward = statistic.problem, Counter(), Counter()
    graph = problem.graph
    for lane, action, x, y in zip(*rounds[:4], strict=True):
        done = problem.actions[action]
        seen = {n: graph.variable(n).values[code] for n, code in zip(graph.names, x, strict=True) if code >= 0} | dict(
            done
        )
        seen[graph.reward] = next(v for v in graph.variable(graph.reward).values if (v == graph.success) == y)
        for name in graph.ancestors([graph.reward]):
            if name not in done and {name, *graph.parents[name]} <= set(seen):
                cell = lane, name, tuple(seen[p] for p in graph.parents[name]), seen[name]
                weight[cell] += 1
                reward[cell] += int(y)
    return weight, reward


def by_name(statistic, counts):
    """The same from a tally."""
    graph, cells, found = statistic.problem.graph, statistic.cells, Counter()
    for lane, row in enumerate(counts):
        for v, name in enumerate(cells.names):
            axes = (*graph.parents[name], name)
            table = row[cells.start[v] : cells.start[v + 1]].reshape([graph.size(n) for n in axes])
            for where in np.argwhere(table):
                values = [graph.variable(n).values[k] for n, k in zip(axes, where, strict=True)]
                found[lane, name, tuple(values[:-1]), values[-1]] = int(table[tuple(where)])
    return found


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_counts_are_those_of_counting_row_by_row(missing):
    rng = np.random.default_rng(1)
    for _ in range(25):
        world = random_world(rng)
        statistic = Tables(world.problem)
        rounds = world.rounds(Plan(rng.integers(0, 3, size=(3, len(world.problem.actions)))), rng)
        rounds = rounds._replace(x=np.where(rng.random(rounds.x.shape) < missing, -1, rounds.x))
        tally = statistic.tally(rounds, 3)
        weight, reward = naive(statistic, rounds)
        assert by_name(statistic, tally.weight) == weight
        assert by_name(statistic, tally.reward) == +reward


def test_many_rounds_are_counted_in_parts(monkeypatch):
    rng = np.random.default_rng(2)
    world = random_world(rng)
    rounds = world.rounds(Plan(np.full((2, len(world.problem.actions)), 5)), rng)
    whole = Tables(world.problem).tally(rounds, 2)
    monkeypatch.setattr(tables, "ROUNDS_AT_ONCE", 7)
    parts = Tables(world.problem).tally(rounds, 2)
    assert all(np.array_equal(a, b) for a, b in zip(whole, parts, strict=True))


@pytest.mark.parametrize("name", WORLDS)
def test_the_contract(name):
    world = WORLDS[name]()
    statistic = Tables(world.problem)
    check_statistic(statistic, world)
    plan = Plan(np.random.default_rng(3).integers(0, 4, size=(1, len(world.problem.actions))))
    check_sampler(world, statistic, plan, lanes=2000)


def test_what_an_action_set_counts_as_seen_and_the_variable_set_does_not_count():
    graph = Graph.of([Variable("X"), Variable("Y")], [("X", "Y")], reward="Y")
    statistic = Tables(Problem(graph, Actions(graph, [do(), do(X=1)])))
    one, blind = np.array([0]), np.array([[-1, -1]])
    assert statistic.cells.names == ("X", "Y")
    assert statistic.tally(Rounds(one, np.array([1]), blind, np.array([True])), 1).weight.tolist() == [
        [0, 0, 0, 0, 0, 1]
    ]
    assert not statistic.tally(Rounds(one, np.array([0]), blind, np.array([True])), 1).weight.any()


def test_only_causes_of_the_reward_are_counted():
    variables = [Variable("X"), Variable("Y"), Variable("effect"), Variable("U", hidden=True)]
    graph = Graph.of(variables, [("X", "Y"), ("Y", "effect"), ("U", "effect")], reward="Y")
    assert Tables(Problem(graph, Actions(graph, [do(effect=1), do()]))).cells.names == ("X", "Y")


def test_hidden_causes_are_refused():
    graph = Graph.of([Variable("X"), Variable("Y")], [("X", "Y")], [("X", "Y")], reward="Y")
    with pytest.raises(NotValid, match="'X<->Y' is hidden"):
        Tables(Problem(graph, Actions.single(graph)))


def test_too_many_cells_are_refused():
    world = parallel([0.5] * 50)
    with pytest.raises(TooLarge, match=r"2,251,799,813,685,348 cells; at most 16,384 .* 'Y', with 50 parents"):
        Tables(world.problem)
