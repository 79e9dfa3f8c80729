"""BLM-LR: optimism about linear models of all variables, each learned by ridge regression."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.learners.count_state import Counts, add_block, play_once, rounded
from bestdo.learners.parent_states import DIGITS
from bestdo.learners.reasons import bound_words
from bestdo.research.learners.empirical_tables import best_by_tables, estimates_by_tables, tables_statistic
from bestdo.research.learners.linear_tables import CODE_SCALE, Radius, nodes, optimistic_means, start_linear

__all__ = ["BLMLR", "play_optimistic"]


@dataclass(frozen=True)
class BLMLR:
    """BLM-LR: plays the action whose mean could be highest by linear models of all variables, learned from all rounds.

    Feng & Chen (2023), for two-valued variables that are 1 with a probability linear in their parents, without negative
    effects and hidden causes: ridge regression for each variable, and ρ_t = √(n ln(1 + nt) + 2 ln(1/δ)) + √n, δ = 1 / (n √T),
    n the number of variables with the one that is always 1. Ours: probabilities are cut at 0 and 1; equal ones at random; it
    recommends by the tables of all variables, which need not be linear.

    `as_in_authors_code()` has a tenth of ρ, no constant in the model of the reward, ρ / √n for variables without
    parents, cuts nothing, and never chooses do() where there is another action.
    """

    scale: float = 1.0
    """The factor of ρ: 1 as in the paper, where all bounds are 1 for hundreds of rounds; 1/10 in the authors' code."""
    as_in_code: bool = False
    """Whether the model of the reward, variables without parents and bounds above 1 are treated as in the authors' code."""

    traits = Traits(reasons=True)

    @classmethod
    def as_in_authors_code(cls) -> BLMLR:
        """BLM-LR as in the code behind the paper's figures."""
        return cls(scale=CODE_SCALE, as_in_code=True)

    statistic = staticmethod(tables_statistic)
    tell = staticmethod(add_block)
    best = staticmethod(best_by_tables)
    estimates = staticmethod(estimates_by_tables)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        return start_linear(problem, "BLM-LR", horizon, lanes, rng)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next round of BLM-LR: the action with the highest mean within all ellipsoids of radius ρ_t."""
        if not state.left.any():
            return None
        n, t = nodes(state.problem), state.played.sum(axis=1) + 1
        surely = np.log(n * np.sqrt(max(1, state.problem.rounds(state.horizon))))  # ln(1/δ)
        rho = np.sqrt(n * np.log(1 + n * t) + 2 * surely) + np.sqrt(n)
        return play_optimistic(state, Radius(self.scale * rho, self.as_in_code))

    def reason(self, state: Counts, action: int) -> str:
        """The action's optimistic mean is the highest."""
        end, most = bound_words(state.problem)
        return f"its {end} bound, by linear models of the reward and its causes, is the {most}"


def play_optimistic(state: Counts, radius: Radius) -> Plan:
    """A plan of one round of the action with the highest optimistic mean, ties at random."""
    bound = rounded(optimistic_means(state, radius), DIGITS, state.problem)
    if radius.as_in_code and len(state.problem.actions) > 1:
        bound = np.where([action == do() for action in state.problem.actions], -np.inf, bound)
    return play_once([argmax(bound, state.ties, state.block)], state)
