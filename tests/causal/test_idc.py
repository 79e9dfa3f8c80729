"""The effect of an action in a context where causes are hidden, by IDC: exact, and as far as do-calculus goes."""

import itertools

import numpy as np
import pytest

from bestdo.causal.action import do
from bestdo.causal.contexts import given_first
from bestdo.causal.graph import Graph
from bestdo.causal.id import NotIdentifiable, id_algorithm
from bestdo.causal.idc import idc_algorithm
from bestdo.causal.identify import identify
from bestdo.causal.separation import separated
from bestdo.errors import GraphError
from support import brute_force, random_model


def random_problem(rng):
    """A graph with hidden common causes, a variable that is set and some that are seen before."""
    while True:
        names = [f"V{j}" for j in range(int(rng.integers(4, 7)))]
        pairs = list(itertools.combinations(names, 2))
        arrows = [f"{a} -> {b}" for a, b in pairs if rng.random() < 0.45]
        hidden = [f"{a} <-> {b}" for a, b in pairs if rng.random() < 0.25]
        graph = Graph.parse("; ".join([*names, *arrows, *hidden]), reward=names[-1])
        x = str(rng.choice(names[:-1]))
        before = [v for v in names[:-1] if v != x and x not in graph.ancestors([v])]
        if first := tuple(v for v in before if rng.random() < 0.6):
            return graph, x, first


def by_search(graph, x, first):
    """Whether there is a formula: the largest part of what is seen that can be set by rule 2, found by trying all parts."""
    reward = graph.reward
    for size in range(len(first), -1, -1):
        for part in itertools.combinations(first, size):
            rest = set(first) - set(part)
            if part and not separated(
                graph, part, [reward], {x, *rest}, no_arrows_into=[x], no_arrows_out_of=list(part)
            ):
                continue
            try:
                id_algorithm(frozenset([reward, *rest]), frozenset([x, *part]), graph.projected())
            except NotIdentifiable:
                return False  # of the largest part: no other does more
            return True
    raise AssertionError


@pytest.mark.parametrize("seed", range(4))
def test_formulas_are_exact_and_found_where_do_calculus_finds_them(seed):
    rng, formulas = np.random.default_rng(seed), 0
    for _ in range(15):
        graph, x, first = random_problem(rng)
        found = identify(graph, do({x: "1"}), first=first)
        assert found.identifiable == by_search(graph, x, first)
        assert found.identifiable == identify(given_first(graph, first), do({x: "1"})).identifiable
        if not found.identifiable:
            assert found.how == "doing"
            continue
        model = random_model(rng, graph, hidden_values=3)
        law = found.evaluate(lambda names, model=model: model.distribution(names))
        assert law.shape == (2,) * (len(first) + 1)
        for values in itertools.product("01", repeat=len(first)):
            expected = brute_force(model, [graph.reward], do({x: "1"}), dict(zip(first, values, strict=True)))
            assert law[tuple(map(int, values))] == pytest.approx(expected, abs=1e-12)
        formulas += found.how == "formula"
    assert formulas or seed  # some need more than adjusting


def test_a_front_door_in_each_context():
    """Neither seeing nor adjusting does; without the context among what is given the formula would be another."""
    graph = Graph.parse("age -> dose -> level -> cure; dose <-> cure; age -> cure; age <-> dose", reward="cure")
    found = identify(graph, do(dose="1"), first="age")
    assert found.how == "formula"
    assert "age" in str(found.formula)
    model = random_model(np.random.default_rng(0), graph)
    law = found.evaluate(model.distribution)
    for age in "01":
        assert law[int(age)] == pytest.approx(brute_force(model, ["cure"], do(dose="1"), {"age": age}), abs=1e-12)
    wrong = identify(graph, do(dose="1")).evaluate(model.distribution)
    assert abs(law[0] - wrong).max() > 1e-3


def test_what_is_given_and_caused_by_the_action_is_an_error():
    graph = Graph.parse("age -> dose -> level -> cure", reward="cure")
    with pytest.raises(GraphError, match="dose -> level"):
        identify(graph, do(dose="1"), first="level")
    assert identify(graph, do(dose="1"), first=["age"]).how == "seeing"
    with pytest.raises(NotIdentifiable):
        idc_algorithm(frozenset("Y"), frozenset("X"), frozenset("Z"), Graph.parse("Z; X -> Y; X <-> Y").projected())
