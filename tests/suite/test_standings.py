"""Ranks of learners in worlds."""

from bestdo.suite.standings import standings
from bestdo.suite.suite_rows import SuiteRow


def row(world, learner, horizon, regret, error=0.01):
    return SuiteRow(world, 1, "parallel", "find", learner, learner, horizon, "regret", regret, error, 0.5, 100)


def test_ranks_at_the_longest_horizon():
    rows = [
        row("a", "x", 10, 0.0),
        row("a", "x", 20, 0.3),
        row("a", "y", 20, 0.2),
        row("a", "z", 20, 0.21),
        row("a", "w", 20, 0.2),
        row("a", "refuses", 20, None, None),
        row("b", "x", 20, 0.0, 0.0),
        row("b", "y", 20, 1e-9, 0.0),
    ]
    found = {(each.world, each.learner): each[3:] for each in standings(rows)}
    assert found == {
        ("a", "y"): (1, 4, True),
        ("a", "w"): (1, 4, True),
        ("a", "z"): (3, 4, True),
        ("a", "x"): (4, 4, False),
        ("b", "x"): (1, 2, True),
        ("b", "y"): (2, 2, False),
    }
