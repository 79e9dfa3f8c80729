"""The alarm where arrows are in doubt: only for what no candidate explains."""

import numpy as np
import pytest

from bestdo import Doubts, Graph, Model, Problem, World
from bestdo.bandit.rounds import Plan
from bestdo.causal.separation import separated
from bestdo.evidence.alarm import alarms
from bestdo.evidence.claims import claims_of


def rounds_in(problem, truth, each=150):
    """Rounds of all actions in a world with this graph, in which every variable mostly copies its parents."""
    graph = Graph.of(problem.graph.variables, truth, reward="Y", success="1")
    tables = {}
    for n in graph.names:
        above = np.indices((2,) * len(graph.parents[n])).sum(axis=0) if graph.parents[n] else None
        chance = np.array(0.5) if above is None else 0.1 + 0.8 * above / len(graph.parents[n])
        tables[n] = np.stack([1 - chance, chance], axis=-1)
    world = World(problem, Model(graph, tables), mistaken=True)
    return world.rounds(Plan(np.full((1, len(problem.actions)), each)), np.random.default_rng(0))


@pytest.mark.parametrize("text", ["A -> B -> Y; A ?-> Y; C", "A ?-? B; B -> Y; C", "A ?-> B; B ?-? C; C -> Y"])
def test_every_claim_holds_in_every_candidate(text):
    problem = Problem(Doubts.parse(text, reward="Y", success="1"))
    found = claims_of(problem)
    assert any(found)
    for claim in found[2]:
        for graph in problem.doubts.candidates:
            assert separated(graph, [claim.target], [claim.apart], claim.given)


def test_an_arrow_that_a_candidate_has_raises_no_alarm_and_one_that_none_has_does():
    problem = Problem(Doubts.parse("A -> B; A ?-> Y; C", reward="Y", success="1"))
    explained = rounds_in(problem, [("A", "B"), ("A", "Y")])
    assert alarms(problem, explained) == []
    assert alarms(problem.given(1), explained)  # the candidate without the arrow alone is contradicted
    assert alarms(problem, rounds_in(problem, [("A", "B"), ("C", "Y")]))
