"""Algorithm 1 with Successive Rejects in its second phase: what its authors suggest for making use of the rewards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, from_counts
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Seen
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.learners.counting import Counts, added, best_of, evenly, means
from bestdo.learners.parallel import ParallelBandit
from bestdo.learners.rejecting import SuccessiveRejects

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

    def statistic(self, problem: Problem, horizon: int) -> Seen:
        """How often each action was seen or played, and the successes."""
        return Seen(problem)

    def start(self, problem: Problem, horizon: int, lanes: int, rng: np.random.Generator) -> Narrowed:
        """Before the first round."""
        counts, rare, _ = ParallelBandit().start(problem, horizon, lanes, rng)
        return Narrowed(counts, rare, rare)

    def ask(self, state: Narrowed, rng: np.random.Generator) -> Plan | None:
        """Half of the rounds of watching, then one phase of rejecting after the other."""
        counts = state.counts
        plan = np.zeros(counts.played.shape, np.int64)
        watching, first = counts.problem.actions.index(do()), counts.horizon // 2
        if counts.block == 0 and first:
            plan[:, watching] = first
            return Plan(plan)
        alive = state.rare & ~state.out
        for size, lanes in _by_size(state.rare):
            phases, phase = self._phases(size, counts), max(counts.block - 1, 0)
            if size == 0:  # nothing is rare: watch on
                plan[lanes, watching] = counts.left[lanes]
            elif phase < len(phases) - 1:
                plan[lanes] = alive[lanes] * phases[phase][0]
            else:
                plan[lanes] = evenly(counts.left[lanes], alive[lanes], rng)
        return Plan(plan) if plan.any() else None

    @staticmethod
    def _phases(size: int, counts: Counts) -> list[tuple[int, int]]:
        """How often to play each of the rare actions that are in, and how many to keep, in each phase."""
        return SuccessiveRejects.schedule(size, counts.horizon - counts.horizon // 2)

    def tell(self, state: Narrowed, plan: Plan, tally: Tally) -> Narrowed:
        """Adds the block; after the first one decides which actions are rare, after the others rejects."""
        counts = added(state.counts, plan, tally)
        if state.counts.block == 0:
            return Narrowed(counts, ParallelBandit().rarely_seen(counts), state.out)
        alive = state.rare & ~state.out
        keep = alive.sum(axis=1)
        for size, lanes in _by_size(state.rare):
            phases, phase = self._phases(size, counts), state.counts.block - 1
            if phase < len(phases):
                keep[lanes] = phases[phase][1]
        kept = best_of(means(counts.tally), alive, keep, counts.ties, counts.block)
        return Narrowed(counts, state.rare, state.rare & ~kept)

    def best(self, state: Narrowed) -> NDArray[np.int64]:
        """The best mean of what was not rejected."""
        mean = np.where(state.out, np.nan, means(state.counts.tally))
        return argmax(mean, state.counts.ties, state.counts.block)

    def estimates(self, state: Narrowed) -> Estimates:
        """Means of all rounds that count."""
        return from_counts(state.counts.tally, state.counts.played)


def _by_size(which: Bools) -> list[tuple[int, Bools]]:
    """The lanes (bool[L]) by how many actions are in the set."""
    sizes = which.sum(axis=1)
    return [(int(size), sizes == size) for size in np.unique(sizes)]
