"""The expected columns of the reward's causes under each action, against sums over all states of a model."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from bestdo import Actions, Graph, Problem, Variable
from bestdo.causal.law import ParentLaw
from bestdo.causal.law_from_tables import law_from_tables
from bestdo.causal.model import Model
from bestdo.causal.unlisted_law import ModelLaw, ProductLaw
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.beliefs import parent_shares
from bestdo.learners.beliefs.column_belief import ColumnBelief
from bestdo.learners.beliefs.column_design import Design
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief
from bestdo.learners.beliefs.parent_shares import ParentShares
from bestdo.learners.unfolding import unfolded
from bestdo.simulate import confounded
from support import brute_force, random_graph, random_model


def design_of(problem, paired):
    graph = problem.graph
    sizes = [graph.size(n) for n in graph.parents["Y"]]
    return Design.of(sizes, [list(itertools.combinations(range(len(sizes)), 2))] if paired else [])


def by_brute_force(problem, design, model):
    """The columns of every state of the causes, by their probabilities when the joint law is multiplied out: float[A, D]."""
    graph, rows = problem.graph, []
    parents = graph.parents["Y"]
    codes = np.indices(design.sizes).reshape(len(design.sizes), -1).T
    for action in problem.actions:
        law = brute_force(model, parents, do=action)
        rows.append(law.reshape(-1) @ design.columns(codes))
    return np.array(rows)


def as_cells(shares, model):
    """The tables of a model as cells."""
    return np.concatenate([model.tables[n].reshape(-1) for n in shares.cells.names])[None]


def whole(shares, tables):
    """The expected columns of all actions, by tables of causes: of one table where nothing varies."""
    found = np.repeat(shares.fixed[None], len(tables) if len(shares.varying) else 1, axis=0)
    if len(shares.varying):
        found[:, shares.varying] = shares.expected(tables)
    return found


def agrees(problem, model, paired=True, more=()):
    design = design_of(problem, paired)
    shares = ParentShares(problem, design)
    tables = [as_cells(shares, m) for m in (model, *more)]
    found = whole(shares, np.concatenate(tables))
    if len(shares.varying):
        assert len(found) == 1 + len(more)
    for one, m in zip(found, (model, *more), strict=False):
        np.testing.assert_allclose(one, by_brute_force(problem, design, m), atol=1e-12)
    return shares


@pytest.mark.parametrize("paired", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_random_graphs(seed, paired):
    """Chains, common causes and mediators, of one to three values; actions set up to two variables."""
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, int(rng.integers(3, 7)), arrows=0.5, both=0, sizes=(1, 2, 3), last=True)
    if not graph.parents["Y"]:
        pytest.skip("nothing causes the reward")
    problem = Problem(graph, Actions.up_to(graph, 2))
    agrees(problem, random_model(rng, graph), paired, [random_model(rng, graph) for _ in range(2)])


GRAPHS = {
    "independent": [("A", "Y"), ("B", "Y"), ("C", "Y"), ("D", "Y")],
    "chain": [("A", "B"), ("B", "C"), ("C", "D"), ("D", "Y"), ("B", "Y")],
    "common cause": [("A", "B"), ("A", "C"), ("A", "D"), ("B", "Y"), ("C", "Y"), ("D", "Y")],
    "a common cause that matters itself": [("A", "B"), ("A", "C"), *((n, "Y") for n in "ABC"), ("D", "Y")],
    "mediators": [("A", "B"), ("A", "C"), ("D", "C"), ("B", "Y"), ("C", "Y")],
    "two parts": [("A", "B"), ("C", "D"), ("B", "Y"), ("D", "Y"), ("A", "Y")],
    "a collider": [("A", "C"), ("B", "C"), ("D", "Y"), *((n, "Y") for n in "ABC")],
    "an effect that does not matter": [("A", "B"), ("B", "D"), ("A", "Y"), ("B", "Y"), ("C", "Y")],
}


def graph_of(arrows):
    sizes = {"A": 2, "B": 3, "C": 2, "D": 2}
    variables = [Variable(n, tuple(map(str, range(size)))) for n, size in sizes.items()]
    return Graph.of([*variables, Variable("Y")], arrows, reward="Y")


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("name", GRAPHS)
def test_named_graphs(name, most):
    graph, rng = graph_of(GRAPHS[name]), np.random.default_rng(1)
    problem = Problem(graph, Actions.up_to(graph, most))
    shares = agrees(problem, random_model(rng, graph), True, [random_model(rng, graph)])
    parents = set(graph.parents["Y"])
    assert {k for k, action in enumerate(problem.actions) if not parents <= set(action)} <= set(shares.varying)


@pytest.mark.parametrize("name", GRAPHS)
def test_contexts(name):
    """What is seen first is set in an unfolded problem, and its own causes do not matter there."""
    graph, rng = graph_of(GRAPHS[name]), np.random.default_rng(2)
    agrees(unfolded(Problem(graph, Actions.single(graph, ["B", "C"]), first=("A",))), random_model(rng, graph))


def test_nothing_varies_where_every_cause_is_set():
    graph = graph_of(GRAPHS["common cause"])
    problem = Problem(graph, Actions(graph, [a for a in Actions.up_to(graph, 3) if set(a) == {"B", "C", "D"}]))
    shares = agrees(problem, random_model(np.random.default_rng(3), graph))
    assert not len(shares.varying)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("kind", ["listed", "tables", "unlisted"])
def test_known_laws(name, kind, monkeypatch):
    """A law that is listed, one from tables, and one that is too large to be listed: no tables are counted."""
    graph, rng = graph_of(GRAPHS[name]), np.random.default_rng(4)
    actions = Actions.up_to(graph, 2)
    model = random_model(rng, graph)
    law = model.parent_law(actions)
    if kind != "listed":
        law = law_from_tables(actions, {n: t for n, t in model.tables.items() if n != "Y"})
    if kind == "unlisted":
        monkeypatch.setattr(parent_shares, "MOST_LISTED", 40)
        independent = not any(graph.parents[n] for n in graph.parents["Y"])
        before = graph.ancestors(graph.parents["Y"])
        tables = {n: model.tables[n] for n in before}
        law = (
            ProductLaw(actions, tuple(model.tables[n] for n in graph.parents["Y"]))
            if independent
            else ModelLaw(actions, Model(graph.subgraph(before), tables))
        )
        assert law.listed(40) is None
    elif kind == "listed":
        assert isinstance(law, ParentLaw)
    problem = replace(Problem(graph, actions), law=law)
    design = design_of(problem, True)
    shares = ParentShares(problem, design)
    assert not shares.cells.names
    assert not len(shares.varying)
    np.testing.assert_allclose(shares.fixed, by_brute_force(problem, design, model), atol=1e-12)


def test_a_listed_law_with_hidden_causes_of_causes():
    graph = Graph.of([Variable(n) for n in "ABY"], [("A", "Y"), ("B", "Y")], [("A", "B")], reward="Y")
    model = random_model(np.random.default_rng(5), graph)
    actions = Actions.up_to(graph, 2)
    problem = replace(Problem(graph, actions), law=model.parent_law(actions))
    design = design_of(problem, True)
    found = ParentShares(problem, design).fixed
    wanted = []
    for action in actions:
        law = brute_force(model, ["A", "B"], do=action)
        wanted.append(law.reshape(-1) @ design.columns(np.indices((2, 2)).reshape(2, -1).T))
    np.testing.assert_allclose(found, wanted, atol=1e-12)
    with pytest.raises(NotValid, match="hidden"):
        ParentShares(Problem(graph, actions), design)


@pytest.mark.parametrize("causes", range(9, 15))
def test_every_number_of_causes_with_a_known_law_is_shared(causes):
    """From ten causes to twelve the law was written out, but thought too long to be read, and counts took over."""
    problem = confounded([0.1] * causes, [0.9] * causes).problem
    assert problem.law is not None
    assert isinstance(MissingParentsBelief.of(problem).whole, ColumnBelief)


def test_too_many_states_are_refused():
    """Fourteen causes of one cause, which depend on each other."""
    names = [f"V{k}" for k in range(14)]
    arrows = [*itertools.pairwise(names), (names[-1], "Y"), (names[0], "Y")]
    graph = Graph.of([*(Variable(n) for n in names), Variable("Y")], arrows, reward="Y")
    problem = Problem(graph, Actions.single(graph))
    with pytest.raises(TooLarge, match="joint states"):
        ParentShares(problem, design_of(problem, False))
