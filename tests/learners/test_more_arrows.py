"""Arrows that need not be there cost little: with two more of them a moulding line is believed in columns, not by counts."""

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Problem, Variable
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.learners.cautions import not_shared
from bestdo.learners.registry import learner
from bestdo.simulate import World, final

CAUSES = ("melt", "mould", "pressure", "hold", "speed", "cooling")
DIRECT = ("mould", "pressure", "speed", "cooling")
"""The causes that act on the points directly; melt acts by pressure and hold by cooling."""


def line(more):
    """A line with further arrows into its points, in which nothing is different in truth."""
    rng = np.random.default_rng(2)
    variables = [*(Variable(n, ("low", "middle", "high")) for n in CAUSES), Variable("points", number=Number())]
    arrows = [("melt", "pressure"), ("hold", "cooling"), *((n, "points") for n in (*DIRECT, *more))]
    graph = Graph.of(variables, arrows, reward="points", aim="maximise")
    effect = {n: rng.normal(0, 3, 3) for n in DIRECT}
    parents = graph.parents["points"]
    codes = dict(zip(parents, np.indices((3,) * len(parents)), strict=True))
    mean = 60 + sum(effect[n][codes[n]] for n in DIRECT)
    close = np.array([[0.7, 0.2, 0.1], [0.15, 0.7, 0.15], [0.1, 0.2, 0.7]])
    tables = {n: close if n in ("pressure", "cooling") else np.array([0.3, 0.5, 0.2]) for n in CAUSES}
    actions = Actions.single(graph)
    return World(Problem(graph, actions), Model(graph, tables, {"points": Outcome(mean, 5.0, "normal")}))


def regret(world, lanes=60, rounds=60):
    method = learner("causal-top-two")
    best = method.best(final(world, method, rounds, lanes, np.random.default_rng(3)))
    return float((world.means.max() - world.means[best]).mean()) / 5


def test_two_more_arrows_cost_little():
    """Sixty runs, 60 lanes, in spreads of a run: 0.056 ± 0.019 (with four arrows 0.053); by counts it was 0.32 ± 0.02.

    Below 0.15 is five sigma from the one, and four from the other in so many lanes.
    """
    few, many = line(()), line(("melt", "hold"))
    assert few.means == pytest.approx(many.means)
    assert not_shared(many.problem) is None
    assert regret(many) < 0.15
