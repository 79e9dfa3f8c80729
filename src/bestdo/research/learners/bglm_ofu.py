"""BGLM-OFU: rounds of do() first, then optimism about linear models of all variables with one radius."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.learners.count_state import Counts, add_block
from bestdo.learners.reasons import bound_words
from bestdo.research.learners.blm_lr import play_optimistic
from bestdo.research.learners.empirical_tables import best_by_tables, estimates_by_tables, tables_statistic
from bestdo.research.learners.linear_tables import CODE_SCALE, Radius, nodes, start_linear

__all__ = ["BGLMOFU"]

_FIRST = 100
"""The first phase is a hundredth of the rounds: as in the authors' code. The paper's proof asks for far more."""


@dataclass(frozen=True)
class BGLMOFU:
    """BGLM-OFU: a hundredth of the rounds of do(), then plays the action whose mean could be highest by linear models.

    Feng & Chen (2023), with the identity as link, as in their experiments (BLM-OFU there): the maximum-likelihood estimate
    is then least squares (here with 1 on the diagonal, as in their code), κ = 1, and ρ = 3 √ln(3/δ), δ = 1 / (n √T). Needs
    two-valued variables, no negative effects and nothing hidden. Other links are not built. Ours: probabilities are cut at 0
    and 1; equal ones at random; without do() there is no first phase; it recommends by the tables of all variables.

    `as_in_authors_code()` has a tenth of ρ, no constant in the model of the reward, ρ / √n for variables without
    parents, cuts nothing, and never chooses do() after the first phase where there is another action.
    """

    scale: float = 1.0
    """The factor of ρ: 1 as in the paper, where all bounds are 1 for hundreds of rounds; 1/10 in the authors' code."""
    as_in_code: bool = False
    """Whether the model of the reward, variables without parents and bounds above 1 are treated as in the authors' code."""

    traits = Traits(reasons=True)

    @classmethod
    def as_in_authors_code(cls) -> BGLMOFU:
        """BGLM-OFU as in the code behind the paper's figures, where it is called BLM-OFU."""
        return cls(scale=CODE_SCALE, as_in_code=True)

    statistic = staticmethod(tables_statistic)
    tell = staticmethod(add_block)
    best = staticmethod(best_by_tables)
    estimates = staticmethod(estimates_by_tables)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        return start_linear(problem, "BGLM-OFU", horizon, lanes, rng)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of BGLM-OFU: the first phase of do(), then one round after the other of the highest optimistic mean."""
        if not state.left.any():
            return None
        watching = _first_phase(state)
        if watching:
            counts = np.zeros(state.played.shape, np.int64)
            counts[:, state.problem.actions.index(do())] = np.minimum(watching, state.left)
            return Plan(counts)
        surely = np.log(nodes(state.problem) * np.sqrt(max(1, state.problem.rounds(state.horizon))))  # ln(1/δ)
        return play_optimistic(state, Radius(self.scale * float(3 * np.sqrt(np.log(3) + surely)), self.as_in_code))

    def reason(self, state: Counts, action: int) -> str:
        """The first phase, or the highest optimistic mean."""
        if _first_phase(state):
            return "a hundredth of the rounds is watched first, to start the linear models"
        end, most = bound_words(state.problem)
        return f"its {end} bound, by linear models of the reward and its causes, is the {most}"


def _first_phase(state: Counts) -> int:
    """The number of rounds of do() still to be played first; 0 when that is over, or where do() is not allowed."""
    if state.block or do() not in state.problem.actions:
        return 0
    return state.problem.rounds(state.horizon) // _FIRST
