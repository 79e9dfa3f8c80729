"""Sums of importance weights on parallel worlds: drawn in one piece or action by action, and not kept for ever."""

import gc
import weakref

import numpy as np
import pytest

from bestdo.bandit.rounds import Plan
from bestdo.learners import learner
from bestdo.memory_cache import memory_cache
from bestdo.research.figures.held_out import random_world
from bestdo.simulate import paper_parallel, parallel_sums


@pytest.mark.parametrize(
    ("world", "passive", "classes"),
    [(random_world(0)[1], 0, 128), (random_world(11)[1], 4, 4096), (paper_parallel(50, 10, 0.3), 40, 1)],
    ids=["128 classes", "4096 classes and passive variables", "passive variables"],
)
def test_drawn_action_by_action_the_sums_are_the_same(monkeypatch, world, passive, classes):
    statistic = learner("algorithm-2").statistic(world.problem, 100)
    layout = parallel_sums._layout(world, statistic)
    assert (len(layout.passive), max(len(c.chance) for c in layout.classes)) == (passive, classes)
    plan = Plan(np.random.default_rng(1).multinomial(100, statistic.eta, size=20))
    found = []
    for cells in (2**30, 0):
        monkeypatch.setattr(parallel_sums, "_CELLS_AT_ONCE", cells)
        found.append(parallel_sums.importance_sums(world, statistic, plan, np.random.default_rng(2)))
    for at_once, by_action in zip(*(sums.sums for sums in found), strict=True):
        np.testing.assert_allclose(by_action, at_once, rtol=1e-13, atol=1e-13)


def test_layouts_of_worlds_that_are_no_longer_played_are_dropped(monkeypatch):
    monkeypatch.setattr(memory_cache, "budget", 2**20)
    kept = []
    for number in (0, 7, 24):  # 0.4 to 1.3 MB each
        world = random_world(number)[1]
        kept.append(weakref.ref(parallel_sums._layout(world, learner("algorithm-2").statistic(world.problem, 100))))
    gc.collect()
    assert [layout() is not None for layout in kept] == [False, False, True]
