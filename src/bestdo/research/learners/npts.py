"""NPTS: Thompson sampling that draws weights of the rewards seen so far, whatever their distribution is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.reach import reach_of
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import (
    Counts,
    add_block,
    beside,
    best_mean,
    play_once,
    played_statistic,
    start_counts,
    wilson_estimates,
)

__all__ = ["NPTS", "drawn_means"]


class _History(NamedTuple):
    """The sums of all lanes, and the reward of every round; lanes with fewer rounds than others have some of weight 0."""

    counts: Counts
    action: Ints
    """int[L, H]"""
    reward: Floats
    """float[L, H]"""
    weight: Floats
    """float[L, H]: how many rounds it stands for: 1, or 0; another number where only sums of several rounds were told."""


def _with(history: _History, counts: Counts, block: Tally) -> _History:
    """The history with these counts and the rounds of a block, of which the sums are known (`block`: [L, A]).

    Of k rounds of one action in one block there are two rewards with their mean and variance, each worth k / 2 rounds; for
    one or two rounds these are the rewards themselves.
    """
    n, lanes = block.weight, len(block.weight)
    if n.sum(axis=1).max(initial=0) <= 1:
        action = n.argmax(axis=1)[:, None]
        parts = [(action, *(np.take_along_axis(part, action, axis=1) for part in (block.reward, n)))]
    else:
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.nan_to_num(block.reward / n)
            away = np.sqrt(np.maximum(np.nan_to_num(block.squares / n) - mean**2, 0))
        among = np.flatnonzero(n.any(axis=0))
        action = np.broadcast_to(among, (lanes, len(among)))
        parts = [(action, (mean + sign * away)[:, among], n[:, among] / 2) for sign in (-1, 1)]
    old = history.action, history.reward, history.weight
    return _History(counts, *(np.concatenate(part, axis=1) for part in zip(old, *parts, strict=True)))


def _beside(history: _History, out: Ints) -> _History:
    """The state with rounds in flight, each expected to bring the mean of its action so far."""
    if not out.any():
        return history
    counts = beside(history.counts, out)
    n = out.astype(np.float64)
    expected = counts.tally.reward - history.counts.tally.reward
    with np.errstate(invalid="ignore", divide="ignore"):
        square = np.nan_to_num(expected**2 / n)
    return _with(history, counts, Tally.from_counts(n, expected, square))


def drawn_means(history: _History, rng: np.random.Generator) -> Floats:  # float[L, A]
    """A mean of each action: of its rewards and the largest reward, with weights from a Dirichlet distribution of ones.

    The largest reward is 1 where rewards have bounds, otherwise the largest that was seen in the lane.
    """
    lanes, actions = history.counts.played.shape
    one = rng.standard_exponential((lanes, actions))
    top = reach_of(history.counts.problem.graph).top(history.weight, history.reward)
    whole = not (history.weight % 1).any()
    weight = rng.standard_exponential(history.weight.shape) * history.weight  # of whole rounds, each told by itself
    if not whole or (history.weight > 1).any():
        weight = rng.standard_gamma(history.weight)
    cell = (np.arange(lanes)[:, None] * actions + history.action).reshape(-1)
    sums = [
        np.bincount(cell, part.reshape(-1), minlength=lanes * actions).reshape(lanes, actions)
        for part in (weight, weight * history.reward)
    ]
    return np.asarray((sums[1] + one * top) / (sums[0] + one))


@dataclass(frozen=True)
class NPTS:
    """NPTS, non-parametric Thompson sampling (Riou & Honda 2020): plays the best of means drawn from the rewards seen.

    A mean is drawn by weighing all rewards of an action, and one that is as large as possible, at random. For two values
    that is Thompson sampling with Beta(1 + successes, failures). The paper is for bounded rewards; without bounds the
    largest reward seen so far stands for the bound (a deviation). The paper minimises the regret of all rounds; the
    recommendation is ours: the best mean.
    """

    block: int = 1
    """The number of rounds planned at once, each by its own draw. With more than one, rewards of an action in the same
    block are known by their sums only."""

    traits = Traits(any_time=True, reasons=True)
    statistic = staticmethod(played_statistic)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _History:
        """The state before the first round."""
        nothing = np.zeros((lanes, 0))
        return _History(start_counts(problem, horizon, lanes, rng), nothing.astype(np.int64), nothing, nothing)

    def ask(self, state: _History, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds of NPTS: for each the action with the best drawn mean."""
        state = _beside(state, request.out)
        counts = state.counts
        if not counts.left.any():
            return None
        chosen = [
            argmax(drawn_means(state, rng), counts.ties, counts.block * self.block + k) for k in range(self.block)
        ]
        return play_once(chosen, counts)

    def tell(self, state: _History, plan: Plan, tally: Tally) -> _History:
        """The state after a block."""
        return _with(state, add_block(state.counts, plan, tally), tally)

    def best(self, state: _History) -> Ints:  # int[L]
        """The action with the best mean."""
        return best_mean(state.counts)

    def estimates(self, state: _History) -> Estimates:
        """The mean of each action with its 95 % interval."""
        return wilson_estimates(state.counts)

    def reason(self, state: _History, action: int) -> str:
        """The best of a draw."""
        return "the best when the rewards of each action are weighed at random"
