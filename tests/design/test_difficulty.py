"""m(q) as the paper defines it, its generalisation, and m(eta)."""

import itertools

import numpy as np
import pytest

from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.law import ParentLaw
from bestdo.design import law_backend
from bestdo.design.bounds import rounds_lemma_3
from bestdo.design.difficulty import difficulty, difficulty_of_variables, m_of_design
from bestdo.errors import TooLarge
from design.instances import chain_law, confounded_law, m_by_hand, model_table, parallel_law, random_table


def paper(q):
    """The definition, letter by letter."""
    for tau in range(2, len(q) + 1):
        if sum(min(x, 1 - x) < 1 / tau for x in q) <= tau:
            return tau
    return None


def test_the_papers_examples():
    assert difficulty_of_variables([0.5] * 50) == 2
    assert difficulty_of_variables([0.0] * 50) == 50
    assert difficulty_of_variables([0.0] * 7 + [0.5] * 43) == 7


def test_agrees_with_the_definition_and_counts_per_action_equal_counts_per_variable():
    rng = np.random.default_rng(0)
    for _ in range(500):
        q = rng.beta(0.3, 0.3, int(rng.integers(2, 20)))
        q = np.where(rng.random(len(q)) < 0.3, rng.choice([0, 1, 1 / 2, 1 / 3, 1 / 4, 1 / 7], len(q)), q)
        by_action = difficulty(np.concatenate([q, 1 - q]))
        assert paper(q) == difficulty_of_variables(q) == by_action


def test_one_variable_which_the_paper_leaves_out():
    assert paper([0.1]) is None
    assert difficulty_of_variables([0.1]) == difficulty([0.1, 0.9]) == 2


def test_counts_per_action_where_the_paper_has_no_definition():
    assert difficulty([1 / 3] * 30) == 3  # ten variables of three equally likely values
    assert difficulty([0.05, 0.05, 0.9] * 10) == 20  # two rare values each
    assert difficulty([0.0, 0.0, 0.0, 0.5, 0.5]) == 3  # only some settings are allowed


def test_lanes_are_single_runs():
    rng = np.random.default_rng(1)
    p = rng.beta(0.3, 0.3, (6, 5, 40))
    lanes = difficulty(p)
    assert lanes.shape == (6, 5)
    for i, j in itertools.product(range(6), range(5)):
        assert lanes[i, j] == difficulty(p[i, j])
    assert difficulty(np.zeros((3, 0))).tolist() == [2, 2, 2]


def test_lemma_3_m_hat_is_near_m():
    """2m/3 <= m(q-hat) <= 2m but with probability delta, from T = 48 m log(2N/delta) on.

    delta = 0.1; 10,000 lanes at seed 2. Failures may be delta plus 4 sigma = 0.1 + 4 * 0.003.
    """
    rng = np.random.default_rng(2)
    delta, lanes = 0.1, 10_000
    for q in (np.full(20, 0.5), np.r_[[0.0] * 5, [0.3] * 15], np.geomspace(0.01, 0.5, 30), rng.beta(0.3, 0.3, 50)):
        q = np.minimum(q, 1 - q)
        m = int(difficulty_of_variables(q))
        half = rounds_lemma_3(m, len(q), delta) // 2
        seen = rng.binomial(half, q, (lanes, len(q))) / half
        m_hat = difficulty_of_variables(seen)
        failed = np.mean((m_hat < 2 * m / 3) | (m_hat > 2 * m))
        assert failed <= delta + 4 * np.sqrt(delta * (1 - delta) / lanes)


def test_lemma_3_can_fail_with_too_few_rounds():
    rng = np.random.default_rng(3)
    q = np.r_[np.full(10, 0.02), np.full(40, 0.15)]
    m = int(difficulty_of_variables(q))
    m_hat = difficulty_of_variables(rng.binomial(3, q, (1000, 50)) / 3)
    assert np.mean((m_hat < 2 * m / 3) | (m_hat > 2 * m)) > 0.9


def test_m_of_design_with_a_table():
    rng = np.random.default_rng(4)
    for _ in range(50):
        table = random_table(rng)
        k = table.shape[1]
        variables = [Variable(n, tuple(map(str, range(size)))) for n, size in (("X", k), ("U", len(table)))]
        graph = Graph.of([*variables, Variable("Y")], [("X", "Y")], reward="Y")
        law = ParentLaw(Actions(graph, list(Actions.single(graph, ["U"]))[1:]), ("X",), table)
        eta = rng.dirichlet(np.ones(len(table)))
        assert m_of_design(law, eta) == pytest.approx(m_by_hand(table, eta), rel=1e-12)


def test_m_of_design_misses_a_state():
    law = parallel_law([[1.0, 0.0], [0.5, 0.5]])
    eta = np.eye(len(law.actions))[0]  # only do(), which never shows X0=1
    assert m_of_design(law, eta) == np.inf


@pytest.mark.parametrize("where", ["product", "forest", "counted"])
def test_m_of_design_without_listing(where, monkeypatch):
    rng = np.random.default_rng(5)
    if where == "product":
        law = parallel_law([rng.dirichlet(np.ones(k)) for k in (2, 3, 2, 4)])
        table = law.listed()
        eta = rng.dirichlet(np.ones(len(table)))
    elif where == "forest":
        law = chain_law([rng.dirichlet(np.ones(2), 2 if i else 1) for i in range(6)])
        table = model_table(law)
        eta = rng.dirichlet(np.ones(len(table)))
    else:
        law = confounded_law([[[0.9, 0.1], [0.7, 0.3]]] * 6)
        table = model_table(law)
        eta = np.full(len(table), 1 / len(table))
    if where != "counted":
        monkeypatch.setattr(law_backend, "MOST_LISTED", 0)
    assert m_of_design(law, eta) == pytest.approx(m_by_hand(table, eta), rel=1e-10)
    if where == "counted":
        with pytest.raises(TooLarge, match="equally"):
            m_of_design(law, rng.dirichlet(np.ones(len(table))))
