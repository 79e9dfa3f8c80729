"""Intervals of causal top-two on rewards that are numbers, normal and skewed, where it chose the rounds by what it saw."""

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Problem, Variable
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import World, final

ARROWS = {
    "parallel": [(f"X{i}", "Y") for i in range(4)],
    "chain": [("A", "B"), ("B", "C"), ("A", "D"), ("C", "Y"), ("D", "Y")],
    "confounded": [("Z", "X"), ("Z", "Y"), ("X", "Y"), ("W", "Y")],
}
SPREAD = {"normal": 0.0, "lognormal": 1.0, "zeros": 2.0}
"""The spread of a row, in its mean; "normal": 2 everywhere."""


def random_world(kind, shape, seed):
    rng = np.random.default_rng(seed)
    names = sorted({n for arrow in ARROWS[kind] for n in arrow} - {"Y"})
    variables = [*map(Variable, names), Variable("Y", number=Number())]
    graph = Graph.of(variables, ARROWS[kind], reward="Y", aim="maximise")
    chance = {n: rng.uniform(0.1, 0.9, (2,) * len(graph.parents[n])) for n in names}
    tables = {n: np.stack([1 - p, p], axis=-1) for n, p in chance.items()}
    parents = len(graph.parents["Y"])
    height = np.tensordot(rng.normal(0, 1, parents), np.indices((2,) * parents), 1)
    height = height + 0.4 * rng.normal(0, 1, height.shape)
    mean = 2 * np.exp((height - height.mean()) / 2)
    spread = SPREAD[shape] * mean if SPREAD[shape] else np.full(mean.shape, 2.0)
    model = Model(graph, tables, {"Y": Outcome(mean, spread, shape)})
    return World(Problem(graph, Actions.single(graph)), model)


def covered(world, rounds, lanes, seed, *lengths):
    """How many intervals of all actions hold, and of the kept one, when each is made so many times as long."""
    learner = CausalTopTwo()
    state = final(world, learner, rounds, lanes, np.random.default_rng(seed))
    found, kept, rows = learner.estimates(state), learner.best(state), []
    for length in lengths:
        low, high = (found.mean + length * (end - found.mean) for end in (found.low, found.high))
        holds = (low <= world.means) & (world.means <= high)
        rows.append((holds.mean(), holds[np.arange(lanes), kept].mean()))
    return rows


@pytest.mark.parametrize("shape", SPREAD)
def test_intervals_hold(shape):
    """60 simulations of 60 rounds on a chain: above 0.9, 4 standard errors below what was measured."""
    (held, _), (half, _) = covered(random_world("chain", shape, 0), 60, 60, 0, 1.0, 0.5)
    assert held > 0.9
    assert half < 0.85  # intervals half as long would be noticed


@pytest.mark.campaign
@pytest.mark.parametrize(("rounds", "least"), [(30, 0.85), (60, 0.9), (200, 0.9)])
def test_intervals_hold_on_many_worlds(rounds, least):
    """27 worlds, 100 simulations each. Prints the coverage of all actions and of the kept one.

    30 rounds of seven or nine actions are too few for rewards of which 60 % are zero.
    """
    found = {shape: [] for shape in SPREAD}
    for kind in ARROWS:
        for shape in SPREAD:
            found[shape] += [covered(random_world(kind, shape, seed), rounds, 100, seed, 1.0)[0] for seed in range(3)]
    for shape, rows in found.items():
        every, kept = np.mean(rows, axis=0)
        print(f"{rounds} rounds, {shape}: {every:.3f}, kept {kept:.3f}, least {min(rows)[0]:.3f}")  # noqa: T201
    rows = [row for rows in found.values() for row in rows]
    assert np.mean(rows, axis=0)[0] > 0.93
    assert min(rows)[0] > least
