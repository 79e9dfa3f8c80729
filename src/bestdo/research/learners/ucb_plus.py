"""UCB+: upper confidence bounds on a random choice of large actions, for reward whose causes are few and not known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import Counts, add_block, means, play_once, start_counts, wilson_estimates
from bestdo.learners.reasons import bound_words
from bestdo.research.statistics.matching import Matching

__all__ = ["UCBPlus"]


class _UCBPlusState(NamedTuple):
    """Counts, and which actions were chosen to compete."""

    counts: Counts
    chosen: Bools
    """bool[L, A]"""


@dataclass(frozen=True)
class UCBPlus:
    """UCB+: plays the highest mean + √(α ln T / n) of some actions that set as many variables as can be set at once.

    Shahverdikondori, Etesami & Kiyavash (2026), for k causes of the reward that are not known: an action that sets m of n
    variables with v values holds all of them, each at its best value, with probability C(m, k) / (C(n, k) v^k), so
    ⌈v^k C(n, k) / C(m, k) ln √T⌉ actions, drawn at random, hold such a one almost surely (all of them, where there are no
    more). A round counts for every action whose values occurred in it, whichever was played (`Matching`). The graph is not
    used, except that actions which cannot be the best by it are left out.

    Deviations: where variables have different numbers of values, v is the largest; an action that was neither played nor
    matched is played first. α is that of Hoeffding's bound with δ = 1/T²: the authors' code has 0.1 / C(n, m), which is not
    in their paper (`as_in_authors_code()`). It recommends the best mean of those chosen.
    """

    causes: int = 1
    """k: how many direct causes the reward has, at most; less than m or as many."""
    alpha: float = 1.0
    """α: larger values explore more."""
    divided: bool = False
    """Whether α is divided by C(n, m), the number of sets of m variables, as in the authors' code."""

    traits = Traits(reasons=True)

    @classmethod
    def as_in_authors_code(cls) -> UCBPlus:
        """UCB+ with the constant of its authors' code, 0.1 / C(n, m), which is not that of their paper."""
        return cls(alpha=0.1, divided=True)

    def statistic(self, problem: Problem, horizon: float) -> Matching:
        """Counts of the values of each action, and the rewards."""
        return Matching(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _UCBPlusState:
        """The state before the first round, with the actions that compete."""
        require_bounds(problem, "UCB+", or_spread=True)
        counts = start_counts(problem, horizon, lanes, rng)
        large = _largest(problem)
        number = min(self.candidates(problem, horizon), int(large.sum()))
        order = np.where(large, counts.ties.random(-1), np.inf).argsort(axis=1).argsort(axis=1)  # of any numbering
        return _UCBPlusState(counts, large & (order < number))

    def candidates(self, problem: Problem, horizon: float) -> int:
        """The number of actions that the paper draws: ⌈v^k C(n, k) / C(m, k) ln √T⌉, at least 1."""
        sizes, most = _sizes(problem)
        rounds, k = max(2, problem.rounds(horizon)), min(self.causes, most)
        if not k:
            return 1
        ways = float(max(sizes) ** k) * math.comb(len(sizes), k) / math.comb(most, k)
        return max(1, math.ceil(ways * math.log(math.sqrt(rounds))))

    def ask(self, state: _UCBPlusState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next round of UCB+: the highest mean + √(α ln T / n) of the actions drawn at first."""
        counts = state.counts
        if not counts.left.any():
            return None
        n, log = counts.tally.weight, math.log(max(2, counts.problem.rounds(counts.horizon)))
        sizes, most = _sizes(counts.problem)
        alpha = self.alpha / math.comb(len(sizes), most) if self.divided else self.alpha
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.where(n > 0, means(counts.tally) + np.sqrt(alpha * log / n), np.inf)
        return play_once([argmax(np.where(state.chosen, bound, -np.inf), counts.ties, counts.block)], counts)

    def tell(self, state: _UCBPlusState, plan: Plan, tally: Tally) -> _UCBPlusState:
        """The state after a block."""
        return state._replace(counts=add_block(state.counts, plan, tally))

    def reason(self, state: _UCBPlusState, action: int) -> str:
        """The action's bound is the highest of the actions chosen, or nothing is known of the action yet."""
        number = int(state.chosen[0].sum())
        if not state.counts.tally.weight[0, action]:
            return f"one of {number} actions drawn at random, of which nothing is known yet"
        end, most = bound_words(state.counts.problem)
        return f"its {end} bound is the {most} of {number} actions drawn at random"

    def best(self, state: _UCBPlusState) -> Ints:  # int[L]
        """The action with the best mean of those chosen."""
        mean = np.where(state.chosen, means(state.counts.tally), np.nan)
        return argmax(mean, state.counts.ties, state.counts.block)

    def estimates(self, state: _UCBPlusState) -> Estimates:
        """The mean of each action; those not chosen are dropped.

        The 95 % interval is that of the action's own plays. Where rounds of other actions count too, whose values happened
        to agree, the mean is that of another mixture of rounds, and the interval has no ends, or those of the bounds.
        """
        counts, nothing = state.counts, Tally.from_counts(*np.zeros((2, *state.counts.played.shape)))
        own, none = wilson_estimates(counts), wilson_estimates(counts._replace(tally=nothing))
        shared = counts.tally.weight > counts.played
        low, high = np.where(shared, none.low, own.low), np.where(shared, none.high, own.high)
        return own._replace(low=low, high=high, dropped=~state.chosen)


def _sizes(problem: Problem) -> tuple[list[int], int]:
    """The number of values of each variable that actions set, and the most variables that an action sets."""
    codes = problem.actions.codes
    every = zip(problem.graph.names, codes.T, strict=True)
    return [problem.graph.size(name) for name, code in every if code.max() >= 0], int((codes >= 0).sum(axis=1).max())


def _largest(problem: Problem) -> Bools:  # bool[A]
    """A mask of the contenders that set as many variables as any contender does."""
    size = np.where(problem.contenders, (problem.actions.codes >= 0).sum(axis=1), -1)
    return np.asarray(size == size.max())
