"""Learners that decide round by round: UCB, Thompson sampling, top-two Thompson sampling, Successive Elimination."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.learners.count_state import Counts, added, begin, best_mean, counted_estimates, evenly, means, played

__all__ = ["UCB", "SuccessiveElimination", "Thompson", "TopTwo"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def _once(chosen: list[Ints], state: Counts) -> Plan:
    """A plan that plays the chosen actions (each int[L]) once each, as far as rounds are left."""
    counts = np.zeros(state.played.shape, np.int64)
    lanes = np.arange(len(counts))
    for k, action in enumerate(chosen):
        counts[lanes, action] += state.left > k
    return Plan(counts)


@dataclass(frozen=True)
class UCB:
    """Plays the action with the highest upper bound, mean + √(α ln t / 2n), each action once before; keeps the best mean."""

    alpha: float = 2.0
    block: int = 1
    """How many rounds are out at once: the actions with the highest bounds, one round each."""

    statistic = staticmethod(played)
    start = staticmethod(begin)
    tell = staticmethod(added)
    best = staticmethod(best_mean)
    estimates = staticmethod(counted_estimates)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """The next rounds."""
        if not state.left.any():
            return None
        n = state.tally.weight
        t = np.maximum(n.sum(axis=1, keepdims=True), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.where(n > 0, means(state.tally) + np.sqrt(self.alpha * np.log(t) / (2 * n)), np.inf)
        chosen = []
        for k in range(min(self.block, n.shape[1])):
            chosen.append(argmax(bound, state.ties, state.block * self.block + k))
            if self.block > 1:
                bound[np.arange(len(bound)), chosen[-1]] = -np.inf
        return _once(chosen, state)


def _drawn(state: Counts, rng: np.random.Generator) -> Floats:  # float[L, A]
    """Means drawn from the posterior of each action, Beta(1 + successes, 1 + failures)."""
    s, n = state.tally.reward, state.tally.weight
    return rng.beta(1 + s, 1 + n - s)


def _best_posterior(state: Counts) -> Ints:
    s, n = state.tally.reward, state.tally.weight
    return argmax((1 + s) / (2 + n), state.ties, state.block)


@dataclass(frozen=True)
class Thompson:
    """Plays the best action of a draw from the posterior (Thompson 1933); keeps the best posterior mean."""

    block: int = 1
    """How many rounds are out at once, each by a draw of its own."""

    statistic = staticmethod(played)
    start = staticmethod(begin)
    tell = staticmethod(added)
    best = staticmethod(_best_posterior)
    estimates = staticmethod(counted_estimates)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """The next rounds."""
        if not state.left.any():
            return None
        return _once([_drawn(state, rng).argmax(axis=1) for _ in range(self.block)], state)


@dataclass(frozen=True)
class TopTwo:
    """Top-two Thompson sampling (Russo 2016): with probability 1/2 the best of a draw, otherwise its challenger.

    The challenger is the best of a further draw that is another action; after `tries` draws without one, the second
    best of the last draw (a deviation from the paper, which draws for ever).
    """

    block: int = 1
    share: float = 0.5
    """β: how often the leader is played."""
    tries: int = 20

    statistic = staticmethod(played)
    start = staticmethod(begin)
    tell = staticmethod(added)
    best = staticmethod(_best_posterior)
    estimates = staticmethod(counted_estimates)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """The next rounds."""
        if not state.left.any():
            return None
        return _once([self._choose(state, rng) for _ in range(self.block)], state)

    def _choose(self, state: Counts, rng: np.random.Generator) -> Ints:  # int[L]
        leader = _drawn(state, rng).argmax(axis=1)
        chosen = leader.copy()
        todo = np.flatnonzero(rng.random(len(leader)) >= self.share)
        s, n = state.tally.reward, state.tally.weight
        for k in range(self.tries if s.shape[1] > 1 else 0):
            draw = rng.beta(1 + s[todo], 1 + n[todo] - s[todo])
            if k == self.tries - 1:
                draw[np.arange(len(todo)), leader[todo]] = -1
            chosen[todo] = draw.argmax(axis=1)
            todo = todo[chosen[todo] == leader[todo]]
            if not todo.size:
                break
        return np.asarray(chosen)


class Eliminating(NamedTuple):
    """Counts, and which actions are still in."""

    counts: Counts
    alive: NDArray[np.bool_]
    """bool[L, A]"""


@dataclass(frozen=True)
class SuccessiveElimination:
    """Plays every action still in once, drops those that are worse with confidence (Even-Dar, Mannor & Mansour 2006).

    Dropped is what lies 2α below the best after t plays each, α = √(ln(c K t² / δ) / 2t) with c = π²/3; where the plays
    differ, as with old rounds of do(), each has the α of its own. It stops when
    one is left or the rounds run out; too few rounds for one more sweep go to some of those still in.
    """

    delta: float = 0.05

    statistic = staticmethod(played)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Eliminating:
        """Before the first round."""
        return Eliminating(begin(problem, horizon, lanes, rng), np.ones((lanes, len(problem.actions)), bool))

    def ask(self, state: Eliminating, rng: np.random.Generator) -> Plan | None:
        """One sweep."""
        count = state.alive.sum(axis=1)
        rounds = np.where(count > 1, np.minimum(state.counts.left, count), 0)
        return Plan(evenly(rounds, state.alive, rng)) if rounds.any() else None

    def tell(self, state: Eliminating, plan: Plan, tally: Tally) -> Eliminating:
        """Adds the sweep and drops what is worse."""
        counts = added(state.counts, plan, tally)
        mean, n = means(counts.tally), counts.tally.weight
        with np.errstate(divide="ignore", invalid="ignore"):
            log = np.log(np.pi**2 / 3 * n.shape[1] * n**2 / self.delta)
            alpha = np.where(n > 0, np.sqrt(np.maximum(log, 0) / (2 * n)), np.inf)
            leader = np.max(np.where(state.alive & (n > 0), mean - alpha, -np.inf), axis=1, keepdims=True)
            worse = leader >= mean + alpha
        return Eliminating(counts, state.alive & ~worse)

    def best(self, state: Eliminating) -> Ints:
        """The best of those still in."""
        return argmax(np.where(state.alive, means(state.counts.tally), np.nan), state.counts.ties, state.counts.block)

    def estimates(self, state: Eliminating) -> Estimates:
        """Means of each action's own plays."""
        return counted_estimates(state.counts)
