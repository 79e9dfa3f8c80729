"""The sums of a regression on columns, against XᵀX and Xᵀy formed row by row, and counts against counting in Python."""

from dataclasses import replace

import numpy as np
import pytest

from bestdo import Actions, Graph, Problem, Variable
from bestdo.bandit.rounds import UNKNOWN, Plan, Rounds
from bestdo.causal.number import Number
from bestdo.learners.beliefs.column_belief import ColumnBelief
from bestdo.simulate import World
from bestdo.statistics import column_sums
from bestdo.statistics.column_sums import ColumnSums
from bestdo.statistics.tables import Tables
from bestdo.testing import measured
from support import random_model


def world_of(number=False, arrows=(("Z", "A"), ("Z", "B")), sizes=(2, 3, 2)):
    """Causes A, B, C of a reward; Z causes some of them."""
    causes = [Variable(n, tuple(map(str, range(size)))) for n, size in zip("ABC", sizes, strict=True)]
    graph = Graph.of([Variable("Z"), *causes, Variable("Y")], [*arrows, *((n, "Y") for n in "ABC")], reward="Y")
    world = World(Problem(graph, Actions.up_to(graph, 2)), random_model(np.random.default_rng(0), graph))
    return measured(world, Number()) if number else world


def statistic_of(world) -> ColumnSums:
    return ColumnBelief(world.problem).statistic.own


def rounds_of(world, lanes, most, seed=1):
    rng = np.random.default_rng(seed)
    return world.rounds(Plan(rng.integers(0, most, size=(lanes, len(world.problem.actions)))), rng)


def column(value, size):
    """The columns of a cause, written out."""
    return [[-(0.5**0.5)], [0.5**0.5]][value] if size == 2 else [float(k == value) for k in range(size)]


def row_by_row(statistic, rounds, lanes):
    """XᵀX, Xᵀy and yᵀy of each lane, by outer products; a value that the action set counts as seen."""
    problem, graph = statistic.problem, statistic.problem.graph
    design = ColumnBelief(problem)._design
    gram = np.zeros((lanes, design.size, design.size))
    xy, yy = np.zeros((lanes, design.size)), np.zeros(lanes)
    times = np.ones(len(rounds.lane)) if rounds.times is None else rounds.times
    for lane, action, x, y, often in zip(*rounds[:4], times, strict=True):
        done = dict(problem.actions[action])
        codes = []
        for name in "ABC":
            seen = x[graph.names.index(name)]
            if name in done and seen != UNKNOWN:
                seen = graph.variable(name).code(done[name])
            codes.append(seen)
        if min(codes) < 0:
            continue
        own = [column(code, graph.size(name)) for code, name in zip(codes, "ABC", strict=True)]
        phi = [1.0, *own[0], *own[1], *own[2]]
        for i, j in design.pairs:
            phi += [a * b for a in own[i] for b in own[j]]
        gram[lane] += often * np.outer(phi, phi)
        xy[lane] += often * y * np.array(phi)
        yy[lane] += often * float(y) ** 2
    return gram, xy, yy


def agree(statistic, rounds, lanes):
    tally = statistic.tally(rounds, lanes)
    gram, xy, yy = row_by_row(statistic, rounds, lanes)
    one, two = np.triu_indices(statistic.size)
    np.testing.assert_allclose(tally.weight[:, : statistic.own], gram[:, one, two], atol=1e-9)
    np.testing.assert_allclose(tally.reward[:, : statistic.size], xy, atol=1e-9)
    assert not tally.reward[:, statistic.size :].any()
    np.testing.assert_allclose(tally.squares[:, 0], yy, atol=1e-9)
    assert tally.weight.shape[1] == statistic.own + statistic.cells.total


@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize(("lanes", "most"), [(1, 2), (1, 9), (4, 2), (4, 12), (60, 2)])
def test_sums_are_those_row_by_row(number, lanes, most):
    """Few rounds of a lane are summed one by one, many as matrices."""
    world = world_of(number)
    agree(statistic_of(world), rounds_of(world, lanes, most), lanes)


@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("most", [2, 12])
def test_values_that_are_missing_unknown_or_occur_several_times(number, most):
    world, rng = world_of(number), np.random.default_rng(2)
    rounds = rounds_of(world, 3, most)
    x = np.where(rng.random(rounds.x.shape) < 0.15, -1, rounds.x)
    x = np.where(rng.random(x.shape) < 0.05, UNKNOWN, x)
    blind = rounds._replace(x=x, times=rng.integers(0, 4, len(x)))
    agree(statistic_of(world), blind, 3)
    agree(statistic_of(world), blind._replace(times=rng.random(len(x))), 3)  # parts of a round


@pytest.mark.parametrize("number", [False, True])
def test_one_round_in_each_of_many_lanes(number):
    """To the last bit as one lane alone, several times and for a part of a round, too."""
    world, rng = world_of(number), np.random.default_rng(4)
    plan = np.eye(len(world.problem.actions), dtype=np.int64)[rng.integers(0, len(world.problem.actions), 20)]
    statistic, rounds = statistic_of(world), world.rounds(Plan(plan), rng)
    for some in (rounds, rounds._replace(times=rng.integers(0, 4, 20)), rounds._replace(times=rng.random(20))):
        agree(statistic, some, 20)
        for lane in range(20):
            one = some.pick(np.array([lane]))
            alone = statistic.tally(one._replace(lane=np.zeros(1, np.int64)), 1)
            np.testing.assert_array_equal(alone.weight[0], statistic.tally(some, 20).weight[lane])


def test_lanes_without_rounds_and_no_rounds_at_all():
    world = world_of()
    statistic, rounds = statistic_of(world), rounds_of(world, 5, 3)
    agree(statistic, rounds.pick(np.flatnonzero(np.isin(rounds.lane, (1, 3)))), 5)
    agree(statistic, rounds.pick(np.zeros(0, np.int64)), 5)


@pytest.mark.parametrize("number", [False, True])
@pytest.mark.parametrize("most", [2, 9])
def test_rounds_in_any_order_and_in_parts(number, most):
    """Not `check_statistic`: a round that is missing makes a sum of products of columns larger where they differ in sign."""
    world, rng = world_of(number), np.random.default_rng(4)
    statistic, rounds = statistic_of(world), rounds_of(world, 3, most)
    whole, mixed = statistic.tally(rounds, 3), rng.permutation(len(rounds.lane))
    parts = [statistic.tally(rounds.pick(part), 3) for part in (mixed[: len(mixed) // 3], mixed[len(mixed) // 3 :])]
    for found in (statistic.tally(rounds.pick(mixed), 3), parts[0].plus(parts[1])):
        assert all(
            np.allclose(one, other, rtol=0, atol=1e-9) for one, other in zip(found.sums, whole.sums, strict=True)
        )
    times = rng.integers(0, 4, size=len(mixed))
    repeated = statistic.tally(rounds.pick(np.repeat(np.arange(len(mixed)), times)), 3)
    again = statistic.tally(rounds._replace(times=times), 3)
    assert all(np.allclose(one, other, rtol=0, atol=1e-9) for one, other in zip(again.sums, repeated.sums, strict=True))


def test_both_ways_of_summing_agree(monkeypatch):
    world = world_of(True)
    statistic, rounds = statistic_of(world), rounds_of(world, 3, 9)
    whole = statistic.tally(rounds, 3)
    monkeypatch.setattr(column_sums, "_OUTER", 10**6)
    np.testing.assert_allclose(statistic.tally(rounds, 3).weight, whole.weight, atol=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_tables_of_the_causes_are_those_of_the_tables(missing):
    """The same counts as `Tables`, which are tested by counting in Python, but for the reward's."""
    world, rng = world_of(), np.random.default_rng(3)
    statistic, tables = statistic_of(world), Tables(world.problem)
    rounds = rounds_of(world, 3, 4)
    rounds = rounds._replace(x=np.where(rng.random(rounds.x.shape) < missing, -1, rounds.x))
    found = statistic.tally(rounds, 3).weight[:, statistic.own :]
    wanted = tables.tally(rounds, 3).weight
    for v, name in enumerate(statistic.cells.names):
        at = tables.cells.names.index(name)
        np.testing.assert_array_equal(
            found[:, statistic.cells.start[v] : statistic.cells.start[v + 1]],
            wanted[:, tables.cells.start[at] : tables.cells.start[at + 1]],
        )
    assert set(statistic.cells.names) == set(tables.cells.names) - {"Y"}


def test_no_tables_where_the_law_of_the_causes_is_known():
    world = world_of()
    known = replace(world.problem, law=world.model.parent_law(world.problem.actions))
    statistic = ColumnBelief(known).statistic.own
    assert not statistic.cells.total
    rounds = rounds_of(world, 2, 3)
    assert statistic.tally(rounds, 2).weight.shape == (2, statistic.own)
    one = np.array([0])
    assert not statistic.tally(Rounds(one, one, np.full((1, 5), -1), np.array([True])), 1).weight.any()
