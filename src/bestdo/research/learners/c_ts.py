"""C-TS: Thompson sampling of the means of the states of the reward's parents, whose law under each action is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import Counts, add_block, play_once
from bestdo.learners.families import cell_posterior
from bestdo.learners.parent_states import (
    beside_states,
    best_by_states,
    estimates_by_states,
    listed_law,
    start_states,
    states_statistic,
)

__all__ = ["CTS"]


@dataclass(frozen=True)
class CTS:
    """C-TS: draws a mean for each state of the parents, and plays the action with the highest Σ_x P(x | a) θ_x.

    Lu, Meisami, Tewari & Yan (2020), Algorithm 2: θ_x from Beta(1 + successes, 1 + failures) in state x. Deviations: with
    rewards of more than two values between 0 and 1 their sums take the place of successes (the paper has binary rewards);
    where the reward is a number, θ_x is Student's with a spread learned from all states together, as in `thompson`. The
    recommendation is ours: the best of the means that follow from the states' means.
    """

    block: int = 1
    """The number of rounds planned at once, each by its own draw."""

    traits = Traits(any_time=True, reasons=True)
    statistic = staticmethod(states_statistic)
    start = staticmethod(start_states("C-TS", bounds=False))
    tell = staticmethod(add_block)
    best = staticmethod(best_by_states)
    estimates = staticmethod(estimates_by_states)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds (Algorithm 2): for each the action with the highest Σ_x P(x | a) θ_x of a draw."""
        state = beside_states(state, request.out)
        if not state.left.any():
            return None
        return play_once([self._drawn(state, rng).argmax(axis=1) for _ in range(self.block)], state)

    def _drawn(self, state: Counts, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions by drawn means of the states; -inf for those that cannot be best."""
        theta = cell_posterior(state.tally, state.problem.graph).draw(rng)  # Algorithm 2, line 4
        drawn = theta @ listed_law(state.problem, "C-TS").T
        return np.where(state.problem.contenders, drawn, -np.inf)

    def reason(self, state: Counts, action: int) -> str:
        """The best of a draw."""
        return "the best in a draw from what was seen in each state of the reward's causes"
