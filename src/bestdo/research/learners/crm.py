"""CRM: upper confidence bounds in which watching counts for every action whose values occurred."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.errors import NotValid
from bestdo.learners.count_state import (
    Counts,
    add_block,
    beside,
    best_mean,
    means,
    play_once,
    start_counts,
    wilson_estimates,
)
from bestdo.learners.reasons import bound_words
from bestdo.statistics.seen import Seen

__all__ = ["CRM"]


@dataclass(frozen=True)
class CRM:
    """CRM: watches at least β² ln t rounds, and otherwise plays the action with the highest mean + √(8 ln t / E), by cost.

    Nair, Patil & Sinha (2021), CRM-NB-ALG: E is the number of an action's own plays and of the rounds of do() in which its
    values occurred, where seeing is as good as doing. Every action is played once first; β is 1, and where do() looks worse
    than the best by Δ, the smaller of 2√2/Δ and √ln t. The bound of an action that costs γ is divided by γ. All constants
    are from reviews of the paper, not from its text.

    Deviations: an action whose values occurred needs no first play; a round also counts for actions of which a part was
    set; β is worked out anew in every round, where the paper keeps the last one while do() looks best. It recommends the
    best mean.
    """

    traits = Traits(any_time=True, reasons=True)
    tell = staticmethod(add_block)
    best = staticmethod(best_mean)
    estimates = staticmethod(wilson_estimates)

    def statistic(self, problem: Problem, horizon: float) -> Seen:
        """Counts of rounds in which each action was seen or played, and the rewards."""
        return Seen(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        Seen(problem).require("CRM")
        require_bounds(problem, "CRM", or_spread=True)
        if do() not in problem.actions:
            raise NotValid("CRM learns by watching, and the problem does not allow the action do()")
        return start_counts(problem, horizon, lanes, rng)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next round of CRM-NB-ALG: do() below β² ln t rounds of it, else the highest bound by cost."""
        state = beside(state, request.out)
        if not state.left.any():
            return None
        watching = state.problem.actions.index(do())
        n, mean, can = state.tally.weight, means(state.tally), state.problem.contenders
        watched = n[:, watching]
        t = np.maximum(state.played.sum(axis=1) + watched - state.played[:, watching], 1)
        log = np.log(t)[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.where(n > 0, (mean + np.sqrt(8 * log / n)) / state.problem.prices, np.inf)
        chosen = argmax(bound, state.ties, state.block)
        watch = (watched < self._beta(mean, can, watching, log[:, 0]) ** 2 * log[:, 0]) | (watched == 0)
        return play_once([np.where(watch, watching, chosen)], state)

    @staticmethod
    def _beta(mean: Floats, can: Bools, watching: int, log: Floats) -> Floats:  # float[L]
        """β by the means so far (float[L, A]) and ln t (float[L])."""
        gap = np.where(can & ~np.isnan(mean), mean, -np.inf).max(axis=1) - mean[:, watching]
        worse = np.isfinite(gap) & (gap > 0)
        return np.where(worse, np.minimum(2 * np.sqrt(2) / np.where(worse, gap, 1.0), np.sqrt(log)), 1.0)

    def reason(self, state: Counts, action: int) -> str:
        """Watching, the highest bound, or an action of which nothing is known yet."""
        if state.problem.actions[action] == do():
            return "watching teaches about every action whose values occur, or do() may be the best"
        if not state.tally.weight[0, action]:
            return "neither played nor seen yet: its mean may be anything"
        end, most = bound_words(state.problem)
        return f"its mean may be the {most}: the {end} bound by plays and by watching is"
