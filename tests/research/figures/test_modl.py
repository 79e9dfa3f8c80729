"""MODL's worlds: the same as the authors', and the rounds that are needed in them."""

import numpy as np
import pytest

from bestdo.experiments import experiment
from bestdo.learners import learner
from bestdo.research.figures.modl import measure, rounds_needed, shares
from bestdo.research.figures.modl_worlds import modl_worlds
from bestdo.testing import check_world

BEST = (2.824243, 3.152088, 2.102026, 1.641000, 2.623577, 2.883268, 2.219768, 3.260301, 2.618698, 1.792720)
"""The values of the best action that the authors' code prints for the seeds 0 to 9."""


def test_the_worlds_are_those_of_the_authors():
    worlds = modl_worlds()
    assert [round(float(world.gains.max()), 6) for world in worlds[:10]] == list(BEST)
    causes = [world.problem.graph.parents["Y"] for world in worlds]
    assert causes[:5] == [("X7",), ("X7",), ("X6",), ("X2",), ("X2",)]
    for world in worlds:
        names = [n for n in world.problem.graph.names if n != "Y"]
        assert len(names) == 10
        assert {world.problem.graph.size(n) for n in names} <= {3, 4, 5, 6}
    check_world(worlds[0])


def test_without_the_graph_any_action_may_be_the_best():
    """With it only the values of the one cause compete, and do(): 40 lanes of 20 rounds."""
    whole, world = experiment("modl"), modl_worlds()[0]
    known, unknown = (
        measure(world, whole.learners[label], 20, 40, np.random.default_rng(1))["good"].mean()
        for label in ("Top-two Thompson sampling", "Top-two Thompson sampling without the graph")
    )
    assert known > unknown + 0.4
    assert world.problem.contenders.sum() < 10 < len(world.problem.actions)
    assert measure(world, learner("uniform"), 2000, 5, np.random.default_rng(1))["good"].all()


def test_the_rounds_needed_are_the_least_from_which_on_nine_of_ten_are_good():
    rows = [
        {
            "learner": "mine",
            "x": x,
            "seed": seed,
            "sims": 10,
            "good": good,
            "good_error": 0.1,
            "regret": 0.1,
            "regret_error": 0,
        }
        for seed, goods in enumerate([(0.5, 0.95, 0.8, 0.9), (0.9, 0.92, 0.95, 1.0)])
        for x, good in zip((4, 8, 16, 32), goods, strict=True)
    ]
    table = shares(rows)
    assert rounds_needed(table) == {"mine": pytest.approx((32 + 4) / 2)}
    assert [row["good"] for row in table] == pytest.approx([0.7, 0.935, 0.875, 0.95])
