"""eta* where states cannot be listed, compared with listing where they can."""

import numpy as np
import pytest

from bestdo.causal.action import Actions
from bestdo.causal.graph import Variable
from bestdo.causal.unlisted_law import ProductLaw
from bestdo.design import law_backend
from bestdo.design.exchangeable import groups_of
from bestdo.design.matrix import Matrix, design_of_matrix
from bestdo.design.optimal import design_of_law
from bestdo.design.parallel_criterion import Parallel
from bestdo.design.parallel_design import design_of_product, m_of_product
from bestdo.design.quadrature import COARSE, nodes
from bestdo.errors import TooLarge
from design.instances import (
    chain_law,
    confounded_law,
    listed,
    m_by_hand,
    model_law,
    model_table,
    parallel_law,
    settings_of,
)


@pytest.mark.parametrize(("step", "error"), [(COARSE, 1e-10), (COARSE / 2, 2e-15)])
def test_the_quadrature_is_good_for_every_d_at_once(step, error):
    d = np.geomspace(0.1, 1e6, 1000)
    s, weight = nodes(0.1, 1e6, step)
    for k, factorial in enumerate((1, 1, 2)):
        integral = np.exp(-np.outer(d, s)) @ (s**k * weight)
        assert np.abs(integral * d ** (k + 1) / factorial - 1).max() < error


def test_the_derivatives_of_a_parallel_graph_are_those_of_its_listed_states():
    rng = np.random.default_rng(0)
    marginals = [rng.dirichlet(np.ones(k)) for k in (2, 3, 2, 4)]
    law = listed(settings_of(marginals))
    order = [len(law) - 1, *range(len(law) - 1)]  # do() first
    wide = Matrix(law[order])
    p = np.ones((4, 4))
    real = np.zeros((4, 4), bool)
    for i, marginal in enumerate(marginals):
        p[i, : len(marginal)], real[i, : len(marginal)] = marginal, True
    graph = Parallel(p, real, np.ones(4), real, real, True, True)
    eta, w = rng.uniform(0.1, 1, len(law)), rng.uniform(0.1, 1, len(law))
    step = rng.normal(size=len(law))
    ours, theirs = graph.at(eta), wide.at(eta)
    np.testing.assert_allclose(ours.f, theirs.f, rtol=1e-11)
    np.testing.assert_allclose(ours.push(w), theirs.push(w), rtol=1e-10)
    np.testing.assert_allclose(ours.pull(step), theirs.pull(step), rtol=1e-7, atol=1e-8)
    slack, spring = rng.uniform(0.1, 1, (2, len(law)))
    ones = rng.normal(size=(2, len(law)))
    for mine, other in zip(ours.newton(w, slack, spring)(*ones), theirs.newton(w, slack, spring)(*ones), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-7, atol=1e-8)


def random_settings(rng):
    """Up to 6 independent variables of 1 to 4 values: rare, certain, impossible and equal ones, some not settable."""
    marginals = []
    for _ in range(int(rng.integers(1, 7))):
        k = int(rng.choice([1, 2, 2, 2, 3, 4]))
        p = rng.dirichlet(np.full(k, rng.choice([0.1, 0.5, 2])))
        odd = rng.integers(8)
        if odd == 0:
            p = np.full(k, 1 / k)
        elif odd == 1 and k > 1:
            p = np.append(0.0, p[1:] / p[1:].sum())
        elif odd == 2:
            p = np.eye(k)[0]
        elif odd == 3 and marginals:
            p = marginals[-1][::-1].copy()
        marginals.append(p)
    share = rng.choice([1, 1, 0.7])
    return settings_of(marginals, do=bool(rng.random() < 0.6), keep=lambda i, j: rng.random() < share)


@pytest.mark.parametrize("seed", range(40))
def test_parallel_graphs_against_listing(seed):
    rng = np.random.default_rng([1, seed])
    settings = random_settings(rng)
    law = listed(settings)
    found, error = design_of_product(settings, 1e-7)
    assert error < 1e-9
    assert found.gap <= 1e-7 + error
    assert found.m == pytest.approx(design_of_matrix(law, 1e-8).m, rel=2e-7)
    assert found.m == pytest.approx(m_by_hand(law, found.eta), rel=1e-7)
    eta = rng.dirichlet(np.ones(len(law)))
    assert m_of_product(settings, eta) == pytest.approx(m_by_hand(law, eta), rel=1e-9)


@pytest.mark.parametrize("values", [2, 3])
def test_ten_variables_against_listing(values):
    rng = np.random.default_rng(values)
    settings = settings_of([rng.dirichlet(np.ones(values)) for _ in range(10 if values == 2 else 7)])
    found, error = design_of_product(settings, 1e-8)
    assert error < 1e-10
    assert found.m == pytest.approx(design_of_matrix(listed(settings), 1e-8).m, rel=2e-8)


def test_a_thousand_distinct_variables_and_a_wide_spread():
    rng = np.random.default_rng(2)
    for q in (10 ** rng.uniform(-5, np.log10(0.5), 1000), rng.beta(0.3, 0.3, 1000)):
        found, error = design_of_product(settings_of([[1 - x, x] for x in q]), 1e-6)
        assert error < 1e-9
        assert found.gap <= 1e-6
        assert found.eta.sum() == pytest.approx(1)


@pytest.mark.campaign
@pytest.mark.parametrize("size", [10_000, 100_000])
def test_very_many_variables(size):
    rng = np.random.default_rng(3)
    for q in (10 ** rng.uniform(-5, np.log10(0.5), size), rng.beta(0.3, 0.3, size), rng.uniform(0, 0.5, size)):
        found, error = design_of_product(settings_of([[1 - x, x] for x in q]), 1e-6)
        assert error < 1e-9
        assert found.gap <= 1e-6


@pytest.mark.parametrize(
    ("size", "values", "zeros"), [(12, 2, 0.0), (10, 2, 0.3), (7, 3, 0.0), (6, 3, 0.3), (8, 2, 1.0)]
)
def test_chains_against_listing(size, values, zeros, monkeypatch):
    rng = np.random.default_rng([4, size])
    tables = []
    for i in range(size):
        table = rng.dirichlet(np.ones(values), values if i else 1)
        if zeros == 1:
            table = np.eye(values)[: values if i else 1]  # everything copies its cause
        elif i:
            table[rng.random(table.shape) < zeros] = 0
            table[table.sum(axis=1) == 0, 0] = 1
        tables.append(table / table.sum(axis=1, keepdims=True))
    law = chain_law(tables)
    table = model_table(law)
    monkeypatch.setattr(law_backend, "MOST_LISTED", 0)
    assert isinstance(law_backend.backend_of(law), law_backend.ForestLaw)
    design = design_of_law(law, 1e-7)
    assert design.gap <= 1e-7
    assert design.m == pytest.approx(design_of_matrix(table, 1e-8).m, rel=2e-7)
    assert design.m == pytest.approx(m_by_hand(table, design.eta), rel=1e-7)


def test_a_tree_with_many_effects_of_one_cause_and_missing_actions(monkeypatch):
    rng = np.random.default_rng(5)
    names = [f"X{i}" for i in range(8)]
    arrows = [(names[max(0, i // 2 - 1)], names[i]) for i in range(1, 7)]  # X7 stands alone
    tables = {n: rng.dirichlet(np.ones(2), 2 if 0 < i < 7 else None) for i, n in enumerate(names)}
    law = model_law([Variable(n) for n in names], arrows, tables, names, on=names[:6])
    actions = Actions(law.actions.graph, [a for a in law.actions if a])  # not even do()
    law = type(law)(actions, law.model)
    monkeypatch.setattr(law_backend, "MOST_LISTED", 0)
    design = design_of_law(law, 1e-7)
    assert design.gap <= 1e-7
    assert design.m == pytest.approx(design_of_matrix(model_table(law), 1e-8).m, rel=2e-7)


def test_a_chain_of_thirty():
    rng = np.random.default_rng(6)
    design = design_of_law(chain_law([rng.dirichlet(np.ones(2), 2 if i else 1) for i in range(30)]))
    assert design.gap <= 1e-6
    assert design.m < 61


def random_confounded(rng, size, kinds):
    shapes = [rng.dirichlet(np.ones(2), 2) for _ in range(kinds)]
    return [shapes[i % kinds] for i in range(size)]


@pytest.mark.parametrize(("size", "kinds", "set_z"), [(10, 2, True), (9, 3, False), (8, 1, True)])
def test_interchangeable_variables_against_listing(size, kinds, set_z):
    rng = np.random.default_rng([7, size])
    law = confounded_law(random_confounded(rng, size, kinds), set_z=set_z)
    assert len(groups_of(law)) == kinds
    design = design_of_law(law, 1e-8)
    assert "interchangeable" in design.certified
    table = model_table(law)
    assert design.m == pytest.approx(design_of_matrix(table, 1e-8).m, rel=3e-8)
    assert design.m == pytest.approx(m_by_hand(table, design.eta), rel=1e-9)


def test_interchangeable_variables_of_three_values():
    rng = np.random.default_rng(8)
    values = ("a", "b", "c")
    shape = rng.dirichlet(np.ones(3), 2)
    names = [f"X{i}" for i in range(5)]
    tables = {"Z": [0.4, 0.6], "W": rng.dirichlet(np.ones(2), 3), **dict.fromkeys(names[:4], shape)}
    tables["X4"] = rng.dirichlet(np.ones(3))
    arrows = [*(("Z", n) for n in names[:4]), ("X4", "W")]
    variables = [Variable("Z"), Variable("W"), *(Variable(n, values) for n in names)]
    law = model_law(variables, arrows, tables, [*names, "W"])
    assert groups_of(law) == [tuple(names[:4])]
    design = design_of_law(law, 1e-8)
    assert design.m == pytest.approx(design_of_matrix(model_table(law), 1e-8).m, rel=3e-8)


def test_fifty_confounded_variables():
    rng = np.random.default_rng(9)
    for kinds in (1, 2, 3):
        design = design_of_law(confounded_law(random_confounded(rng, 50, kinds)))
        assert design.gap <= 1e-6
        assert design.eta.sum() == pytest.approx(1)


def test_variables_that_are_set_differently_or_have_effects_are_not_interchangeable():
    shape = [[0.9, 0.1], [0.7, 0.3]]
    law = confounded_law([shape] * 4)
    some = Actions(law.actions.graph, [a for a in law.actions if a.get("X0") != "1"])
    assert groups_of(type(law)(some, law.model)) == [("X1", "X2", "X3")]


def test_what_is_not_covered_is_refused_in_words():
    rng = np.random.default_rng(10)
    law = confounded_law([rng.dirichlet(np.ones(2), 2) for _ in range(50)])
    with pytest.raises(TooLarge, match="interchangeable"):
        design_of_law(law)
    wide = parallel_law([[0.9, 0.1]] * 40)
    pairs = ProductLaw(Actions.up_to(wide.actions.graph, 2), wide.marginals)
    with pytest.raises(TooLarge, match="one variable"):
        design_of_law(pairs)


def test_a_common_cause_that_bears_on_the_reward_makes_a_forest():
    rng = np.random.default_rng(11)
    law = confounded_law([rng.dirichlet(np.ones(2), 2) for _ in range(25)], also_z=True)
    assert isinstance(law_backend.backend_of(law), law_backend.ForestLaw)
    assert design_of_law(law).gap <= 1e-6
