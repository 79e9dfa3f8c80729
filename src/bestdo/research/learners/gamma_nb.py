"""γ-NB: watches for half of the budget, then goes on or plays the actions rarely seen, whichever is cheaper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Bools, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.design.difficulty import difficulty
from bestdo.errors import NotValid
from bestdo.learners.algorithm_1 import reason_by_phase
from bestdo.learners.count_state import Counts, best_mean, start_counts, wilson_estimates
from bestdo.research.learners.watch_half import HalfState, ask_half, require_do, tell_half
from bestdo.statistics.seen import Seen

__all__ = ["GammaNB"]


_ROUNDING = 1e-9
"""The rounding error allowed in p̂ m̂ γ = 1; shares of rounds differ by more below 10⁹ rounds."""


@dataclass(frozen=True)
class GammaNB:
    """γ-NB: half of the budget of do(), then more of it where p̂ m̂ ≥ 1/γ, else the rare actions equally often.

    Nair, Patil & Sinha (2021), γ-NB-ALG, where seeing is as good as doing, a round of do() costs 1 and one of any other
    action γ ≥ 1. After the first half, p̂ is the smallest share of rounds in which the values of an action occurred, and
    m̂ = min{τ ≥ 2: at most τ actions have p̂_a < 1/τ}. With the rest of the budget B watching leaves the rarest action an
    error of about √(1 / p̂B), playing the actions with p̂_a < 1/m̂ one of about √(γm̂ / B): the smaller is chosen. Means are
    over all rounds in which an action was played or its values occurred. From reviews of the paper, not from its text.

    Deviations: where actions cost differently, γ is the mean cost of those rarely seen, in costs of do(), and each of
    these is played equally often; where no action is rare it watches on; the rest of the budget that does not divide
    evenly is played as well. Without costs γ is 1, and it is Algorithm 1.
    """

    traits = Traits(reasons=True)
    ask = staticmethod(ask_half)

    def statistic(self, problem: Problem, horizon: float) -> Seen:
        """Counts of rounds in which each action was seen or played, and the rewards."""
        return Seen(problem)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> HalfState:
        """The state before the first round."""
        Seen(problem).require("gamma-NB")
        require_do(problem, "gamma-NB")
        watching, cheapest = problem.actions.index(do()), int(problem.prices.argmin())
        if problem.prices[watching] > problem.prices[cheapest]:
            raise NotValid(
                f"gamma-NB is for problems in which watching is the cheapest: do() costs {problem.prices[watching]:g}, "
                f"{problem.actions[cheapest]} costs {problem.prices[cheapest]:g}; take watch-then-act or causal-top-two"
            )
        counts = start_counts(problem, horizon, lanes, rng)
        return HalfState(counts, np.zeros(counts.played.shape, bool))

    def tell(self, state: HalfState, plan: Plan, tally: Tally) -> HalfState:
        """The state after a block; after the first, B/2 of do(), it is decided how γ-NB-ALG goes on."""
        return tell_half(state, plan, tally, _rarely_seen)

    def reason(self, state: HalfState, action: int) -> str:
        """The lesson of watching in the first phase, then the rarity of the action, or that watching is cheaper."""
        counts = state.counts
        if counts.block and not state.rare[0].any():
            return "watching teaches more for its cost than playing the actions rarely seen"
        return reason_by_phase(counts, action)

    def best(self, state: HalfState) -> Ints:  # int[L]
        """The action with the best mean of all rounds that count for it."""
        return best_mean(state.counts)

    def estimates(self, state: HalfState) -> Estimates:
        """The mean of each action over the rounds that count for it, with a 95 % interval."""
        return wilson_estimates(state.counts)


def _rarely_seen(counts: Counts) -> Bools:  # bool[L, A]
    """The actions that the second phase plays: those with p̂_a < 1/m̂; none in lanes in which watching on is cheaper."""
    problem, n = counts.problem, counts.tally.weight
    watching = problem.actions.index(do())
    p = n / np.maximum(n[:, [watching]], 1)
    others = (np.arange(p.shape[1]) != watching) & problem.contenders
    if not others.any():
        return np.zeros(p.shape, bool)
    m = difficulty(p[:, others])
    rare = (p < 1 / m[:, None]) & others
    price = (rare * problem.prices).sum(axis=1) / np.maximum(rare.sum(axis=1), 1)
    gamma = price / problem.prices[watching]
    return np.asarray(rare & (p[:, others].min(axis=1) * m * gamma < 1 - _ROUNDING)[:, None])
