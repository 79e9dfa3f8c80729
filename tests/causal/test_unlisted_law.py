"""Laws that are evaluated on rows."""

import itertools
import pickle

import numpy as np
import pytest

from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.law import ParentLaw
from bestdo.causal.model import Model
from bestdo.causal.unlisted_law import ModelLaw, ProductLaw
from bestdo.errors import ActionError, GraphError, TableError
from design.instances import confounded_law, listed, model_table, parallel_law, settings_of


def all_states(sizes):
    return np.array(list(itertools.product(*map(range, sizes))))


def test_a_product_law_at_all_states():
    rng = np.random.default_rng(0)
    marginals = [rng.dirichlet(np.ones(k)) for k in (2, 3, 2)] + [np.array([0.0, 1.0])]
    law = parallel_law(marginals)
    table = listed(settings_of(marginals))
    table = table[[len(table) - 1, *range(len(table) - 1)]]  # do() first
    x = all_states([2, 3, 2, 2])
    np.testing.assert_allclose(law.probabilities(x), table.T, atol=1e-15)
    eta = rng.dirichlet(np.ones(len(table)))
    q = eta @ table
    ratios = np.divide(table, q, out=np.zeros_like(table), where=q > 0)
    np.testing.assert_allclose(law.ratios(x, eta), ratios.T, rtol=1e-12)


def test_the_hash_of_a_law_stays_in_its_process():
    """Hashes of texts differ between processes."""
    law = parallel_law([[0.9, 0.1], [1.0, 0.0]])
    for each in (law, ParentLaw(law.actions, law.parents, law.listed().reshape(-1, 2, 2))):
        assert hash(each) == hash(each)
        again = pickle.loads(pickle.dumps(each))
        assert "_hash" not in vars(again)
        assert again == each


def test_actions_on_several_variables():
    law = parallel_law([[0.9, 0.1], [1.0, 0.0], [0.5, 0.5]])
    graph = law.actions.graph
    law = ProductLaw(Actions.up_to(graph, 3), law.marginals)
    x = all_states([2, 2, 2])
    p = law.probabilities(x)
    assert p.sum(axis=0) == pytest.approx(np.ones(len(law.actions)))
    assert p[:, law.actions.index(do(X0=1, X1=1))] == pytest.approx([0, 0, 0, 0, 0, 0, 0.5, 0.5])


def test_ratios_of_thousands_of_parents_do_not_underflow():
    rng = np.random.default_rng(1)
    q = rng.uniform(0.01, 0.99, 3000)
    law = parallel_law([[1 - x, x] for x in q])
    x = (rng.random((3, 3000)) < q).astype(np.int8)
    eta = np.full(len(law.actions), 1 / len(law.actions))
    ratios = law.ratios(x, eta)
    assert (law.probabilities(x) < 1e-200).all()
    np.testing.assert_allclose(ratios @ eta, 1, rtol=1e-12)
    first = np.where(x[:, 0] == 1, 1 / q[0], 1 / (1 - q[0]))
    hit = ratios[np.arange(3), [law.actions.index(do(X0=int(v))) for v in x[:, 0]]]
    np.testing.assert_allclose(hit / ratios[:, 0], first, rtol=1e-12)


def test_states_that_nobody_reaches_have_ratio_0():
    law = parallel_law([[1.0, 0.0], [0.0, 1.0]])
    eta = np.full(5, 0.2)
    assert law.ratios(np.array([[1, 0]]), eta).tolist() == [[0] * 5]  # two impossible values at once
    assert law.ratios(np.array([[1, 1]]), eta).tolist() == [[0, 0, pytest.approx(5), 0, 0]]


def test_a_model_law_at_all_states():
    rng = np.random.default_rng(2)
    for also_z in (False, True):
        tables = [rng.dirichlet(np.ones(2), 2) for _ in range(4)]
        tables[0] = np.array([[1.0, 0.0], [0.0, 1.0]])
        law = confounded_law(tables, also_z=also_z)
        table = model_table(law)
        x = all_states([2] * len(law.parents))
        np.testing.assert_allclose(law.probabilities(x), table.T, atol=1e-14)
        eta = rng.dirichlet(np.ones(len(table)))
        np.testing.assert_allclose(law.ratios(x, eta) * (eta @ table)[:, None], table.T, atol=1e-14)


def test_a_model_law_of_fifty_variables():
    rng = np.random.default_rng(3)
    law = confounded_law([rng.dirichlet(np.ones(2), 2) for _ in range(50)])
    x = rng.integers(0, 2, (20, 50))
    eta = np.full(len(law.actions), 1 / len(law.actions))
    ratios = law.ratios(x, eta)
    np.testing.assert_allclose(ratios @ eta, 1, rtol=1e-12)
    by_hand = sum(
        p * np.prod([law.model.tables[f"X{i}"][z, x[0, i]] for i in range(50)]) for z, p in enumerate([0.8, 0.2])
    )
    assert law.probabilities(x)[0, 0] == pytest.approx(by_hand, rel=1e-12)


def test_laws_that_do_not_fit_are_refused():
    graph = Graph.parse("Z -> X -> Y", reward="Y")
    with pytest.raises(GraphError, match="not independent"):
        ProductLaw(Actions.single(graph), (np.array([0.5, 0.5]),))
    flat = Graph.parse("X -> Y", reward="Y")
    with pytest.raises(TableError, match="sum to 1"):
        ProductLaw(Actions.single(flat), (np.array([0.5, 0.6]),))
    with pytest.raises(TableError, match="2 distributions for 1"):
        ProductLaw(Actions.single(flat), (np.array([0.5, 0.5]),) * 2)
    with pytest.raises(GraphError, match="reward"):
        ProductLaw(Actions.single(Graph.parse("X -> Y")), ())
    model = Model(Graph.parse("X"), {"X": [0.5, 0.5]})
    with pytest.raises(GraphError, match="no 'W'"):
        ModelLaw(Actions.single(Graph.parse("X -> Y; W -> Y", reward="Y")), model)
    other = Model(Graph.of([Variable("X", ("a", "b"))], []), {"X": [0.5, 0.5]})
    with pytest.raises(GraphError, match="other parents or values"):
        ModelLaw(Actions.single(flat), other)
    hidden = Graph.parse("X -> Y; U -> Y", reward="Y", hidden=["U"])
    with pytest.raises(ActionError, match="hidden parent"):
        ModelLaw(Actions.single(hidden), Model(Graph.parse("X; U", hidden=["U"]), {"X": [0.5, 0.5], "U": [0.5, 0.5]}))
