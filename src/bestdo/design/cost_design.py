"""The optimal design for a budget, where rounds of different actions have different prices.

With n_b rounds of action b the errors go down as max_a sum_x P_a(x)^2 / sum_b n_b P_b(x). What is spent on b is
w_b = n_b c_b; so for a given budget the best w is the design of the laws P_b / c_b, judged by the same squares.
"""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem, require_law
from bestdo.design.difficulty import m_of_design
from bestdo.design.interior import minimise
from bestdo.design.law_backend import Listed, backend_of
from bestdo.design.matrix import Matrix
from bestdo.design.optimal import TOLERANCE, Design, optimal_design

__all__ = ["design_for_money"]


# The share of the largest amount below which an action gets no money: a solver that ends at a gap of 1e-6 leaves such
# specks.
_SPECK = 1e-6


def design_for_money(problem: Problem, tolerance: float = TOLERANCE) -> Design:
    """The design of least m(eta) times the average price of a round; `gap` proves how near to the least it is.

    Where all rounds cost the same it is the optimal design. Where the states of the reward's parents cannot be listed
    it is the optimal design, too, which is the best per round; its gap is then that to the least m times the lowest price.
    """
    law, prices = require_law(problem, "an optimal design"), problem.prices
    if (prices == prices[0]).all():
        return optimal_design(problem, tolerance)
    backend = backend_of(law)
    if not isinstance(backend, Listed):
        best = optimal_design(problem, tolerance)
        worst = float(best.eta @ prices) / float(prices.min())
        proof = f"{best.certified}, and the lowest price"
        return Design(best.eta, best.m, (1 + best.gap) * worst - 1, proof, problem.actions)
    table = backend.table[:, backend.table.sum(axis=0) > 0]
    scaled = table / (prices / prices.mean())[:, None]
    minimum = minimise(Matrix(scaled, table**2), tolerance)
    eta = _rounds(minimum.eta, prices)
    m = m_of_design(law, eta)
    lower = minimum.lower * float(prices.mean())  # of m times the average price
    gap = max(m * float(eta @ prices) / lower - 1, 0.0)
    return Design(eta, m, gap, f"sums over {table.shape[1]:,} states, for the money", problem.actions)


def _rounds(money: Floats, prices: Floats) -> Floats:
    """The shares of rounds that belong to shares of money; actions that get next to no money are not played."""
    weights = np.where(money < _SPECK * money.max(), 0.0, money) / prices
    return np.asarray(weights / weights.sum())
