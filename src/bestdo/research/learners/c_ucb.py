"""C-UCB: upper confidence bounds on the states of the reward's parents, whose law under each action is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import Counts, add_block
from bestdo.learners.parent_states import (
    beside_states,
    best_by_states,
    estimates_by_states,
    listed_law,
    play_highest,
    start_states,
    state_means,
    states_statistic,
)
from bestdo.learners.reasons import bound_words

__all__ = ["CUCB"]


@dataclass(frozen=True)
class CUCB:
    """C-UCB: plays the action whose bound Σ_x P(x | a) U_x is highest, U_x the upper bound of state x of the parents.

    Lu, Meisami, Tewari & Yan (2020), Algorithm 1: U_x = mean of the rounds in state x + √(radius ln(1/δ) / n_x), with
    δ = 1/T² and radius = 2 there; 1/2 is enough for rewards between 0 and 1 (Hoeffding), as in Bilodeau, Wang & Roy
    (2022). A state not seen has n_x = 1 and mean 0, as in the paper (the mean of all rounds, for a number without bounds,
    whose spread must be stated). The paper minimises the regret of all rounds; the
    recommendation is ours: the best of the means that follow from the states' means.
    """

    radius: float = 2.0
    """The factor in the width of the bounds: 2 as in the paper, 1/2 for narrower bounds that are still valid."""
    block: int = 1
    """The number of rounds planned at once: the actions with the highest bounds, one round each."""

    traits = Traits(any_time=True, reasons=True)
    statistic = staticmethod(states_statistic)
    start = staticmethod(start_states("C-UCB"))
    tell = staticmethod(add_block)
    best = staticmethod(best_by_states)
    estimates = staticmethod(estimates_by_states)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds (Algorithm 1): the actions with the highest Σ_x P(x | a) U_x."""
        state = beside_states(state, request.out)
        if not state.left.any():
            return None
        n, mean = np.maximum(state.tally.weight, 1), state_means(state.tally, state.problem)
        log = 2 * np.log(max(2, state.problem.rounds(state.horizon)))  # ln(1/δ)
        bound = (mean + np.sqrt(self.radius * log / n)) @ listed_law(state.problem, "C-UCB").T
        return play_highest(bound, state, self.block)

    def reason(self, state: Counts, action: int) -> str:
        """The action's bound is the highest."""
        end, most = bound_words(state.problem)
        one = f"is among the {most}" if self.block > 1 else f"is the {most}"
        return f"its {end} bound, by what was seen in each state of the reward's causes, {one}"
