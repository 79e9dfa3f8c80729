"""Who asks for many rounds at the start gets different ones: each is rated by draws of its own."""

from collections import Counter

import pytest

from bestdo import Graph, Problem
from bestdo.study import Study


def asked(problem, count, tmp_path):
    study = Study.create(problem, 200, name="many", storage=f"sqlite:///{tmp_path}/many.db")
    return Counter(str(one.action) for one in study.ask("Ann", count))


@pytest.mark.parametrize("causes", [3, 8, 12])
def test_twenty_rounds_at_the_start_are_not_one_twenty_times(causes, tmp_path):
    """In tables and in columns; one draw for all twenty would hand out one action."""
    graph = Graph.parse("; ".join(f"X{k} -> Y" for k in range(causes)), reward="Y", success="1")
    given = asked(Problem(graph), 20, tmp_path)
    assert len(given) >= 5
    assert max(given.values()) <= 10
