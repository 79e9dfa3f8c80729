"""Algorithm 1 with Successive Rejects in its second phase, as its authors suggest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.learners.algorithm_1 import ParallelBandit, end_first_phase, reason_by_phase, watching_rounds
from bestdo.learners.count_state import Counts, add_block, best_of, means, split_evenly, wilson_estimates
from bestdo.learners.successive_rejects import SuccessiveRejects
from bestdo.statistics.seen import Seen

__all__ = ["RejectingParallelBandit"]


class _RejectsState(NamedTuple):
    """Counts, the rare actions, and which of these have been rejected."""

    counts: Counts
    rare: Bools
    """bool[L, A]: the set A of the paper; all False before the first phase is told."""
    out: Bools
    """bool[L, A]: the rare actions that have been rejected."""


@dataclass(frozen=True)
class RejectingParallelBandit:
    """Algorithm 1, with its second half divided among the rare actions by Successive Rejects instead of equally.

    The first half and the choice of the rare actions are those of Algorithm 1. Then the rare action with the worst mean,
    over all rounds in which it was seen or played, is dropped after each phase; the rounds that the schedule leaves over
    go to the last ones. In the end the remaining rare action is compared with all actions that were seen often.
    """

    traits = Traits(reasons=True)

    def statistic(self, problem: Problem, horizon: float) -> Seen:
        """Counts of rounds in which each action was seen or played, and the successes."""
        return Seen(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _RejectsState:
        """The state before the first round."""
        counts, rare, _ = ParallelBandit().start(problem, horizon, lanes, rng)
        return _RejectsState(counts, rare, rare)

    def ask(self, state: _RejectsState, request: Request, rng: np.random.Generator) -> Plan | None:
        """First half of the rounds of do(), then the phases of Successive Rejects."""
        counts, prices = state.counts, state.counts.problem.prices
        plan = np.zeros(counts.played.shape, np.int64)
        watching, _, first = watching_rounds(counts)
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
            plan[lanes] = split_evenly(left.astype(np.int64), alive[lanes], rng)
            plan[lanes, watching] += np.where(dearest > 0, 0, left).astype(np.int64)  # no action is rare: do() again
        return Plan(plan) if plan.any() else None

    def tell(self, state: _RejectsState, plan: Plan, tally: Tally) -> _RejectsState:
        """The state after a block; the first one decides which actions are rare, each later one rejects some of them."""
        before = end_first_phase(state.counts, plan)
        counts = add_block(before, plan, tally)
        if before.block == 0:
            known = bool(counts.tally.weight.any())
            return _RejectsState(counts, ParallelBandit().rarely_seen(counts) if known else state.rare, state.out)
        if counts.block == before.block:  # old rounds, told late: no phase has ended
            return state._replace(counts=counts)
        alive = state.rare & ~state.out
        keep = alive.sum(axis=1)
        for phases, lanes in _schedules(counts, state.rare):
            if before.block <= len(phases):
                keep[lanes] = phases[before.block - 1][1]
        kept = best_of(means(counts.tally), alive, keep, counts.ties, counts.block)
        return _RejectsState(counts, state.rare, state.rare & ~kept)

    def reason(self, state: _RejectsState, action: int) -> str:
        """The lesson of watching in the first phase, then the rarity of the action."""
        return reason_by_phase(state.counts, action)

    def best(self, state: _RejectsState) -> Ints:
        """The action with the best mean of those that were not rejected."""
        mean = np.where(state.out, np.nan, means(state.counts.tally))
        return argmax(mean, state.counts.ties, state.counts.block)

    def estimates(self, state: _RejectsState) -> Estimates:
        """The mean of each action over the rounds that count for it, with a 95 % interval."""
        return wilson_estimates(state.counts)._replace(dropped=state.out)


def _schedules(counts: Counts, rare: Bools) -> list[tuple[list[tuple[int, int]], Bools]]:
    """The schedules of Successive Rejects, each with the lanes (bool[L]) that follow it.

    A schedule depends on how many actions are rare and how many rounds of them can be paid for.
    """
    watching, _, first = watching_rounds(counts)
    prices = counts.problem.prices
    dearest = np.where(rare, prices, 0).max(axis=1)
    money = counts.horizon - first * prices[watching]
    rounds = np.where(dearest > 0, money / np.where(dearest > 0, dearest, 1) + SLACK, 0).astype(np.int64)
    kinds, lane = np.unique(np.stack([rare.sum(axis=1), rounds]), axis=1, return_inverse=True)
    return [(SuccessiveRejects.schedule(int(k), int(n)), lane.ravel() == i) for i, (k, n) in enumerate(kinds.T)]
