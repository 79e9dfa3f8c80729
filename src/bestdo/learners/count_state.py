"""What all learners share that keep one count of plays and successes per action.

Such a learner takes these functions as its own (`tell = staticmethod(added)`) and adds its way to `ask`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, from_counts
from bestdo.bandit.learner import Ties, argmax
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.statistics.played import Played

__all__ = [
    "Counts",
    "added",
    "begin",
    "best_mean",
    "best_of",
    "counted_estimates",
    "evenly",
    "is_old",
    "means",
    "once_each",
    "play_once",
    "played",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Counts(NamedTuple):
    """The state of a learner that needs no more than counts."""

    problem: Problem
    horizon: float
    ties: Ties
    block: int
    """How many blocks have been told."""
    tally: Tally
    """[L, A]"""
    played: Floats
    """float[L, A]"""
    money: Floats
    """float[L]: what is left of the horizon."""

    @property
    def left(self) -> Ints:  # int[L]
        """Rounds that may still be played, whichever they are."""
        return np.asarray(np.floor(self.money / self.problem.prices.max() + SLACK), np.int64)


def played(problem: Problem, horizon: float) -> Played:
    """The sums it wants: plays and successes of each action."""
    return Played(problem)


def begin(problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
    """Before the first round."""
    actions = len(problem.actions)
    money = np.full(lanes, float(horizon))
    return Counts(
        problem, horizon, Ties(problem, lanes, rng), 0, Tally.zeros(lanes, actions), np.zeros((lanes, actions)), money
    )


def is_old(plan: Plan, tally: Tally) -> bool:
    """Whether these are sums of old rounds, which no plan asked for. (A finished lane is a plan and sums of zeros.)"""
    return not plan.counts.any() and bool(tally.rounds.any())


def added(state: Counts, plan: Plan, tally: Tally) -> Counts:
    """After a block: sums and plays added, rounds or money used up. Old rounds end no block."""
    return state._replace(
        block=state.block + (not is_old(plan, tally)),
        tally=state.tally.plus(tally),
        played=state.played + plan.counts,
        money=state.money - state.problem.price(plan.counts),
    )


def means(tally: Tally) -> Floats:  # float[L, A]
    """Successes per round; NaN where there was none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return tally.reward / tally.weight


def best_mean(state: Counts) -> Ints:  # int[L]
    """The action with the best mean, ties at random."""
    return argmax(means(state.tally), state.ties, state.block)


def best_of(
    value: Floats, among: NDArray[np.bool_], keep: Ints, ties: Ties, block: int
) -> NDArray[np.bool_]:  # bool[L, A]
    """The `keep` (int[L]) best of each lane's actions (bool[L, A]), equals at random; NaN comes last."""
    clean = np.where(np.isnan(value), -np.inf, value)
    order = np.lexsort((ties.order(block), np.where(among, clean, -np.inf), among))[:, ::-1]
    rank = np.empty(order.shape, np.int64)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), axis=1)
    return np.asarray(among & (rank < keep[:, None]))


def counted_estimates(state: Counts) -> Estimates:
    """Mean and Wilson's interval of each action."""
    return from_counts(state.tally, state.played)


def evenly(
    rounds: Ints, among: NDArray[np.bool_], rng: np.random.Generator, leftover: bool = True
) -> Ints:  # int[L, A]
    """Each lane's rounds (int[L]) split evenly over its actions (bool[L, A]); what is left over goes to some at random."""
    size = np.maximum(among.sum(axis=1), 1)
    each, over = np.divmod(np.where(among.any(axis=1), rounds, 0), size)
    counts = among * each[:, None]
    if leftover and over.any():
        order = np.where(among, rng.random(among.shape), np.inf).argsort(axis=1).argsort(axis=1)
        counts = counts + (order < over[:, None])
    return np.asarray(counts, np.int64)


def once_each(state: Counts, rng: np.random.Generator) -> Plan | None:
    """Every action that nothing is known of, once; None when there is no such action, or no round for it, in any lane."""
    unknown = state.tally.weight == 0
    rounds = np.minimum(state.left, unknown.sum(axis=1))
    return Plan(evenly(rounds, unknown, rng)) if rounds.any() else None


def play_once(chosen: list[Ints], state: Counts) -> Plan:
    """A plan that plays the chosen actions (each int[L]) once each, as far as rounds are left."""
    counts = np.zeros(state.played.shape, np.int64)
    lanes = np.arange(len(counts))
    for k, action in enumerate(chosen):
        counts[lanes, action] += state.left > k
    return Plan(counts)
