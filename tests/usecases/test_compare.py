import numpy as np
import pytest

from bestdo.bandit.problem import Problem
from bestdo.causal import model as model_module
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.law import ParentLaw
from bestdo.causal.model import Model
from bestdo.causal.unlisted_law import ModelLaw
from bestdo.learners import by_title
from bestdo.simulate import play
from bestdo.usecases.compare import comparison, knowing
from support import random_graph, random_model


@pytest.fixture
def drawn():
    """A problem with three parents of the reward, one caused by another, and its model."""
    graph = Graph.of(map(Variable, ["A", "B", "C", "Y"]), [("A", "B"), *((n, "Y") for n in "ABC")], reward="Y")
    return Problem(graph, Actions.single(graph)), random_model(np.random.default_rng(0), graph)


def test_a_law_that_cannot_be_listed_is_known_on_rows(drawn, monkeypatch):
    listed = knowing(*drawn)
    monkeypatch.setattr(model_module, "MOST_NUMBERS", 50)
    unlisted = knowing(*drawn)
    assert isinstance(listed.problem.law, ParentLaw)
    assert isinstance(unlisted.problem.law, ModelLaw)
    assert listed.problem.law.parents == unlisted.problem.law.parents
    rows = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    eta = np.full(7, 1 / 7)
    assert unlisted.problem.law.ratios(rows, eta) == pytest.approx(listed.problem.law.ratios(rows, eta))
    experiment, refused = comparison({"w": unlisted}, by_title("algorithm-2"), [20])
    assert not refused
    (setting,) = experiment.settings
    assert play(setting.world, experiment.learners["Algorithm 2"], 20, 5, np.random.default_rng(0)).shape == (5,)


def test_a_law_with_a_hidden_parent_stays_unknown_where_it_is_too_large(monkeypatch):
    graph = Graph.of([Variable("U", hidden=True), Variable("X"), Variable("Y")], [("U", "Y"), ("X", "Y")], reward="Y")
    model = Model(graph, {"U": [0.5, 0.5], "X": [0.5, 0.5], "Y": np.full((2, 2, 2), 0.5)})
    monkeypatch.setattr(model_module, "MOST_NUMBERS", 4)
    assert knowing(Problem(graph, Actions.single(graph)), model).problem.law is None


def test_the_law_is_of_the_problems_parents():
    rng = np.random.default_rng(1)
    graph = random_graph(rng, 4, arrows=1.0, both=0.0, last=True)
    fewer = Graph.of(
        graph.variables, [tuple(edge.split(" -> ")) for edge in graph.edges if edge != "V0 -> Y"], reward="Y"
    )
    world = knowing(Problem(graph, Actions.single(graph)), random_model(rng, fewer))
    assert world.problem.law.parents == graph.parents["Y"] == ("V0", "V1", "V2")
