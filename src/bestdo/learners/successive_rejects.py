"""Learners that drop actions in phases of a fixed length: Successive Rejects and Sequential Halving."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.learners.count_state import (
    Counts,
    add_block,
    played_statistic,
    split_evenly,
    start_counts,
    wilson_estimates,
)

__all__ = ["SequentialHalving", "SuccessiveRejects"]

_WHOLE = 2**20
"""Whole numbers below it, and the 32 binary digits of a tie behind the point, fit into the 53 digits of a float."""


class Rejecting(NamedTuple):
    """Counts, and which actions are still in."""

    counts: Counts
    alive: NDArray[np.int64]
    """int[L, K]: the actions still in; as many in every lane."""
    schedule: tuple[tuple[int, int], ...]
    """For each block: how often to play every action that is still in, and how many to keep afterwards."""


def _start(
    learner: SuccessiveRejects | SequentialHalving,
    problem: Problem,
    horizon: float,
    lanes: int,
    rng: np.random.Generator,
) -> Rejecting:
    """The state before the first round."""
    alive = np.tile(np.arange(len(problem.actions)), (lanes, 1))
    schedule = learner.schedule(len(problem.actions), problem.rounds(horizon))
    return Rejecting(start_counts(problem, horizon, lanes, rng), alive, tuple(schedule))


def _ask(state: Rejecting, rng: np.random.Generator) -> Plan | None:
    counts, block = state.counts, state.counts.block
    if not state.schedule:  # no more rounds than actions: as many different ones as can be
        everything = np.ones(counts.played.shape, bool)
        return Plan(split_evenly(counts.left, everything, rng)) if block == 0 and counts.left.any() else None
    if block >= len(state.schedule):
        return None
    plan = np.zeros(counts.played.shape, np.int64)
    plan.reshape(-1)[_flat(state.alive, counts.played.shape[1])] = state.schedule[block][0]
    return Plan(plan)


def _flat(which: NDArray[np.int64], actions: int) -> NDArray[np.int64]:  # int[L, K]
    """Where these actions of each lane are in an array of lanes by actions."""
    return which + np.arange(0, len(which) * actions, actions)[:, None]


def _tell(state: Rejecting, plan: Plan, tally: Tally) -> Rejecting:
    counts = add_block(state.counts, plan, tally)
    if counts.block == state.counts.block:  # old rounds: nothing is dropped by them alone
        return state._replace(counts=counts)
    keep = state.schedule[state.counts.block][1] if state.counts.block < len(state.schedule) else state.alive.shape[1]
    if keep >= state.alive.shape[1]:
        return state._replace(counts=counts)
    kept = np.argpartition(_ranked(counts, state.alive, keep), -keep, axis=1)[:, -keep:]
    return state._replace(counts=counts, alive=state.alive.take(_flat(kept, state.alive.shape[1])))


def _ranked(counts: Counts, which: NDArray[np.int64], keep: int) -> NDArray[np.float64]:  # float[L, K]
    """Numbers of which the `keep` largest are those of the best of these actions (int[L, K]), by their means.

    Equal means are ordered at random. An action of which nothing is known is worse than all others.
    """
    flat = _flat(which, counts.played.shape[1])
    n, s = counts.tally.weight.take(flat), counts.tally.reward.take(flat)
    rank = counts.ties.order(counts.block, which)  # whole multiples of 2^-32, below 1
    each = n[0, 0]
    if each > 0 and (n == each).all():  # means are ordered as sums are
        mean, whole = s, np.floor(s, out=n)
        if s.min() > -_WHOLE and s.max() < _WHOLE and (s == whole).all():  # as for rewards of 0 and 1
            rank += s  # no digit is lost
            return rank
    else:
        mean = np.where(n > 0, s / np.where(n > 0, n, 1), -np.inf)
    limit = np.partition(mean, -1 - keep, axis=1)[:, -1 - keep, None]  # the best mean that is not kept
    rank += 2.0 * (mean > limit)
    rank -= 2.0 * (mean < limit)
    return rank


def _best(state: Rejecting) -> NDArray[np.int64]:
    if state.alive.shape[1] == 1:
        return np.asarray(state.alive[:, 0])
    first = _ranked(state.counts, state.alive, 1).argmax(axis=1)
    return np.asarray(state.alive[np.arange(len(first)), first])


def _estimates(state: Rejecting) -> Estimates:
    return wilson_estimates(state.counts)


@dataclass(frozen=True)
class SuccessiveRejects:
    """Drops the worst action after each of K − 1 phases (Audibert & Bubeck 2010).

    Phases of equal length are merged: nothing is played between them. The rounds that the schedule leaves over are not
    played, as published. With no more rounds than actions it plays as many different actions as it can.
    """

    statistic = staticmethod(played_statistic)
    start = _start
    ask = staticmethod(_ask)
    tell = staticmethod(_tell)
    best = staticmethod(_best)
    estimates = staticmethod(_estimates)

    @staticmethod
    def schedule(actions: int, horizon: int) -> list[tuple[int, int]]:
        """n_k = ⌈(T − K) / (log‾K · (K + 1 − k))⌉ plays in all by the end of phase k, then one action is dropped."""
        if horizon <= actions or actions < 2:
            return []
        log_bar = 0.5 + sum(1 / i for i in range(2, actions + 1))
        plan: list[tuple[int, int]] = []
        before = 0
        for k in range(1, actions):
            n = math.ceil((horizon - actions) / (log_bar * (actions + 1 - k)))
            if n == before:
                plan[-1] = plan[-1][0], actions - k
            else:
                plan.append((n - before, actions - k))
            before = n
        return plan


@dataclass(frozen=True)
class SequentialHalving:
    """Drops the worse half of the actions in each of ⌈log₂ K⌉ rounds (Karnin, Koren & Somekh 2013).

    All plays count, also those of earlier rounds. Each round of halving gets an equal share of what is left of the
    horizon, and plays every action at least once: the textbook's schedule, T / (|S| ⌈log₂ K⌉) rounded down, plays
    nothing at first where the horizon is short.
    """

    statistic = staticmethod(played_statistic)
    start = _start
    ask = staticmethod(_ask)
    tell = staticmethod(_tell)
    best = staticmethod(_best)
    estimates = staticmethod(_estimates)

    @staticmethod
    def schedule(actions: int, horizon: int) -> list[tuple[int, int]]:
        """Plays for each action still in, and how many to keep, for each round."""
        if horizon <= actions or actions < 2:
            return []
        rounds = math.ceil(math.log2(actions))
        plan: list[tuple[int, int]] = []
        left, size = horizon, actions
        for r in range(rounds):
            plays = min(max(1, left // (size * (rounds - r))), left // size)
            left -= plays * size
            size = math.ceil(size / 2)
            if plays:
                plan.append((plays, size))
            else:  # the rounds have run out: halved without a further play
                plan[-1] = plan[-1][0], size
        return plan
