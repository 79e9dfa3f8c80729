"""The phases that Successive Rejects and Sequential Halving share: play by a fixed schedule, then drop the worst actions.

Such a learner takes these functions as its methods and adds its own `schedule`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.learners.count_state import (
    Counts,
    add_block,
    split_evenly,
    start_counts,
    wilson_estimates,
)
from bestdo.learners.reasons import still_in

__all__ = [
    "HasSchedule",
    "RejectionState",
    "best_alive",
    "phase_estimates",
    "plan_phase",
    "reason_in_phase",
    "start_phases",
    "tell_phase",
]

_WHOLE = 2**20
"""Whole numbers below it, and the 32 binary digits of a tie behind the point, fit into the 53 digits of a float."""


class HasSchedule(Protocol):
    """A learner whose phases are known in advance."""

    def schedule(self, actions: int, horizon: int) -> list[tuple[int, int]]:
        """The plays of every action still in, and the number of actions to keep afterwards, for each phase."""
        ...


class RejectionState(NamedTuple):
    """Counts, the actions still in, and the schedule."""

    counts: Counts
    alive: NDArray[np.int64]
    """int[L, K]: the actions still in; the same number of them in every lane."""
    schedule: tuple[tuple[int, int], ...]
    """The plays of every action still in, and the number of actions to keep afterwards, for each phase."""


def start_phases(
    learner: HasSchedule, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator
) -> RejectionState:
    """The state before the first round."""
    alive = np.tile(np.flatnonzero(problem.contenders), (lanes, 1))
    schedule = learner.schedule(alive.shape[1], problem.rounds(horizon))
    return RejectionState(start_counts(problem, horizon, lanes, rng), alive, tuple(schedule))


def plan_phase(state: RejectionState, request: Request, rng: np.random.Generator) -> Plan | None:
    """The plan of the next phase; one of as many different actions as possible where there is no schedule."""
    counts, block = state.counts, state.counts.block
    if not state.schedule:  # no more rounds than actions
        everyone = np.broadcast_to(counts.problem.contenders, counts.played.shape)
        return Plan(split_evenly(counts.left, everyone, rng)) if block == 0 and counts.left.any() else None
    if block >= len(state.schedule):
        return None
    plan = np.zeros(counts.played.shape, np.int64)
    plan.reshape(-1)[_flat(state.alive, counts.played.shape[1])] = state.schedule[block][0]
    return Plan(plan)


def _flat(which: NDArray[np.int64], actions: int) -> NDArray[np.int64]:  # int[L, K]
    """The flat indices of these actions in an array of lanes by actions."""
    return which + np.arange(0, len(which) * actions, actions)[:, None]


def tell_phase(state: RejectionState, plan: Plan, tally: Tally) -> RejectionState:
    """The state after a phase, without the actions that it drops."""
    counts = add_block(state.counts, plan, tally)
    if counts.block == state.counts.block:  # old rounds: no phase has ended
        return state._replace(counts=counts)
    keep = state.schedule[state.counts.block][1] if state.counts.block < len(state.schedule) else state.alive.shape[1]
    if keep >= state.alive.shape[1]:
        return state._replace(counts=counts)
    kept = np.argpartition(_sort_keys(counts, state.alive, keep), -keep, axis=1)[:, -keep:]
    return state._replace(counts=counts, alive=state.alive.take(_flat(kept, state.alive.shape[1])))


def _sort_keys(counts: Counts, which: NDArray[np.int64], keep: int) -> NDArray[np.float64]:  # float[L, K]
    """Keys of these actions (int[L, K]): the `keep` largest keys are those of the `keep` best means.

    Equal means are ordered at random. An action without data is worse than all others.
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


def best_alive(state: RejectionState) -> NDArray[np.int64]:  # int[L]
    """The action with the best mean of those still in, ties at random."""
    if state.alive.shape[1] == 1:
        return np.asarray(state.alive[:, 0])
    first = _sort_keys(state.counts, state.alive, 1).argmax(axis=1)
    return np.asarray(state.alive[np.arange(len(first)), first])


def reason_in_phase(state: RejectionState, action: int) -> str:
    """The reason for an action of a phase: it is still in."""
    if not state.schedule:
        return "too few rounds for phases: as many different actions as possible are played"
    return still_in(state.alive.shape[1])


def phase_estimates(state: RejectionState) -> Estimates:
    """The mean of each action's plays with a 95 % interval; those that are out are dropped."""
    dropped = np.ones(state.counts.played.shape, bool)
    np.put_along_axis(dropped, state.alive, False, axis=1)
    return wilson_estimates(state.counts)._replace(dropped=dropped)
