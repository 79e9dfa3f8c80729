"""The alarm: what it tests is true where the graph is, and it is raised where the graph is wrong."""

import itertools

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Problem, Variable, do
from bestdo.bandit.rounds import Plan
from bestdo.evidence.alarm import _together, alarms
from bestdo.evidence.claims import claims
from bestdo.evidence.confidence_sequences import against, against_same
from bestdo.simulate import World, chain, confounded, parallel
from support import brute_force


def random_model(rng, visible=4, hidden=1):
    """Any arrows along an order, hidden variables first, some with three values; the last variable is the reward."""
    names = [f"U{i}" for i in range(hidden)] + [f"V{i}" for i in range(visible)]
    values = [("0", "1") if n == names[-1] or rng.random() < 0.7 else ("a", "b", "c") for n in names]
    variables = [Variable(n, v, hidden=n[0] == "U") for n, v in zip(names, values, strict=True)]
    arrows = [(a, b) for a, b in itertools.combinations(names, 2) if b[0] == "V" and rng.random() < 0.5]
    graph = Graph.of(variables, arrows, reward=names[-1])
    size = {v.name: len(v.values) for v in variables}
    tables = {n: rng.dirichlet(np.ones(size[n]), size=[size[p] for p in graph.parents[n]]) for n in names}
    return Model(graph, tables)


def laws(model, actions, claim):
    """The target's law in each stratum, for each action (and value of `apart`) in which the claim says it is the same."""
    for a in np.flatnonzero(claim.group >= 0):
        fixed = dict(claim.action or {}) if claim.group[a] == 0 else {}
        groups = (claim.apart,) if claim.apart else ()
        of = [*fixed, *groups, *claim.given, claim.target]
        table = brute_force(model, of, actions[int(a)])
        for name, value in fixed.items():
            table = table[model.graph.variable(name).code(value)]
        table = table if groups else table[None]
        for part in table.reshape(len(table), -1, table.shape[-1]):
            total = part.sum(axis=-1, keepdims=True)
            yield np.where(total > 1e-12, part / np.maximum(total, 1e-300), np.nan)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_claimed_is_true_in_every_model_of_the_graph(seed):
    rng = np.random.default_rng(seed)
    model = random_model(rng, hidden=seed % 3)
    actions = Actions.up_to(model.graph, 2) if seed % 2 else Actions.single(model.graph)
    assert do() in actions
    found = [claim for lot in claims(actions) for claim in lot]
    assert found
    for claim in found:
        each = np.array(list(laws(model, actions, claim)))
        spread = np.nanmax(each, axis=0) - np.nanmin(each, axis=0)
        assert not (spread > 1e-9).any(), claim


def test_what_is_not_claimed_can_be_false():
    # the check above can fail: without the hidden cause the graph claims that seeing is doing, which is not so
    rng = np.random.default_rng(0)
    arrows = [("X", "Y")]
    wrong = Graph.of([Variable("U", hidden=True), Variable("X"), Variable("Y")], arrows, reward="Y")
    right = Graph.of(wrong.variables, [*arrows, ("U", "X"), ("U", "Y")], reward="Y")
    model = Model(right, {n: rng.dirichlet([1, 1], size=[2] * len(right.parents[n])) for n in right.names})
    claim = claims(Actions.single(wrong))[0][0]
    each = np.array(list(laws(model, Actions.single(right), claim)))
    assert np.nanmax(np.ptp(each, axis=0)) > 0.04  # 0.047
    assert not claims(Actions.single(right))[0]


def test_the_evidence_is_the_likelihood_of_each_by_that_of_all_together():
    counts = np.array([[31.0, 9], [9, 16]])
    grid = np.linspace(0.001, 0.999, 9999)
    least = sum(against(np.array(a + b), np.array(a), grid) for a, b in counts).min()
    assert against_same(counts) == pytest.approx(least, abs=1e-6)
    assert against_same(np.zeros((2, 3, 2))) == pytest.approx(0)


def test_no_sequence_gives_the_evidence_a_mean_above_1():
    """Enumerated: the evidence after 8 rounds in two groups, averaged over all outcomes under one chance."""
    for p in (0.1, 0.5, 0.8):
        total = 0.0
        for outcome in itertools.product((0, 1), repeat=8):
            counts = np.zeros((2, 2))
            for i, y in enumerate(outcome):
                counts[i % 2, y] += 1
            k = sum(outcome)
            total += p**k * (1 - p) ** (8 - k) * np.exp(against_same(counts))
        assert total <= 1
    assert _together(np.array([0.0, 0.0])) == pytest.approx(0)


def played(world, watched, each, seed, lanes=1):
    counts = np.full((lanes, len(world.problem.actions)), each)
    counts[:, world.problem.actions.index(do())] = watched
    return world.rounds(Plan(counts), np.random.default_rng(seed))


@pytest.mark.parametrize("world", [parallel([0.3, 0.5, 0.1]), confounded([0.1, 0.4], [0.3, 0.7]), chain(3, 0.8, 0.3)])
def test_false_alarms_are_rare(world):
    # at most 10 % of 40; 9 or more of 40 would be 3 sigma (0.047 each) above it
    raised = sum(bool(alarms(world.problem, played(world, 200, 20, seed), 0.1)) for seed in range(40))
    assert raised < 9


def test_a_missing_common_cause_is_noticed():
    rng = 1
    variables = [Variable("U", hidden=True), Variable("X"), Variable("W"), Variable("Y")]
    right = Graph.of(variables, [("U", "X"), ("U", "Y"), ("X", "Y"), ("W", "Y")], reward="Y")
    believed = Graph.of(variables, [("X", "Y"), ("W", "Y")], reward="Y")
    success = np.array([[[0.9, 0.9], [0.8, 0.8]], [[0.2, 0.2], [0.1, 0.1]]])  # U, X, W
    tables = {"U": [0.5, 0.5], "X": [[0.9, 0.1], [0.1, 0.9]], "W": [0.5, 0.5]}
    model = Model(right, {**tables, "Y": np.stack([success, 1 - success], axis=-1)})
    world = World(Problem(right, Actions.single(right)), model)
    problem = Problem(believed, Actions(believed, list(Actions.single(right))))
    rounds = played(world, 400, 120, rng)
    found = alarms(problem, rounds)
    seen = [str(alarm) for alarm in found if alarm.evidence.startswith("do(X=")]
    assert seen
    assert "played 120 times with mean 0." in seen[0]
    assert "at most one study in" in seen[0]
    assert max(alarm.chance for alarm in found) <= 0.05
    assert not alarms(world.problem, rounds)


def test_a_reversed_arrow_is_noticed():
    variables = [Variable("A"), Variable("B"), Variable("Y")]
    right = Graph.of(variables, [("B", "A"), ("B", "Y")], reward="Y")
    believed = Graph.of(variables, [("A", "B"), ("B", "Y")], reward="Y")
    copy = [[0.9, 0.1], [0.1, 0.9]]
    world = World(
        Problem(right, Actions.single(right)), Model(right, {"B": [0.5, 0.5], "A": copy, "Y": [[0.7, 0.3], [0.3, 0.7]]})
    )
    problem = Problem(believed, Actions(believed, list(Actions.single(right))))
    found = alarms(problem, played(world, 200, 50, 0))
    assert any("setting B leaves A alone" in str(alarm) for alarm in found)


def test_missing_values_leave_rounds_out():
    world = parallel([0.3, 0.5])
    rounds = played(world, 100, 10, 0)
    assert alarms(world.problem, rounds._replace(x=np.full_like(rounds.x, -1))) == []
    empty = rounds._replace(lane=rounds.lane[:0], action=rounds.action[:0], x=rounds.x[:0], y=rounds.y[:0])
    assert alarms(world.problem, empty) == []
