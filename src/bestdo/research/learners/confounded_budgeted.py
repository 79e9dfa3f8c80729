"""Confounded budgeted: SRM with costs: half of the budget of do(), the rest on infrequent actions by what these cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.learners.count_state import Counts
from bestdo.research.learners.srm import (
    estimates_by_formula,
    parents_statistic,
    reason_of_half,
    recommend,
    start_single,
    support,
)
from bestdo.research.learners.watch_half import HalfState, ask_half, tell_half

__all__ = ["ConfoundedBudgeted", "cost_difficulty"]


_ROUNDING = 1e-9
"""The rounding error allowed in q̂^k n̂ = 1."""


@dataclass(frozen=True)
class ConfoundedBudgeted:
    """Confounded budgeted: half of the budget of do(), then the actions with q̂^k < 1/n̂ equally often; the rest by formulas.

    Jamshidi, Etesami & Kiyavash (2024), their algorithm for simple regret, from the graph alone, hidden variables allowed,
    for actions that set one variable and cost c: n = min{τ: the actions with q^k < 1/τ cost at most τ together}, q the
    least probability of the action's value together with any values of its variable's c-component parents, k the size of the
    c-component. Each of these actions is played B / (2 Σ c) times. From reviews of the paper, not from its text.

    Deviations: those of `srm`; costs are in rounds of do(), τ is any real number, and what is left of the budget is spent.
    The paper's other algorithm, for reward per cost, is not built: `crm` is that for graphs in which seeing is as good
    as doing.
    """

    traits = Traits(reasons=True)
    statistic = staticmethod(parents_statistic)
    start = staticmethod(start_single("confounded-budgeted"))
    ask = staticmethod(ask_half)
    best = staticmethod(recommend)
    estimates = staticmethod(estimates_by_formula)
    reason = staticmethod(reason_of_half)

    def tell(self, state: HalfState, plan: Plan, tally: Tally) -> HalfState:
        """The state after a block; after the first, B/2 of do(), it is decided which actions are infrequent: q̂^k < 1/n̂."""
        return tell_half(state, plan, tally, _infrequent)


def cost_difficulty(p: Floats, cost: Floats) -> Floats:  # float[L, K], float[K] -> float[L]
    """The difficulty with costs, n = min{τ: the actions with p < 1/τ cost at most τ together}.

    With the actions from the rarest on, the j rarest of which cost C_j, that is min over j of max(C_j, 1 / p of the next).
    """
    order = p.argsort(axis=1)
    spent = np.cumsum(cost[order], axis=1)
    with np.errstate(divide="ignore"):
        late = np.concatenate([1 / np.take_along_axis(p, order, axis=1), np.zeros((len(p), 1))], axis=1)
    spent = np.concatenate([np.zeros((len(p), 1)), spent], axis=1)
    return np.asarray(np.maximum(spent, late).min(axis=1))


def _infrequent(counts: Counts) -> Bools:  # bool[L, A]
    """The actions with q̂^k < 1/n̂, by the costs."""
    problem, each = counts.problem, support(counts)
    watching = problem.actions.index(do())
    others = (np.arange(each.shape[1]) != watching) & problem.contenders
    if not others.any():
        return np.zeros(each.shape, bool)
    n = cost_difficulty(each[:, others], problem.prices[others] / problem.prices[watching])
    return np.asarray((each * n[:, None] < 1 - _ROUNDING) & others)
