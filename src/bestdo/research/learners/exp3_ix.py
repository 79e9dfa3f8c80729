"""Exp3-IX: exponential weights of losses, which rounds of do() show for every action whose values occurred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import Counts, add_block, best_mean, is_old, play_once, start_counts, wilson_estimates
from bestdo.research.learners.side_observations import (
    chances_of_seeing,
    index_of_watching,
    playable,
    require_watching,
    seen_statistic,
)

__all__ = ["Exp3IX"]


class _Exp3State(NamedTuple):
    """Counts, the estimated losses, and the sum that sets the rate."""

    counts: Counts
    loss: Floats
    """float[L, A]: the sums of the estimated losses."""
    spread: Floats
    """float[L]: Σ_s Q_s."""


@dataclass(frozen=True)
class Exp3IX:
    """Exp3-IX with side observations: plays by exponential weights; a round of do() shows the loss of all that occurred.

    Kocák, Neu, Valko & Munos (2014): an action is drawn with p_i ∝ exp(-η L_i); with o_i = Σ_{j shows i} p_j, L_i grows by
    l_i / (o_i + γ) where the loss l_i = 1 - reward was seen; η = γ = √(ln K / (K + Σ_{s<t} Q_s)), Q = Σ_i p_i / (o_i + γ).
    The constants are from reviews of the paper, not from its text. It assumes nothing about how losses come about, and so
    learns far more slowly than what is made for rewards of one law.

    Ours: what a round of do() shows is drawn anew in every round and not known where something else is played, so that
    o_i = p_i + p_do() P(the values of i occur), by the law where it is known and else by the share seen so far. Rounds of
    other actions than do() count for themselves alone. Old rounds count for the means, not for the losses. It recommends the
    best mean.
    """

    traits = Traits(reasons=True)
    statistic = staticmethod(seen_statistic)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _Exp3State:
        """The state before the first round."""
        require_watching(problem, "Exp3-IX")
        require_bounds(problem, "Exp3-IX")
        counts = start_counts(problem, horizon, lanes, rng)
        return _Exp3State(counts, np.zeros(counts.played.shape), np.zeros(lanes))

    def ask(self, state: _Exp3State, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next round of Exp3-IX: an action drawn with p_i ∝ exp(-η L_i)."""
        if not state.counts.left.any():
            return None
        upto = np.cumsum(self.chances(state), axis=1)
        drawn = rng.random((len(upto), 1)) * upto[:, [-1]]
        return play_once([(upto <= drawn).sum(axis=1)], state.counts)

    def chances(self, state: _Exp3State) -> Floats:  # float[L, A]
        """p: how likely each action is drawn next."""
        can = playable(state.counts.problem)
        rate = self._rate(state)
        least = np.where(can, state.loss, np.inf).min(axis=1, keepdims=True)
        weight = np.where(can, np.exp(-rate * (state.loss - least)), 0.0)
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def _rate(self, state: _Exp3State) -> Floats:  # float[L, 1]
        """η and γ: √(ln K / (K + Σ Q))."""
        actions = int(playable(state.counts.problem).sum())
        return np.asarray(np.sqrt(np.log(max(actions, 2)) / (actions + state.spread))[:, None])

    def tell(self, state: _Exp3State, plan: Plan, tally: Tally) -> _Exp3State:
        """The state after a round: l_i / (o_i + γ) is added to L_i where the loss was seen, and Q to the sum that sets η."""
        counts = add_block(state.counts, plan, tally)
        if is_old(plan, tally):
            return state._replace(counts=counts)
        p, rate = self.chances(state), self._rate(state)
        watching = index_of_watching(counts.problem)
        likely = p + p[:, [watching]] * np.where(
            np.arange(p.shape[1]) == watching, 0.0, chances_of_seeing(state.counts)
        )
        counted = (plan.counts > 0) | (plan.counts[:, [watching]] > 0)
        loss = np.where(counted, tally.weight - tally.reward, 0.0) / (likely + rate)
        rounds = plan.counts.sum(axis=1)
        return _Exp3State(counts, state.loss + loss, state.spread + rounds * (p / (likely + rate)).sum(axis=1))

    def best(self, state: _Exp3State) -> Ints:  # int[L]
        """The action with the best mean."""
        return best_mean(state.counts)

    def estimates(self, state: _Exp3State) -> Estimates:
        """The mean of each action over the rounds in which it was seen or played, with a 95 % interval."""
        return wilson_estimates(state.counts)

    def reason(self, state: _Exp3State, action: int) -> str:
        """The probability with which the action was drawn."""
        return f"drawn with probability {self.chances(state)[0, action]:.2g}, by the losses seen so far"
