"""Corral over UCB and C-UCB: a master that draws which of the two chooses, and learns which of them earns more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import (
    Counts,
    add_block,
    best_mean,
    is_old,
    play_once,
    rounded,
    start_counts,
    wilson_estimates,
)
from bestdo.learners.parent_states import DIGITS, listed_law
from bestdo.research.statistics.states_beside_plays import StatesBesidePlays

__all__ = ["Corral"]


_LEAST = 1e-8
"""The least and, from 1, the largest probability before smoothing: as in the code of Bilodeau, Wang & Roy."""
_FIRST_BOUND = 4.0
"""ρ of each base at first, 2 / its probability: as in that code."""


class _CorralState(NamedTuple):
    """Counts of plays, and what the master and its two bases know; C-UCB comes first, UCB second."""

    counts: Counts
    """The sums of each action's own rounds, plays and what is left."""
    states: Tally
    """[L, X]: rounds in which C-UCB chose, by state, and their rewards over the probability of that choice."""
    plays: Tally
    """[L, A]: rounds in which UCB chose, by action, and their rewards over the probability of that choice."""
    causal: Floats
    """float[L]: p, the probability of C-UCB before smoothing."""
    bound: Floats
    """float[L, 2]: ρ, which bounds what rewards are divided by."""
    rate: Floats
    """float[L, 2]: η."""


@dataclass(frozen=True)
class Corral:
    """Corral over C-UCB and UCB: each round one of them, drawn, chooses; log-barrier weights follow what they earn.

    Agarwal, Luo, Neyshabur & Schapire (2017), as the comparison of Bilodeau, Wang & Roy (2022) has it, with the constants
    of their code: γ = 1/T, β = exp(1 / ln T), η = 1 / (240 √(2T) (ln T)^1.5) at first; bounds mean + √(4 ρ ln t / n) +
    4 ρ ln t / 3n with rewards over the probability of the base that chose (Arora, Marinov & Mohri 2021, Theorem 5.4). A base
    learns from its own rounds alone. Where 1 / p̄ of a base passes ρ, ρ becomes 2 / p̄ and η grows by β.

    Deviations from that code: p̄ = (1 - γ) p + γ/2, where it has (1 - γ) p × γ/2, so that C-UCB is hardly ever played; rewards
    and losses are divided by p̄, the probability that was drawn with, where it has p; each base has an η of its own, as in
    Agarwal et al., where it has one; equal bounds at random, where it takes the first. It recommends the best mean of plays.
    """

    published_error: bool = False
    """Whether p̄, the weights and the common η are those of the published code."""

    traits = Traits(reasons=True)

    @classmethod
    def as_published_with_error(cls) -> Corral:
        """The code of Bilodeau, Wang & Roy as it is, with its slip."""
        return cls(published_error=True)

    def statistic(self, problem: Problem, horizon: float) -> StatesBesidePlays:
        """Counts of the states of the parents, and of plays."""
        return StatesBesidePlays(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _CorralState:
        """The state before the first round."""
        require_bounds(problem, "Corral")
        counts = start_counts(problem, horizon, lanes, rng)
        rounds = max(3, problem.rounds(horizon))
        rate = 1 / (240 * np.sqrt(2 * rounds) * np.log(rounds) ** 1.5)
        states = Tally.zeros(lanes, listed_law(problem, "Corral").shape[1])
        both = np.ones((lanes, 2))
        return _CorralState(counts, states, counts.tally, np.full(lanes, 0.5), _FIRST_BOUND * both, rate * both)

    def ask(self, state: _CorralState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next round of Corral: the choice of the base that is drawn with p̄, C-UCB or UCB."""
        counts = state.counts
        if not counts.left.any():
            return None
        log = np.log(counts.played.sum(axis=1) + 1)
        table = listed_law(counts.problem, "Corral")
        by_states = _bounds(state.states, state.bound[:, 0] * log) @ table.T
        by_plays = _bounds(state.plays, state.bound[:, 1] * log)
        bound = np.where(self._causal_next(state)[:, None], by_states, by_plays)
        return play_once([argmax(rounded(bound, DIGITS, counts.problem), counts.ties, counts.block)], counts)

    def _smoothed(self, state: _CorralState) -> Floats:  # float[L]
        """p̄: the probability with which C-UCB chooses; 1/2 in the first round."""
        share = 1 / max(3, state.counts.problem.rounds(state.counts.horizon))  # γ
        if self.published_error:
            wrong = (1 - share) * state.causal * share / 2
            return np.where(state.counts.played.any(axis=1), wrong, 0.5)
        return np.asarray((1 - share) * state.causal + share / 2)

    def _causal_next(self, state: _CorralState) -> Bools:  # bool[L]
        """Whether C-UCB chooses next: drawn by the lane's key, so that `tell` knows the draw, in any order of the actions."""
        drawn = state.counts.ties.random(-2 - state.counts.block).sum(axis=1) % 1.0
        return np.asarray(drawn < self._smoothed(state))

    def tell(self, state: _CorralState, plan: Plan, tally: Tally) -> _CorralState:
        """The state after a round: the base that chose learns, p moves by the log barrier, ρ and η where 1 / p̄ > ρ."""
        states, plays = StatesBesidePlays(state.counts.problem).apart(tally)
        counts = add_block(state.counts, plan, plays)
        if is_old(plan, tally):
            return state._replace(counts=counts)
        chose, smooth = self._causal_next(state), self._smoothed(state)
        by_causal = state.causal if self.published_error else smooth
        chance = np.where(chose, by_causal, 1 - by_causal)
        own = np.stack([chose, ~chose], axis=1)
        lost = (plays.weight.sum(axis=1) - plays.reward.sum(axis=1)) / chance
        causal = _log_barrier(state.causal, own * lost[:, None], state.rate)
        new = state._replace(
            counts=counts,
            states=_added(state.states, states, chose, chance),
            plays=_added(state.plays, plays, ~chose, chance),
            causal=np.clip(causal, _LEAST, 1 - _LEAST),
        )
        seen = np.asarray(plays.weight.sum(axis=1) > 0)
        smooth = self._smoothed(new)
        inverse = 1 / np.stack([smooth, 1 - smooth], axis=1)
        passed = (inverse > state.bound) & seen[:, None]
        grown = np.exp(1 / np.log(max(3, counts.problem.rounds(counts.horizon)))) ** passed  # β
        if self.published_error:
            grown = grown.prod(axis=1, keepdims=True)
        return new._replace(bound=np.where(passed, 2 * inverse, state.bound), rate=state.rate * grown)

    def best(self, state: _CorralState) -> Ints:  # int[L]
        """The action with the best mean."""
        return best_mean(state.counts)

    def estimates(self, state: _CorralState) -> Estimates:
        """The mean of each action's own plays with a 95 % interval."""
        return wilson_estimates(state.counts)

    def reason(self, state: _CorralState, action: int) -> str:
        """The learner that was drawn of the two."""
        chance = float(self._smoothed(state)[0])
        if self._causal_next(state)[0]:
            return f"C-UCB was drawn to choose, with probability {chance:.2g}"
        return f"UCB was drawn to choose, with probability {1 - chance:.2g}"


def _bounds(tally: Tally, level: Floats) -> Floats:  # float[L, cells]
    """The upper bounds of all cells, for ρ ln t of each lane (float[L])."""
    n = np.maximum(tally.weight, 1)
    wide = level[:, None] / n
    return np.asarray(tally.reward / n + np.sqrt(4 * wide) + 4 / 3 * wide)


def _added(held: Tally, new: Tally, those: Bools, chance: Floats) -> Tally:
    """The sums with those of a round, in those lanes only, rewards divided by the probability of who chose."""
    here = those[:, None]
    reward = np.where(here, new.reward / chance[:, None], 0.0)
    return held.plus(Tally.from_counts(np.where(here, new.weight, 0.0), reward, reward**2))


def _log_barrier(causal: Floats, loss: Floats, rate: Floats) -> Floats:  # float[L]
    """The probability of C-UCB after losses of both bases (float[L, 2]): 1/p grows by η (loss - λ), and the sum stays 1.

    λ is the smaller root of η₁ η₂ λ² - (a η₂ + b η₁ - η₁ - η₂) λ + a b - a - b = 0, a and b the two 1/p + η loss.
    """
    a, b = (1 / np.stack([causal, 1 - causal], axis=1) + rate * loss).T
    first, second = rate.T
    square, linear, rest = first * second, a * second + b * first - first - second, a * b - a - b
    lam = 2 * rest / (linear + np.sqrt(np.maximum(linear**2 - 4 * square * rest, 0)))
    return np.asarray(1 / (a - first * lam))
