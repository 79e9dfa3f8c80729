"""Designs that learn most for their money."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import bestdo
from bestdo.design.cost_design import design_for_money
from bestdo.design.difficulty import m_of_design
from bestdo.design.optimal import optimal_design
from bestdo.simulate import confounded, paper_parallel
from support import ROOT

WORLDS = [
    bestdo.compose(ROOT / "examples" / "farm.toml").problem,
    confounded([0.1, 0.5], [0.6, 0.2]).problem,
]


def best_by_slsqp(problem):
    """The least m(eta) times the average price, by another method: the cheapest rounds with an m of at most 1."""
    law = problem.law.table.reshape(len(problem.actions), -1)
    law = law[:, law.sum(axis=0) > 0]
    found = minimize(
        lambda z: np.exp(z) @ problem.prices / 20,
        np.full(len(law), 3.0),
        constraints={"type": "ineq", "fun": lambda z: 1 - (law**2 / (np.exp(z) @ law)).sum(axis=1)},
        bounds=[(-12, 12)] * len(law),
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    eta = np.exp(found.x) / np.exp(found.x).sum()
    return m_of_design(problem.law, eta) * (eta @ problem.prices)


@pytest.mark.parametrize("problem", WORLDS, ids=["farm", "confounded"])
@pytest.mark.parametrize("seed", range(3))
def test_no_design_is_better_for_the_money(problem, seed):
    prices = np.random.default_rng(seed).lognormal(0, 1, len(problem.actions))
    costly = replace(problem, cost=tuple(prices))
    design = design_for_money(costly)
    value = design.m * (design.eta @ prices)
    assert design.gap <= 1e-5
    assert np.isclose(design.m, m_of_design(problem.law, design.eta))
    optimal = optimal_design(problem)
    assert value <= optimal.m * (optimal.eta @ prices) * (1 + 1e-6)
    other = best_by_slsqp(costly)
    assert value <= other * (1 + 1e-5)
    assert value / (1 + design.gap) <= other * (1 + 1e-9)  # the proof holds for it, too


def test_equal_prices_change_nothing():
    problem = WORLDS[0]
    assert design_for_money(replace(problem, cost=(3,) * 7)) == optimal_design(problem)
    assert design_for_money(problem) == optimal_design(problem)


def test_where_states_cannot_be_listed_the_proof_is_weaker_but_true():
    problem = paper_parallel(40, 3, 0.3).problem
    cost = np.ones(len(problem.actions))
    cost[0] = 4
    design = design_for_money(replace(problem, cost=tuple(cost)))
    optimal = optimal_design(problem)
    assert design.m == optimal.m
    assert design.m * (design.eta @ cost) / (1 + design.gap) <= optimal.m * cost.min() * (1 + 1e-9)
