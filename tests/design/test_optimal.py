"""eta* where all states are listed: exact values, certificates, and never worse than SLSQP."""

import numpy as np
import pytest
import scipy.sparse as sp

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.causal.law import ParentLaw
from bestdo.causal.model import Model
from bestdo.design.difficulty import difficulty, m_of_design
from bestdo.design.interior import lower_bound, minimise
from bestdo.design.matrix import Matrix, design_of_matrix
from bestdo.design.merging import merge
from bestdo.design.optimal import Design, design_of_law, optimal_design
from bestdo.errors import NotValid, TooLarge
from design.instances import (
    confounded_law,
    listed,
    m_by_hand,
    model_table,
    parallel_law,
    random_table,
    settings_of,
    slsqp,
)

TABLES = [[[0.9, 0.1], [0.7, 0.3]]] * 2 + [[[0.6, 0.4], [0.3, 0.7]]] * 3


@pytest.mark.parametrize(("set_z", "value"), [(True, 3.0943416910), (False, 3.1000445563)])
def test_the_confounded_graph(set_z, value):
    law = confounded_law(TABLES, set_z=set_z)
    explicit = design_of_matrix(model_table(law), 1e-9)
    assert explicit.m == pytest.approx(value, abs=1e-8)
    grouped = design_of_law(law, 1e-9)
    assert "interchangeable" in grouped.certified
    assert grouped.m == pytest.approx(value, abs=1e-8)
    assert m_by_hand(model_table(law), grouped.eta) == pytest.approx(value, abs=1e-8)
    assert design_of_law(law).m == pytest.approx(value, abs=4e-6)  # the default tolerance


def test_the_confounded_graph_from_a_model_with_its_reward():
    names = [f"X{i}" for i in range(1, 6)]
    text = "; ".join([*(f"Z -> {n}" for n in names), *(f"{n} -> Y" for n in names)])
    graph = Graph.parse(text, reward="Y")
    tables = dict(zip(names, TABLES, strict=True))
    reward = np.array([[0.2, 0.8], [0.3, 0.9]])[:, None, None, None, :] * np.ones((2, 2, 2, 2, 2))
    model = Model(graph, {"Z": [0.8, 0.2], **tables, "Y": np.stack([1 - reward, reward], axis=-1)})
    actions = Actions.single(graph)
    design = optimal_design(Problem(graph, actions, model.parent_law(actions)))
    assert design.m == pytest.approx(3.0943416910, rel=1e-6)
    assert design.gap <= 1e-6
    assert design.eta.sum() == pytest.approx(1)
    assert design.certified == "sums over 32 states"


@pytest.mark.parametrize("rare", range(51))
def test_the_papers_family(rare):
    """m variables with q = 0 and 50 - m with q = 1/2: m(eta*) = m + 2, and m + 1 for m = N."""
    settings = [[1.0, 0.0]] * rare + [[0.5, 0.5]] * (50 - rare)
    design = design_of_law(parallel_law(settings), 1e-9)
    assert design.gap <= 1e-9
    assert design.m == pytest.approx(rare + (2 if rare < 50 else 1), abs=1e-6)
    if 0 < rare < 50:
        assert design.eta.max() == pytest.approx(1 / (rare + 2), abs=1e-5)


def check_certified(law, sparse):
    given = sp.csr_array(law) if sparse else law
    found = design_of_matrix(given, 1e-6)
    assert 0 <= found.gap + 1e-12 <= 1e-6 + 1e-12
    assert (found.eta >= 0).all()
    assert found.eta.sum() == pytest.approx(1)
    assert found.m == pytest.approx(m_by_hand(law, found.eta), rel=1e-9)
    best = m_by_hand(law, slsqp(law))
    assert found.m <= best * (1 + 1.1e-6)
    assert found.lower <= best * (1 + 1e-9)
    assert found.m <= len(law) * (1 + 1e-6)  # the paper: m(eta*) <= |A|
    assert found.m <= (law.sum(axis=0) > 0).sum() * (1 + 1e-6)  # and at most the number of parent states


@pytest.mark.parametrize("seed", range(60))
def test_random_laws_are_certified_and_never_worse_than_slsqp(seed):
    check_certified(random_table(np.random.default_rng([0, seed])), sparse=seed % 3 == 0)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(60, 300))
def test_more_random_laws(seed):
    check_certified(random_table(np.random.default_rng([0, seed])), sparse=seed % 3 == 0)


def test_many_random_laws_reach_the_tolerance():
    rng = np.random.default_rng(1)
    gaps = [design_of_matrix(random_table(rng), 1e-6).gap for _ in range(300)]
    assert max(gaps) <= 1e-6


@pytest.mark.parametrize(
    ("law", "m"),
    [
        ([[0.3, 0.7]], 1.0),  # one action
        ([[0.3, 0.7], [0.3, 0.7]], 1.0),  # equal actions
        ([[1.0]], 1.0),
        ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], 3.0),  # disjoint
        ([[0.5, 0.5, 0, 0, 0], [0, 0, 0, 0.2, 0.8]], 2.0),  # disjoint, with a state that nobody reaches
        ([[1, 0], [1, 0], [0, 1]], 2.0),
        ([[1 - 1e-12, 1e-12], [1e-12, 1 - 1e-12]], 2.0),
        ([[1.0, 0.0], [0.5, 0.5]], None),
        ([[1.0, 1e-200], [1e-200, 1.0]], 2.0),
    ],
)
def test_degenerate_laws(law, m):
    law = np.array(law, float)
    found = design_of_matrix(law, 1e-9)
    assert found.gap <= 1e-9
    if m is not None:
        assert found.m == pytest.approx(m, rel=1e-8)


def test_more_actions_than_states():
    rng = np.random.default_rng(2)
    law = rng.dirichlet(np.ones(12), 60)
    assert Matrix(law).thin
    found = design_of_matrix(law, 1e-8)
    assert found.gap <= 1e-8
    assert found.m == pytest.approx(m_by_hand(law, slsqp(law)), rel=1e-5)


def test_too_many_actions_are_refused():
    with pytest.raises(TooLarge, match="9,000 different actions"):
        Matrix(sp.csr_array((np.ones(9000), (np.arange(9000), np.arange(9000)))))


def test_merging_changes_nothing():
    rng = np.random.default_rng(3)
    base = rng.dirichlet(np.ones(5), 4)
    wide = np.concatenate([base * 0.25, base * 0.5, np.zeros((4, 3)), base * 0.25], axis=1)[[0, 1, 1, 2, 3, 0]]
    small = merge(wide)
    assert small.law.shape == (4, 5)
    assert small.classes[0] == small.classes[5] != small.classes[1] == small.classes[2]
    found = design_of_matrix(wide, 1e-9)
    assert found.m == pytest.approx(design_of_matrix(base, 1e-9).m, rel=1e-8)
    assert found.m == pytest.approx(m_by_hand(wide, found.eta), rel=1e-12)


def test_the_bound_holds_for_any_design_and_any_weights():
    """The certificate does not trust the solver: from random places it never exceeds the optimum."""
    rng = np.random.default_rng(4)
    tight = 0
    for _ in range(200):
        law = random_table(rng)
        law = law[:, law.sum(axis=0) > 1e-9]
        best = design_of_matrix(law, 1e-9).m
        for concentration in (0.1, 1, 100):
            eta = rng.dirichlet(np.full(len(law), concentration)) + 1e-9
            w = rng.dirichlet(np.full(len(law), concentration))
            point = Matrix(law).at(eta)
            bound = lower_bound(point.f, w, point.push(w))
            assert bound <= best * (1 + 1e-8)
            tight += bound > 0.5 * best
    assert tight > 50  # it is not trivially small


def test_a_wrong_answer_gets_an_honest_gap():
    """The uniform design with uniform weights on the paper's family: nothing near a proof of optimality."""
    law = listed(settings_of([[1.0, 0.0]] * 2 + [[0.5, 0.5]] * 6))
    point = Matrix(law[:, law.sum(axis=0) > 0]).at(np.full(len(law), 1 / len(law)))
    w = np.full(len(law), 1 / len(law))
    m, bound = point.f.max(), lower_bound(point.f, w, point.push(w))
    assert m > 1.5 * 4
    assert bound <= 4
    assert (m - bound) / bound > 1


def test_a_tolerance_out_of_reach_is_not_claimed():
    rng = np.random.default_rng(5)
    law = rng.dirichlet(np.ones(30), 8)
    found = minimise(Matrix(law), 0.0)
    assert found.m == pytest.approx(m_by_hand(law, found.eta), rel=1e-12)
    assert abs(found.gap) < 1e-9


def test_the_papers_inequalities_on_parallel_graphs():
    """m(eta*) <= 2 m(q), m(eta*) <= |A|, m(eta*) <= min_k (k + 1/p_(k+1))."""
    rng = np.random.default_rng(6)
    for _ in range(25):
        q = rng.beta(0.4, 0.4, int(rng.integers(2, 40)))
        p = np.concatenate([q, 1 - q])
        design = design_of_law(parallel_law([[1 - x, x] for x in q]))
        assert design.gap <= 1e-6
        slightly = 1 + 1e-6
        assert design.m <= 2 * difficulty(p) * slightly
        assert design.m <= len(design.eta) * slightly
        rising = np.sort(p)
        assert design.m <= (np.arange(len(p) + 1) + np.append(1 / rising, 1.0)).min() * slightly


def test_a_problem_without_a_law_is_refused():
    graph = Graph.parse("X -> Y", reward="Y")
    with pytest.raises(NotValid, match="law"):
        optimal_design(Problem(graph, Actions.single(graph)))


def test_designs_are_values():
    law = parallel_law([[0.9, 0.1], [0.5, 0.5]])
    design = optimal_design(Problem(law.actions.graph, law.actions, law))
    assert design == design_of_law(law)
    assert hash(design) == hash(design_of_law(law))
    assert design != Design(np.full(5, 0.2), 3.0, 1.0, "a guess")
    assert not design.eta.flags.writeable
    assert design.m == pytest.approx(m_of_design(law, design.eta), rel=1e-9)
    table = ParentLaw(law.actions, law.parents, listed(settings_of(law.marginals))[[4, 0, 1, 2, 3]].reshape(5, 2, 2))
    assert design_of_law(table).m == pytest.approx(design.m, rel=1e-9)
