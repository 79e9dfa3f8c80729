"""Which doubtful arrows matter: against brute force over random tables of every possible graph."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import bestdo
from bestdo import Doubts, Problem
from bestdo.causal.action import Actions
from bestdo.causal.identify import identify
from bestdo.causal.model import Model
from bestdo.usecases.check import InDoubt

TEXTS = [
    "x -> m -> y; x ?-> y",
    "z -> x -> y; z ?-> y",
    "z -> x -> y; z ?-> y; z ?-> x2; x2 -> y".replace("z -> x ->", "z ?-> x ->", 1),
    "x -> y; x ?-? z; z -> y",
    "x -> y; z ?-? x; w ?-> z",
    "x -- z; z -- w; w -> y; x -> y",
    "x -> y; x ?<-> y; z ?-> x",
    "x -> m -> y; x ?<-> y; y ?-> w",
    "x -> m -> y; m ?<-> y; x ?<-> m",
    "x @-> y; z ?-> y",
]


def random_model(graph, rng) -> Model:
    """A model with random tables, hidden variables included."""
    return Model(
        graph,
        {n: rng.dirichlet(np.ones(graph.size(n)), [graph.size(p) for p in ps]) for n, ps in graph.parents.items()},
    )


def means(graph, model, actions) -> np.ndarray:
    """The true means of actions."""
    return model.means(Actions(graph, actions))


def by_watching(graph, action, model) -> float:
    """What somebody who believes the graph computes from what is seen in a world; NaN where it cannot be."""
    way = identify(graph, action)
    if way.formula is None:
        return np.nan
    return float(way.evaluate(model.distribution)[graph.success_code])


def found(text: str, at_most: int = 2) -> tuple[Problem, InDoubt]:
    """The problem with doubts, and what holds anyway."""
    problem = Problem(Doubts.parse(text, reward="y"), at_most=at_most)
    outlook = bestdo.check(problem)
    assert outlook.doubts is not None
    return problem, outlook.doubts


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_said_of_all_graphs_is_true_of_every_one(text):
    """Never-best actions are never better than the others, identified means are right, in random tables of each graph."""
    problem, doubts = found(text)
    rng = np.random.default_rng(19)
    outlook = bestdo.check(problem)
    ways = {way.intervention: way for way in outlook.ways}
    for k, graph in enumerate(problem.doubts.candidates):
        answers = [identify(graph, action).identifiable for action in problem.actions]
        for where, here in zip(doubts.identified, answers, strict=True):
            assert where == "some" or here == (where == "all")
        for _ in range(3):
            model = random_model(graph, rng)
            true = means(graph, model, problem.actions)
            assert true[problem.contenders].max() >= true.max() - 1e-12, (k, str(graph))
            for action, mean in zip(problem.actions, true, strict=True):
                if ways[action].formula is not None:
                    seen = float(ways[action].evaluate(model.distribution)[graph.success_code])
                    assert seen == pytest.approx(mean, abs=1e-9)
    for i, where in enumerate(doubts.identified):
        some = [identify(graph, problem.actions[i]).identifiable for graph in problem.doubts.candidates]
        assert where == ("all" if all(some) else "some" if any(some) else "none")


@pytest.mark.parametrize("text", TEXTS)
def test_an_arrow_that_does_not_matter_never_changes_what_is_best(text):
    """In a world of either graph, believing in one or in the other graph recommends the same action from the same data.

    The data are what is seen when nothing is set; the mean of an action that neither graph lets follow from them is
    played. Of two formulas, that of the graph with more arrows is used where one graph has all arrows of the other.
    """
    problem, doubts = found(text)
    rng = np.random.default_rng(7)
    graphs = problem.doubts.candidates
    there = problem.doubts.there
    checked = 0
    for each in doubts.arrows:
        if each.changes not in ("nothing", "rounds"):
            continue
        ends = {each.doubt.a, each.doubt.b}
        both = each.doubt.kind == "?<->"
        own = [
            c
            for c, (a, mark, b) in enumerate(problem.doubts.possible)
            if {a, b} == ends and ((mark == "<->") == both or "@" in each.doubt.kind)
        ]
        other = [c for c in range(there.shape[1]) if c not in own]
        for i, j in itertools.permutations(range(len(graphs)), 2):
            if not np.array_equal(there[i, other], there[j, other]) or np.array_equal(there[i], there[j]):
                continue
            model = random_model(graphs[i], rng)
            true = means(graphs[i], model, problem.actions)
            largest = i if there[i].sum() >= there[j].sum() else j
            nested = bool((there[i] <= there[j]).all() or (there[j] <= there[i]).all())
            believed = []
            for k in (i, j):
                seen = [by_watching(graphs[largest if nested else k], action, model) for action in problem.actions]
                believed.append(np.where(np.isnan(seen), true, seen))
            can = problem.contenders
            assert true[can].max() == pytest.approx(true.max(), abs=1e-12)
            one, two = (int(np.argmax(np.where(can, b, -1))) for b in believed)
            assert true[one] == pytest.approx(true[two], abs=1e-9)
            assert true[one] == pytest.approx(true.max(), abs=1e-9)
            checked += 1
    assert checked or not any(each.changes in ("nothing", "rounds") for each in doubts.arrows)


def test_which_arrows_matter_in_known_cases():
    answers = {
        "x -> m -> y; x ?-> y": ["rounds"],
        "x -> y; y ?-> w": ["nothing"],
        "x -> y; x ?<-> y": ["answer"],
        "z -> x -> y; z ?-> y": ["rounds"],
        "x -> y; x ?-? z; z -> y": ["answer"],
        "x -> y; w ?-> v": ["nothing"],
    }
    for text, expected in answers.items():
        assert [each.changes for each in found(text, 1)[1].arrows] == expected, text
    assert [each.changes for each in found("x -> y; x ?-? z; z -> y", 2)[1].arrows] == ["nothing"]  # both are set


def test_a_formula_of_a_reversed_arrow_would_recommend_another_action():
    """The test above can fail: where an arrow matters, the wrong graph recommends a worse action in some world."""
    problem, doubts = found("x -> y; x ?-? z; z -> y", 1)
    rng = np.random.default_rng(3)
    one, two = (g for g in problem.doubts.candidates if len(g.parents["x"]) + len(g.parents["z"]) == 1)
    worse = 0
    for _ in range(40):
        model = random_model(one, rng)
        true = means(one, model, problem.actions)
        single = [i for i, action in enumerate(problem.actions) if len(action) == 1]
        seen = [by_watching(two, problem.actions[i], model) for i in single]
        worse += true[single[int(np.argmax(seen))]] < true[single].max() - 1e-3
    assert worse > 0
    assert [each.changes for each in doubts.arrows] == ["answer"]


def test_actions_that_an_arrow_would_spare_are_said_of_all_graphs_only_where_it_is_so():
    _, doubts = found("s -> m -> y; s ?-> y; l ?-? m; l ?<-> y", at_most=1)
    spares = {str(each.doubt): each.spares for each in doubts.arrows}
    assert spares["s ?-> y"] == "do(l=0), do(l=1) can be the best with it only"
    assert spares["l ?<-> y"] == "in some graphs do(s=0), do(s=1) can be the best with it only"  # s -> y is enough


def test_why_an_action_is_never_the_best_is_said_for_every_graph():
    problem = Problem(Doubts.parse("s @-> m; l @-> m; m -> y", reward="y"), at_most=1)
    never = {str(action): each.reason for action, each in bestdo.check(problem).never_best.items()}
    assert never["do(s=0)"] == (
        "in some graphs it acts only through m; setting that to its best value is at least as good; in others setting s "
        "changes nothing"
    )
    assert never["do()"] == "it leaves m to chance; setting that to its best value is at least as good"


def test_limits_and_what_is_seen_first_count_as_outcomes():
    doubts = Doubts.parse("x -> y; x -> harm; z -> x; z ?-> harm; w -> y; w ?-> z", reward="y")
    limit = bestdo.Limit("harm", "1", at_most=0.2)
    with_limit = bestdo.check(Problem(doubts, set=["x"], limits=limit)).doubts
    without = bestdo.check(Problem(doubts, set=["x"])).doubts
    assert [each.changes for each in without.arrows] == ["nothing", "rounds"]
    assert "in no possible graph it is part of what causes" in without.arrows[0].why
    assert "the mean of each is learned in the same way" in with_limit.arrows[0].why
    first = bestdo.check(Problem(doubts, set=["x"], first=["w"]))
    assert first.doubts is not None
    assert [look.variable for look in first.looks if look.first] == ["w"]
