"""The answer of a moment: as data and back, for a rule and for one action, with limits, doubts and what was earned."""

import json

import numpy as np
import pytest

import bestdo
from bestdo.bandit.answer import Answer
from bestdo.study import Study

SHOP = bestdo.Graph.parse("device -> sale; banner -> sale; banner -> refund", reward="sale", success="1")
LIMIT = bestdo.Limit("refund", "1", at_most=0.5)
LOSS = bestdo.Variable("loss", number=bestdo.Number(0, 10), unit="t")
NUMBER = bestdo.Graph.of([bestdo.Variable("x"), LOSS], [("x", "loss")], reward="loss", aim="minimise")
DOUBTS = bestdo.Doubts.parse("shade -> yield; rain ?0.3-> yield", reward="yield", success="1")
PROBLEMS = {
    "plain": bestdo.Problem(SHOP, set=["banner"]),
    "rule": bestdo.Problem(SHOP, set=["banner"], first=["device"]),
    "limits": bestdo.Problem(SHOP, set=["banner"], limits=LIMIT),
    "rule within limits": bestdo.Problem(SHOP, set=["banner"], first=["device"], limits=LIMIT),
    "earning": bestdo.Problem(SHOP, set=["banner"], goal="earn"),
    "earning by a rule": bestdo.Problem(SHOP, set=["banner"], first=["device"], goal="earn"),
    "numbers": bestdo.Problem(NUMBER, goal="earn"),
    "doubts": bestdo.Problem(DOUBTS),
}


def rounded(data):
    """The data with twelve decimals: what is sent in the unit of the reward comes back on the scale of learners."""
    return json.loads(json.dumps(data), parse_float=lambda text: round(float(text), 12))


@pytest.mark.parametrize("told", [0, 5])
@pytest.mark.parametrize("kind", PROBLEMS)
def test_an_answer_comes_back_from_its_data(tmp_path, kind, told):
    problem = PROBLEMS[kind]
    study = Study.create(problem, 40, storage=f"sqlite:///{tmp_path}/a.db", name="one")
    graph = problem.graph
    for i in range(told):
        (asked,) = study.ask("Ada", **({"context": {"device": i % 2}} if problem.first else {}))
        seen = {n: graph.variable(n).values[i % 2] for n in graph.observed if graph.variable(n).number is None}
        study.tell(asked, {**seen, **asked.action, str(graph.reward): i % 2})
    found = study.findings()
    again = Answer.of_data(problem, json.loads(json.dumps(found.as_data())))
    assert rounded(again.as_data()) == rounded(found.as_data())
    assert str(again.best) == str(found.best)
    assert again.told is found.told is bool(told)
    assert [str(one) for one in again.lines] == [str(one) for one in found.lines]
    assert str(again.rule) == str(found.rule)
    assert (found.best.rule is None) is (not problem.first)
    assert (found.best.earned is None) is (problem.goal == "find")


def test_where_nothing_is_seen_first_the_rule_has_one_context(tmp_path):
    study = Study.create("examples/farm.toml", 40, storage=f"sqlite:///{tmp_path}/a.db")
    found = study.findings()
    (one,) = found.rule.contexts
    assert (one.context, one.action, one.p_best, one.share) == ({}, found.best.action, found.best.p_best, 1.0)
    assert found.rule.is_single
    assert found.rule.action({}) == found.rule.single == found.best.action
    assert found.rule.lines == ((({}, found.best.action)),)
    assert np.array_equal(found.rule.means[0], [line.mean for line in found.lines])
    assert found.problem.contexts.codes.shape == (1, 0)


def test_how_sure_a_study_is_stands_in_the_answer(tmp_path):
    study = Study.create("examples/farm.toml", 40, storage=f"sqlite:///{tmp_path}/a.db", until_sure=0.95)
    found = study.findings()
    assert found.certainty == study.status()["sure"] == found.as_data()["certainty"]
    assert Answer.of_data(found.problem, found.as_data()).certainty == found.certainty
