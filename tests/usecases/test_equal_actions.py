"""Of actions that are equally good by the graph, `check` names those as never the best that the race leaves out."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bestdo
from bestdo import Doubts, Graph, Problem, do
from bestdo.causal.where import dominated

IDLE = [do(b=0), do(b=1), do(a=0), do(a=1)]


def test_the_order_of_actions_decides_which_of_equal_ones_the_rules_leave_out():
    graph = Graph.parse("a; b; c -> y", reward="y")
    problem = Problem(graph, IDLE)
    assert set(dominated(problem.actions)) == {do(b=0), do(b=1)}  # as they are listed: the first are left out
    assert problem.contenders.tolist() == [True, True, False, False]  # as they are sorted
    assert set(bestdo.check(problem).never_best) == {do(a=0), do(a=1)}


@pytest.mark.parametrize("arrows", ["a; b; c -> y", "a; b; c ?-> y", "a -> m; b -> m; m -> y", "a ?-> b; b -> y"])
def test_check_names_what_the_race_leaves_out_however_actions_are_listed(arrows: str):
    graph = Doubts.parse(arrows, reward="y") if "?" in arrows else Graph.parse(arrows, reward="y")
    for actions in itertools.permutations(IDLE):
        problem = Problem(graph, list(actions))
        never = bestdo.check(problem).never_best
        np.testing.assert_array_equal([a not in never for a in problem.actions], problem.contenders)
        assert set(never) == {a for a, can in zip(problem.actions, problem.contenders, strict=True) if not can}
