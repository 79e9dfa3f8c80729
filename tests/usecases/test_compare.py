from dataclasses import replace

import numpy as np
import pytest

import bestdo
from bestdo.causal import law_from_tables
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.law import ParentLaw
from bestdo.causal.model import Model
from bestdo.causal.unlisted_law import ModelLaw
from bestdo.data.compose import compose
from bestdo.errors import BestdoError
from bestdo.learners import by_title, learner
from bestdo.simulate import World, play
from bestdo.usecases.compare import compare, comparison
from support import random_model


@pytest.fixture
def model():
    """Three parents of the reward, one caused by another."""
    graph = Graph.of(map(Variable, ["A", "B", "C", "Y"]), [("A", "B"), *((n, "Y") for n in "ABC")], reward="Y")
    return random_model(np.random.default_rng(0), graph)


def test_a_law_that_cannot_be_listed_is_known_on_rows(model, monkeypatch):
    listed = compose(model).problem
    monkeypatch.setattr(law_from_tables, "MOST_IN_TABLE", 50)
    unlisted = compose(model).problem
    assert isinstance(listed.law, ParentLaw)
    assert isinstance(unlisted.law, ModelLaw)
    assert listed.law.parents == unlisted.law.parents
    rows = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)])
    eta = np.full(7, 1 / 7)
    assert unlisted.law.ratios(rows, eta) == pytest.approx(listed.law.ratios(rows, eta))
    experiment, refused = comparison({"w": World(unlisted, model)}, by_title("algorithm-2"), [20])
    assert not refused
    (setting,) = experiment.settings
    assert play(setting.world, experiment.learners["Algorithm 2"], 20, 5, seed=0).shape == (5,)


def test_a_law_with_a_hidden_parent_stays_unknown_where_it_is_too_large(monkeypatch):
    graph = Graph.of([Variable("U", hidden=True), Variable("X"), Variable("Y")], [("U", "Y"), ("X", "Y")], reward="Y")
    model = Model(graph, {"U": [0.5, 0.5], "X": [0.5, 0.5], "Y": np.full((2, 2, 2), 0.5)})
    monkeypatch.setattr(law_from_tables, "MOST_IN_TABLE", 4)
    known = compose(model)
    assert known.problem.law is None
    assert set(known.tables) == {"U", "X"}


def test_a_problem_without_tables_is_named_and_rehearse_is_pointed_to():
    graph = bestdo.Graph.parse("price -> sales", reward="sales", success="1")
    with pytest.raises(BestdoError, match=r"^the problem holds no tables .* rehearse "):
        bestdo.compare(graph)
    with pytest.raises(BestdoError, match=r"^'shop' holds no tables"):
        bestdo.compare({"shop": graph})


def shop(model):
    """A world of which learners know the graph alone."""
    return World(replace(compose(model).problem, law=None), model)


def test_learners_that_are_left_out_are_named(model, capsys):
    found = compare(shop(model), rounds=10, learners=["uniform", "algorithm-2", "c-ucb"], sims=2, progress=False)
    assert "left out, see refused: Algorithm 2, C-UCB" in repr(found)
    said = capsys.readouterr().err
    assert [str(refusal) in said for refusal in found.refused] == [True, True]
    assert said.count("Algorithm 2 is left out") == 1
    assert "left out" not in repr(compare(shop(model), rounds=10, learners="uniform", sims=2, progress=False))


def test_learners_may_have_labels_and_the_picture_a_title(model):
    given = {"bold": "uniform", "shy": learner("ucb", alpha=1.0)}
    found = compare(shop(model), rounds=10, learners=given, sims=2, progress=False)
    assert [row["learner"] for row in found.rows] == ["bold", "shy"]
    texts = [text.get_text() for text in found.plot(title="My title").texts]
    assert "My title" in texts
    assert "Regret by the number of rounds" in [text.get_text() for text in found.plot().texts]
    with pytest.raises(BestdoError, match="the title is text, not 3"):
        found.plot(title=3)
