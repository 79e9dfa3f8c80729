"""Calibration on every class: coverage and bins are counted right, in one world and in many at once."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from bestdo.bandit.estimate import Estimates
from bestdo.experiments import experiment
from bestdo.experiments.engine.runner import rows
from bestdo.research.figures.calibration import by_horizon, coverage_table
from bestdo.research.figures.intervals import coverage
from bestdo.research.figures.p_best import in_bins
from bestdo.research.figures.world_classes import world_classes
from bestdo.simulate import arms

CLASSES = world_classes()


def test_every_class_is_there_and_the_longest_horizons_are_those_of_few_actions():
    settings = experiment("calibration").settings
    assert {s.panel for s in settings} == set(CLASSES)
    assert {s.x for s in settings} == {2, 10, 50, 150}
    assert all(s.x <= 10 for s in settings if len(s.world.problem.actions) > 60 or s.world.problem.cost)


def test_coverage_of_all_of_the_kept_and_of_the_best_action():
    world = arms([0.2, 0.5, 0.8])
    low, high = np.array([[0.1, 0.6, 0.7], [0.3, 0.4, 0.0]]), np.array([[0.3, 0.9, 0.9], [0.4, 0.6, 0.7]])
    found = coverage(world, Estimates((low + high) / 2, low, high, low, low), np.array([0, 1]))
    assert found["covered"] == pytest.approx([2 / 3, 1 / 3])
    assert found["kept_covered"].tolist() == [1, 1]
    assert found["best_covered"].tolist() == [1, 0]


def test_best_actions_in_bins_are_those_of_each_lane():
    worlds = SimpleNamespace(gains=np.array([[0.1, 0.9], [0.7, 0.7]]))
    found = in_bins(worlds, np.array([[0.15, 0.85], [0.45, 0.55]]))
    assert [found[f"count {k}"].tolist() for k in (3, 6, 7, 10)] == [[1, 0], [0, 1], [0, 1], [1, 0]]
    assert [found[f"happened {k}"].tolist() for k in (3, 6, 7, 10)] == [[0, 0], [0, 0.5], [0, 0.5], [1, 0]]


def test_tables_of_a_small_run():
    whole = experiment("calibration")
    names = {"flat rows, 2 causes", "1 of 12 causes adds", "number, 80 % zeros"}
    some = replace(whole, settings=tuple(s for s in whole.settings if s.panel in names and s.x == 2))
    table = rows(some, 12, 3)
    assert all(0.6 < row["covered"] <= 1 for row in table)
    bins = by_horizon(table)
    assert {row["panel"] for row in bins} == {"2 rounds for each action"}
    actions = sum(len(CLASSES[name].problem.actions) for name in names)
    assert sum(row["actions"] for row in bins) == pytest.approx(12 * actions)
    text = coverage_table(table)
    assert text.splitlines()[-1].startswith("| all 3 classes | 2 |")
    assert all(f"| {name} | 2 | 12 |" in text for name in names)
