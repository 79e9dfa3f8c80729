"""The state of learners that count plays and successes of each action, and the functions that they share.

Such a learner takes these functions as its methods (`tell = staticmethod(add_block)`) and adds its own `ask`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Ties, argmax
from bestdo.bandit.problem import SLACK, Problem, require_bounds
from bestdo.bandit.reach import reach_of
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.learners.families import from_counts
from bestdo.statistics.played import Played

__all__ = [
    "Counts",
    "add_block",
    "as_played",
    "beside",
    "best_mean",
    "best_of",
    "count_out",
    "is_old",
    "means",
    "once_each",
    "play_once",
    "played_statistic",
    "rounded",
    "split_evenly",
    "start_bounded",
    "start_counts",
    "wilson_estimates",
]


class Counts(NamedTuple):
    """The sums, plays and remaining horizon of all lanes: the whole state of most learners, a part of it in others."""

    problem: Problem
    horizon: float
    ties: Ties
    block: int
    """The number of blocks told."""
    tally: Tally
    """[L, A]: the sums of all rounds so far, old rounds included."""
    played: Floats
    """float[L, A]: how often each action was played."""
    money: Floats
    """float[L]: what is left of the horizon, in rounds or in cost."""

    @property
    def left(self) -> Ints:  # int[L]
        """The number of rounds that can still be played even if each is one of the most expensive action."""
        return np.asarray(np.floor(self.money / self.problem.dearest + SLACK), np.int64)


def played_statistic(problem: Problem, horizon: float) -> Played:
    """The statistic of learners that need plays and successes of each action alone."""
    return Played(problem)


def start_counts(problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
    """The counts before the first round."""
    actions = len(problem.actions)
    money = np.full(lanes, float(horizon))
    return Counts(
        problem, horizon, Ties(problem, lanes, rng), 0, Tally.zeros(lanes, actions), np.zeros((lanes, actions)), money
    )


def start_bounded(who: str, or_spread: bool = False) -> Callable[[Problem, float, int, np.random.Generator], Counts]:
    """`start_counts` for a learner whose reward must have bounds (or a stated spread): otherwise it raises NotValid."""

    def start(problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        require_bounds(problem, who, or_spread)
        return start_counts(problem, horizon, lanes, rng)

    return start


def is_old(plan: Plan, tally: Tally) -> bool:
    """Whether these are sums of old rounds: a plan of zeros with sums that are not zero."""
    return not plan.counts.any() and bool(tally.rounds.any())


def add_block(state: Counts, plan: Plan, tally: Tally) -> Counts:
    """The counts after a block: sums and plays are added, its rounds or costs subtracted. Old rounds end no block."""
    return state._replace(
        block=state.block + (not is_old(plan, tally)),
        tally=state.tally.plus(tally),
        played=state.played + plan.counts,
        money=state.money - state.problem.price(plan.counts),
    )


def count_out(state: Counts, out: Ints, expected: Tally) -> Counts:
    """The counts with rounds in flight (int[L, A]) as played and paid for, and these sums of what is expected of them."""
    return state._replace(
        block=state.block + int(out.sum(axis=1).max()),  # other ties are broken than for the rounds that are out
        tally=state.tally.plus(expected),
        played=state.played + out,
        money=state.money - state.problem.price(out),
    )


def as_played(state: Counts, out: Ints) -> Counts:
    """The counts with rounds in flight as played and paid for, and nothing known of what they tell."""
    return count_out(state, out, Tally.zeros(*state.tally.weight.shape)) if out.any() else state


def beside(state: Counts, out: Ints) -> Counts:
    """The counts of plays with rounds in flight, each expected to bring the mean of its action so far.

    For an action without rounds that is 1/2, or the mean of all rounds where it has more than two values.
    """
    if not out.any():
        return state
    tally, rounds = state.tally, out.astype(np.float64)
    if state.problem.graph.two_values:
        return count_out(state, out, Tally.from_counts(rounds, rounds * np.nan_to_num(means(tally), nan=0.5)))
    n = tally.weight
    total = np.maximum(n.sum(axis=1, keepdims=True), 1)
    reward, square = (
        rounds * np.where(n > 0, sums / np.maximum(n, 1), sums.sum(axis=1, keepdims=True) / total)
        for sums in (tally.reward, tally.squares)
    )
    return count_out(state, out, Tally.from_counts(rounds, reward, square))


def means(tally: Tally) -> Floats:  # float[L, A]
    """Successes per round of each action; NaN where there was no round."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return tally.reward / tally.weight


def best_mean(state: Counts) -> Ints:  # int[L]
    """The action with the best mean, ties at random."""
    return argmax(means(state.tally), state.ties, state.block)


def rounded(values: Floats, digits: int, problem: Problem) -> Floats:  # float[L, A]
    """Values to so many decimals, so that rounding errors do not break ties; without bounds, as shares of their range."""
    return reach_of(problem.graph).rounded(values, digits)


def best_of(
    value: Floats, among: NDArray[np.bool_], keep: Ints, ties: Ties, block: int
) -> NDArray[np.bool_]:  # bool[L, A]
    """A mask of the `keep` (int[L]) best actions of each lane's candidates `among` (bool[L, A]); ties at random, NaN last."""
    clean = np.where(np.isnan(value), -np.inf, value)
    order = np.lexsort((ties.order(block), np.where(among, clean, -np.inf), among))[:, ::-1]
    rank = np.empty(order.shape, np.int64)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(order.shape[1]), order.shape), axis=1)
    return np.asarray(among & (rank < keep[:, None]))


def wilson_estimates(state: Counts) -> Estimates:
    """The mean of each action with a 95 % interval: Wilson's, or Student's where it has more than two values."""
    found = from_counts(state.tally, state.played, state.problem.graph)
    return found._replace(contenders=state.problem.contenders)


def split_evenly(
    rounds: Ints, among: NDArray[np.bool_], rng: np.random.Generator, leftover: bool = True
) -> Ints:  # int[L, A]
    """Each lane's rounds (int[L]) split evenly among its candidates (bool[L, A]); the remainder goes to some at random."""
    size = np.maximum(among.sum(axis=1), 1)
    each, over = np.divmod(np.where(among.any(axis=1), rounds, 0), size)
    counts = among * each[:, None]
    if leftover and over.any():
        order = np.where(among, rng.random(among.shape), np.inf).argsort(axis=1).argsort(axis=1)
        counts = counts + (order < over[:, None])
    return np.asarray(counts, np.int64)


def once_each(state: Counts, rng: np.random.Generator) -> Plan | None:
    """A plan that plays every contender without data once; None if no lane has such an action and a round for it."""
    unknown = (state.tally.weight == 0) & state.problem.contenders
    rounds = np.minimum(state.left, unknown.sum(axis=1))
    return Plan(split_evenly(rounds, unknown, rng)) if rounds.any() else None


def play_once(chosen: list[Ints], state: Counts) -> Plan:
    """A plan that plays the chosen actions (each int[L]) once each, while rounds are left."""
    counts = np.zeros(state.played.shape, np.int64)
    lanes = np.arange(len(counts))
    for k, action in enumerate(chosen):
        counts[lanes, action] += state.left > k
    return Plan(counts)
