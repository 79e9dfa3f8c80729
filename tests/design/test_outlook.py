from dataclasses import replace

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Problem, do, optimal_design
from bestdo.design.outlook import Outlook
from bestdo.errors import NotValid
from bestdo.simulate import confounded


def test_no_design_where_a_parent_of_the_reward_is_hidden():
    """Playing by the law of what nobody sees would leave do() out, though it can be the best."""
    graph = Graph.parse("drug -> cured; drug <-> cured", reward="cured")
    copied = {"cured<->drug": [0.5, 0.5], "drug": [[1, 0], [0, 1]]}
    cured = np.array([[[0.1, 0.9], [0.9, 0.1]], [[0.9, 0.1], [0.1, 0.9]]])  # good when the drug is what was called for
    model = Model(graph, {**copied, "cured": cured})
    problem = Problem(graph, Actions.single(graph))
    assert model.means(problem.actions) == pytest.approx([0.9, 0.5, 0.5])
    found = Outlook.of(problem, model)
    assert found.design is None
    assert "'cured<->drug' is hidden" in found.no_design
    assert do() not in found.never_best
    with pytest.raises(NotValid, match="is hidden"):
        optimal_design(replace(problem, law=model.parent_law(problem.actions)))


def test_the_design_comes_from_the_law_or_from_a_model():
    world = confounded([0.1, 0.4], [0.3, 0.7])
    known = Outlook.of(world.problem)
    assert known.design.m == pytest.approx(optimal_design(world.problem).m)
    unknown = Outlook.of(replace(world.problem, law=None))
    assert unknown.design is None
    assert "not known" in unknown.no_design
