"""Wu's learner of side observations: plays as often as the lower bound on regret asks, watching included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import (
    Counts,
    add_block,
    best_mean,
    is_old,
    means,
    play_once,
    start_counts,
    wilson_estimates,
)
from bestdo.learners.parent_states import DIGITS
from bestdo.research.learners.side_observations import (
    chances_of_seeing,
    index_of_watching,
    playable,
    require_watching,
    seen_statistic,
)

__all__ = ["WuSideObservations", "least_plays"]


_VARIANCE = 0.25
"""σ² of a play: the largest variance, and the sub-Gaussian constant, of a reward between 0 and 1."""
_NEAR = 1e-3
"""Differences of means below it count as this: equal means would have to be told apart for ever. Chosen, not measured."""


class _WuState(NamedTuple):
    """Counts, and how many rounds of the forced exploration there were."""

    counts: Counts
    explored: Floats
    """float[L]: n_e."""


@dataclass(frozen=True)
class WuSideObservations:
    """Plays the best so far if every action is known as well as the lower bound asks, else what the bound's plan lacks.

    Wu, György & Szepesvári (2015), the asymptotically optimal algorithm, for a play of i that shows j with variance σ_ij²:
    here σ² for an action's own play and σ² / P(its values occur) for a round of do(). With gaps Δ by the means so far, the
    plan c minimises Σ c_i Δ_i under Σ_i c_i / σ_ij² ≥ 2 / Δ_j² (the least gap for the best action). While
    Σ_i N_i / σ_ij² is at least 4 α ln t times that for every j, the best so far is played; else, if some action has been seen
    less than β(n_e) / K times, β(n) = n^b / 2, it is shown in the way that shows most; else an i with N_i < 4 α ln t c_i. All
    from reviews of the paper, not from its text.

    Ours: σ² = 1/4, for any reward with bounds; the rounds that did show an action take the place of their expectation; the
    linear program is solved exactly by sorting, as only do() shows others; of those i the one that lacks most is played. It
    recommends the best mean.
    """

    alpha: float = 2.1
    """α: above 2, as the proof asks; larger values explore more."""
    power: float = 0.5
    """b of β(n) = n^b / 2, between 0 and 1: how soon the forced exploration fades. Not measured."""

    traits = Traits(reasons=True)
    statistic = staticmethod(seen_statistic)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> _WuState:
        """The state before the first round."""
        require_watching(problem, "Wu's learner of side observations")
        require_bounds(problem, "Wu's learner of side observations")
        return _WuState(start_counts(problem, horizon, lanes, rng), np.zeros(lanes))

    def ask(self, state: _WuState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next round: the best so far, else forced exploration, else what the plan c lacks."""
        if not state.counts.left.any():
            return None
        return play_once([self._choice(state)[0]], state.counts)

    def _choice(self, state: _WuState) -> tuple[Ints, Bools, Bools]:
        """The next action (int[L]), where all is known as well as the bound asks, and where it must explore (bool[L])."""
        counts = state.counts
        problem, ties, block = counts.problem, counts.ties, counts.block
        can, watching = problem.contenders, index_of_watching(problem)
        n, seen = counts.tally.weight, chances_of_seeing(counts)
        value = np.where(can & (n > 0), np.nan_to_num(means(counts.tally)), -np.inf)
        best = argmax(value, ties, block)
        gaps = np.maximum(value.max(axis=1, keepdims=True) - np.where(n > 0, np.nan_to_num(means(counts.tally)), 0), 0)
        needed = _needed(gaps, best, can)
        times = 4 * self.alpha * np.log(np.maximum(counts.played.sum(axis=1), 2))[:, None]
        known = np.asarray((n / _VARIANCE >= times * needed).all(axis=1) & (n > 0)[:, can].all(axis=1))
        fewest = np.where(can, n, np.inf)
        forced = ~known & np.asarray(
            fewest.min(axis=1) < np.maximum(0.5 * state.explored**self.power, 1) / max(1, int(can.sum()))
        )
        rare = argmax(np.where(can, -n, -np.inf), ties, block)
        show = np.where(seen[np.arange(len(rare)), rare] >= 1, watching, rare)  # a play of its own shows it surely
        plan = least_plays(gaps, _VARIANCE * needed, seen, watching)
        lacks = (times * plan - counts.played).round(DIGITS)  # rounding errors are no differences
        lacking = argmax(np.where(playable(problem), lacks, -np.inf), ties, block, all_compete=True)
        chosen = np.where(known, best, np.where(forced, show, lacking))
        return chosen, known, forced

    def tell(self, state: _WuState, plan: Plan, tally: Tally) -> _WuState:
        """The state after a round; n_e counts those in which something was not known well enough."""
        counts = add_block(state.counts, plan, tally)
        if is_old(plan, tally):
            return state._replace(counts=counts)
        _, known, _ = self._choice(state)
        return _WuState(counts, state.explored + ~known)

    def best(self, state: _WuState) -> Ints:  # int[L]
        """The action with the best mean."""
        return best_mean(state.counts)

    def estimates(self, state: _WuState) -> Estimates:
        """The mean of each action over the rounds in which it was seen or played, with a 95 % interval."""
        return wilson_estimates(state.counts)

    def reason(self, state: _WuState, action: int) -> str:
        """The best action so far, or an action that is not known well enough."""
        _, known, forced = self._choice(state)
        if known[0]:
            return "the best so far, and all actions are known as well as the lower bound on regret asks"
        if forced[0]:
            return "an action was hardly seen yet"
        return "the plan of least regret that tells all actions apart asks for more rounds of it"


def _needed(gaps: Floats, best: Ints, can: Bools) -> Floats:  # float[L, A]
    """2 / Δ² of each contender; of the best, with the least gap of the others. 0 for what cannot be the best."""
    lanes = np.arange(len(gaps))
    near = np.maximum(gaps, _NEAR)
    others = np.where(can, near, np.inf)
    others[lanes, best] = np.inf
    near[lanes, best] = others.min(axis=1)
    return np.where(can, 2 / near**2, 0.0)


def least_plays(gaps: Floats, needed: Floats, chance: Floats, watching: int) -> Floats:  # float[L, A]
    """The c >= 0 that minimises Σ c_i Δ_i under c_j + c_do() P(j seen) >= needed_j for all j (all float[L, A]).

    Given c_do() every other c_j is what is still needed, so the cost is a convex function of c_do() with corners where an
    action needs no play of its own: needed_j / P(j seen). It is least where the slope, Δ_do() less the sum of Δ_j P(j seen)
    over the actions that still need some, changes its sign.
    """
    corner = np.divide(needed, chance, out=np.zeros(needed.shape), where=chance > 0)  # never shown: no corner
    corner[:, watching] = needed[:, watching]
    gain = gaps * chance
    gain[:, watching] = 0.0
    order = np.argsort(-corner, axis=1)
    falls = np.take_along_axis(corner, order, axis=1)
    saved = np.cumsum(np.take_along_axis(gain, order, axis=1), axis=1)  # what a round of do() saves left of each corner
    enough = saved > gaps[:, [watching]]
    at = np.where(enough.any(axis=1), falls[np.arange(len(falls)), enough.argmax(axis=1)], 0.0)
    free = gaps[:, watching] <= 0  # watching costs nothing: all that it shows
    at = np.where(free, falls[:, 0], np.maximum(at, corner[:, watching]))
    plays = np.maximum(needed - at[:, None] * chance, 0.0)
    plays[:, watching] = at
    return plays
