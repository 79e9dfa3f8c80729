"""Algorithm 1 with Successive Rejects in its second phase: what its authors suggest for making use of the rewards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, from_counts
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.learners.algorithm_1 import ParallelBandit, first_phase_over, watching_first
from bestdo.learners.count_state import Counts, added, best_of, evenly, means
from bestdo.learners.successive_rejects import SuccessiveRejects
from bestdo.statistics.seen import Seen

__all__ = ["RejectingParallelBandit"]

Bools = NDArray[np.bool_]


class Narrowed(NamedTuple):
    """Counts, what was rarely seen, and what of it is still in."""

    counts: Counts
    rare: Bools
    """bool[L, A]: the set A of the paper; all False before the first phase is told."""
    out: Bools
    """bool[L, A]: which of these have been rejected."""


@dataclass(frozen=True)
class RejectingParallelBandit:
    """Algorithm 1, whose second half goes to the rare actions by Successive Rejects instead of equally.

    The first half and the choice of the rare actions are those of Algorithm 1. Then the worst rare action is dropped
    after each phase, judged by all that was seen and played of it; what the schedule leaves over goes to the last ones.
    In the end the rare action that is left is compared with all that were seen often.
    """

    def statistic(self, problem: Problem, horizon: float) -> Seen:
        """How often each action was seen or played, and the successes."""
        return Seen(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Narrowed:
        """Before the first round."""
        counts, rare, _ = ParallelBandit().start(problem, horizon, lanes, rng)
        return Narrowed(counts, rare, rare)

    def ask(self, state: Narrowed, rng: np.random.Generator) -> Plan | None:
        """Half of the rounds of watching, then one phase of rejecting after the other."""
        counts, prices = state.counts, state.counts.problem.prices
        plan = np.zeros(counts.played.shape, np.int64)
        watching, _, first = watching_first(counts)
        if counts.block == 0 and first.any():
            plan[:, watching] = first
            return Plan(plan)
        alive = state.rare & ~state.out
        for phases, lanes in _schedules(counts, state.rare):
            phase = max(counts.block - 1, 0)
            if phase < len(phases) - 1:
                plan[lanes] = alive[lanes] * phases[phase][0]
                continue
            dearest = np.where(alive[lanes], prices, 0).max(axis=1)
            left = counts.money[lanes] / np.where(dearest > 0, dearest, prices[watching]) + SLACK
            plan[lanes] = evenly(left.astype(np.int64), alive[lanes], rng)
            plan[lanes, watching] += np.where(dearest > 0, 0, left).astype(np.int64)  # nothing is rare: watch on
        return Plan(plan) if plan.any() else None

    def tell(self, state: Narrowed, plan: Plan, tally: Tally) -> Narrowed:
        """Adds the block; after the first one decides which actions are rare, after the others rejects."""
        before = first_phase_over(state.counts, plan)
        counts = added(before, plan, tally)
        if before.block == 0:
            known = bool(counts.tally.weight.any())
            return Narrowed(counts, ParallelBandit().rarely_seen(counts) if known else state.rare, state.out)
        if counts.block == before.block:  # old rounds, told late: nothing is rejected by them alone
            return state._replace(counts=counts)
        alive = state.rare & ~state.out
        keep = alive.sum(axis=1)
        for phases, lanes in _schedules(counts, state.rare):
            if before.block <= len(phases):
                keep[lanes] = phases[before.block - 1][1]
        kept = best_of(means(counts.tally), alive, keep, counts.ties, counts.block)
        return Narrowed(counts, state.rare, state.rare & ~kept)

    def best(self, state: Narrowed) -> NDArray[np.int64]:
        """The best mean of what was not rejected."""
        mean = np.where(state.out, np.nan, means(state.counts.tally))
        return argmax(mean, state.counts.ties, state.counts.block)

    def estimates(self, state: Narrowed) -> Estimates:
        """Means of all rounds that count."""
        return from_counts(state.counts.tally, state.counts.played)


def _schedules(counts: Counts, rare: Bools) -> list[tuple[list[tuple[int, int]], Bools]]:
    """The schedules of rejecting, and the lanes (bool[L]) that follow them: by how many actions are rare and affordable."""
    watching, _, first = watching_first(counts)
    prices = counts.problem.prices
    dearest = np.where(rare, prices, 0).max(axis=1)
    money = counts.horizon - first * prices[watching]
    rounds = np.where(dearest > 0, money / np.where(dearest > 0, dearest, 1) + SLACK, 0).astype(np.int64)
    kinds, lane = np.unique(np.stack([rare.sum(axis=1), rounds]), axis=1, return_inverse=True)
    return [(SuccessiveRejects.schedule(int(k), int(n)), lane.ravel() == i) for i, (k, n) in enumerate(kinds.T)]
