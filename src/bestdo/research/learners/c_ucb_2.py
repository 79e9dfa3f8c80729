"""C-UCB-2: one confidence radius for each action, from the least probability of each state of the reward's parents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Floats
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

__all__ = ["CUCB2"]


@dataclass(frozen=True)
class CUCB2:
    """C-UCB-2: plays the action with the highest Σ_x P(x | a) ȳ_x + √(ln(|X| t²) / 2t) Σ_x P(x | a) / min_b P(x | b).

    Nair, Patil & Sinha (2021), with the constants of the code of Bilodeau, Wang & Roy (2022): t is the number of the
    round, |X| the number of states, ȳ_x the mean of the rounds in state x (0 where there are none). After t rounds of any
    actions a state was seen at least t min_b P(x | b) times on average, so the radius shrinks for all actions at once, and
    the regret stays finite where every action can lead to every state. It is wide: with a state of probability 0.0005
    under some action, 2,000 times that of one mean.

    Ours: where an action cannot lead to a state that others can, the published radius is infinite; the average share of
    rounds that are expected to have met the state, Σ_b N_b P(x | b) / t, at least 1/t, then takes the place of min_b.
    The recommendation is ours too: the best of the means that follow from the states' means.
    """

    block: int = 1
    """The number of rounds planned at once: the actions with the highest bounds, one round each."""

    traits = Traits(any_time=True, reasons=True)
    statistic = staticmethod(states_statistic)
    start = staticmethod(start_states("C-UCB-2"))
    tell = staticmethod(add_block)
    best = staticmethod(best_by_states)
    estimates = staticmethod(estimates_by_states)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds of C-UCB-2: the actions with the highest mean by states plus radius."""
        state = beside_states(state, request.out)
        if not state.left.any():
            return None
        table = listed_law(state.problem, "C-UCB-2")
        t = 1 + state.tally.weight.sum(axis=1, keepdims=True)  # float[L, 1]
        radius = np.sqrt(np.log(table.shape[1] * t**2) / (2 * t))
        bound = state_means(state.tally, state.problem) @ table.T + radius * _width(table, state.played, t)
        return play_highest(bound, state, self.block)

    def reason(self, state: Counts, action: int) -> str:
        """The action's bound is the highest."""
        end, most = bound_words(state.problem)
        one = f"is among the {most}" if self.block > 1 else f"is the {most}"
        return f"its {end} bound, by the least that every state of the reward's causes has been seen, {one}"


def _width(table: Floats, played: Floats, t: Floats) -> Floats:  # float[L, A]
    """Σ_x P(x | a) / min_b P(x | b); where that least probability is 0, the expected share of the state in its place."""
    possible = table.max(axis=0) > 0
    table, least = table[:, possible], table[:, possible].min(axis=0)
    if least.all():
        return np.broadcast_to((table / least).sum(axis=1), played.shape)
    share = np.where(least > 0, least, np.maximum((played @ table) / t, 1 / t))  # float[L, X]
    return np.asarray((1 / share) @ table.T)
