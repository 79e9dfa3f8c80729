from dataclasses import replace

import numpy as np
import pytest

from bestdo import Actions, Graph, Model, Problem, do, optimal_design
from bestdo.data.compose import compose
from bestdo.design.bounds import lower_bound, regret_bound_general, regret_bound_parallel, rounds_lemma_3
from bestdo.errors import NotValid
from bestdo.report.check_report import as_data
from bestdo.report.sections.check import words
from bestdo.simulate import confounded, paper_parallel
from bestdo.usecases.check import check
from support import ROOT


def test_no_design_where_a_parent_of_the_reward_is_hidden():
    """Playing by the law of what nobody sees would leave do() out, though it can be the best."""
    graph = Graph.parse("drug -> cured; drug <-> cured", reward="cured")
    copied = {"cured<->drug": [0.5, 0.5], "drug": [[1, 0], [0, 1]]}
    cured = np.array([[[0.1, 0.9], [0.9, 0.1]], [[0.9, 0.1], [0.1, 0.9]]])  # good when the drug is what was called for
    model = Model(graph, {**copied, "cured": cured})
    problem = Problem(graph, Actions.single(graph))
    assert model.means(problem.actions) == pytest.approx([0.9, 0.5, 0.5])
    found = check(compose(model).problem)
    assert found.design is None
    assert "'cured<->drug' is hidden" in found.no_design
    assert do() not in found.never_best
    with pytest.raises(NotValid, match="is hidden"):
        optimal_design(replace(problem, law=model.parent_law(problem.actions)))


def test_the_design_comes_from_the_law():
    world = confounded([0.1, 0.4], [0.3, 0.7])
    known = check(world.problem)
    assert known.design.m == pytest.approx(optimal_design(world.problem).m)
    unknown = check(replace(world.problem, law=None))
    assert unknown.design is None
    assert "not known" in unknown.no_design


FARM = compose(ROOT / "examples" / "farm.toml").problem


def test_the_theorems_are_said_where_they_say_something():
    one, three = check(FARM, rounds=3000).guarantees
    assert (one.theorem, one.learner, one.m) == (1, "algorithm-1", 2)  # with <=, as in the paper, its proof fails
    assert (three.theorem, three.learner, three.m) == (3, "algorithm-2-as-in-paper", optimal_design(FARM).m)
    assert one.regret == regret_bound_parallel(2, 3, 3000) < 1
    assert three.regret == regret_bound_general(three.m, 7, 3000) < 1
    assert (round(one.regret, 2), round(three.regret, 2)) == (0.45, 0.98)
    assert [g.regret for g in check(FARM, rounds=40).guarantees] == [None, None]
    assert [g.regret for g in check(FARM).guarantees] == [None, None]


def test_the_rounds_from_which_they_do_are_the_least():
    one, three = check(FARM).guarantees
    for guarantee, before in ((one, one.below_one_from - 1), (three, three.below_one_from - 1)):
        first, none = (
            next(g for g in check(FARM, rounds=t).guarantees if g.theorem == guarantee.theorem)
            for t in (guarantee.below_one_from, before)
        )
        assert first.regret <= 1
        assert none.regret is None
    assert regret_bound_general(three.m, 7, three.below_one_from - 1) > 1
    assert one.below_one_from >= rounds_lemma_3(2, 3, 2 / one.below_one_from)  # its proof needs that many
    assert one.below_one_from - 1 < rounds_lemma_3(2, 3, 2 / (one.below_one_from - 1))
    assert regret_bound_parallel(2, 3, one.small_from) <= 0.1 < regret_bound_parallel(2, 3, one.small_from - 1)


def test_theorem_2_where_many_actions_are_rare():
    world = paper_parallel(20, 10, 0.3)
    found = check(world.problem, rounds=1000)
    assert found.no_learner_below == lower_bound(10, 1000) > 0
    assert check(world.problem).no_learner_below is None
    assert "No learner can promise less than" in " ".join(words(found))


@pytest.mark.parametrize(
    "problem",
    [
        pytest.param(replace(FARM, law=None), id="nothing known"),
        pytest.param(replace(FARM, cost=(1,) * 7), id="costs"),
    ],
)
def test_no_theorem_covers_these(problem):
    assert check(problem, rounds=3000).guarantees == ()


def test_theorem_1_is_about_parallel_graphs():
    few = Actions(FARM.graph, list(FARM.actions)[:-1])
    some = replace(FARM, actions=few, law=FARM.law.with_actions(few))
    assert [g.theorem for g in check(some).guarantees] == [3]
    assert [g.theorem for g in check(confounded([0.1, 0.4], [0.3, 0.7]).problem).guarantees] == [3]


def test_the_theorems_in_words_and_as_data():
    said = " ".join(words(check(FARM, rounds=40)))
    assert "Theorem 1 says nothing of 40 rounds: it promises Algorithm 1 a regret below 1 from 740" in said
    assert "what to expect of fewer rounds, a rehearsal shows" in said
    assert "After 3,000 rounds the action that the paper's Algorithm 2 keeps" in " ".join(
        words(check(FARM, rounds=3000))
    )
    data = as_data(check(FARM, rounds=3000))
    assert data["rounds"] == 3000
    assert data["guarantees"][1]["regret"] < 1
    assert data["guarantees"][0]["below_one_from"] == 740
    assert data["no_learner_below"] is None


def test_what_the_theorems_promise_is_in_the_unit_of_the_reward():
    file = ROOT / "examples" / "farm.toml"
    same = compose(file, worth={"bad": -3, "good": 7}).problem
    for plain, scaled in zip(check(FARM, rounds=3000).guarantees, check(same, rounds=3000).guarantees, strict=True):
        assert scaled.regret == pytest.approx(10 * plain.regret)
        assert (scaled.below_one_from, scaled.small_from, scaled.largest) == (
            plain.below_one_from,
            plain.small_from,
            10,
        )
    assert "a regret below 10 from" in " ".join(words(check(same)))


def test_why_a_variable_is_worth_seeing_first_is_said_before_any_is():
    graph = Graph.parse("device -> click; banner -> click; click -> sale; country -> sale", reward="sale", success="1")
    (line,) = (each for each in words(check(Problem(graph, set=["banner"]))) if "can make a rule better" in each)
    assert "device (it can cause sale when banner is set)" in line
    assert "country (it is a cause of sale, whatever else is set or seen)" in line


def test_a_cheap_action_can_be_the_best_where_every_round_counts():
    """What it earns for its money may be more, though by the graph another action is never worse."""
    graph = Graph.parse("a -> b; b -> y", reward="y", success="1")
    actions, cost = [do(), do(a=0), do(a=1), do(b=0), do(b=1)], [1, 1, 1, 5, 5]
    assert set(check(Problem(graph, actions)).never_best) == {do(), do(a=0), do(a=1)}
    assert set(check(Problem(graph, actions, cost=cost)).never_best) == {do(), do(a=0), do(a=1)}
    assert set(check(Problem(graph, actions, cost=[5] * 5, goal="earn")).never_best) == {do(), do(a=0), do(a=1)}
    dear = Problem(graph, actions, cost=cost, goal="earn")
    assert not check(dear).never_best
    assert dear.contenders.all()
