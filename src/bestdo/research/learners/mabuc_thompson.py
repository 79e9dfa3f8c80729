"""Causal Thompson sampling of MABUC: what one was about to do is a context, and old data say how that went."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates, from_beta
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.bandit.traits import Traits
from bestdo.causal.action import do
from bestdo.errors import NotValid, shown
from bestdo.learners.count_state import Counts, add_block, as_played, is_old, play_once, played_statistic, start_counts
from bestdo.learners.thompson import Thompson

__all__ = ["ByIntuition", "MabucThompson"]


_LEAST = 1e-9
"""In place of a count of 0 in a Beta distribution, which has none: so small that the draw is 0 or 1."""


@dataclass(frozen=True)
class MabucThompson(Thompson):
    """MABUC's causal Thompson sampling, TS^C (Bareinboim, Forney & Pearl 2015): distrusts the intuition that old data refute.

    The one variable that is seen first is the intuition, what one was about to do. Where nothing is seen first this is
    Thompson sampling, the paper's TS; `thompson` with the intuition seen first is its TS with intuition.
    """

    @property
    def traits(self) -> Traits:
        """The traits of Thompson sampling; where there are contexts, they have to be known."""
        return replace(super().traits, in_contexts=True)

    def in_contexts(self, problem: Problem) -> ByIntuition:
        """The learner for a problem whose context is an intuition."""
        return ByIntuition(_intended(problem))


def _intended(problem: Problem) -> tuple[int, ...]:
    """The number of the action that one was about to take, in each context."""
    if problem.graph.number is not None or not problem.graph.two_values:
        raise NotValid("MABUC's causal Thompson sampling is for rewards with two values")
    if len(problem.first) != 1:
        raise NotValid(
            "MABUC's causal Thompson sampling needs one variable that is seen first, the intuition, not "
            f"{len(problem.first)}: {', '.join(map(shown, problem.first))}"
        )
    intuition = problem.graph.variable(problem.first[0])
    if do() in problem.actions:
        return (problem.actions.index(do()),) * len(intuition.values)
    set_ = {name for action in problem.actions for name in action}
    intended = [do({name: value}) for value in intuition.values for name in set_]
    if len(set_) != 1 or any(action not in problem.actions for action in intended):
        raise NotValid(
            f"MABUC's causal Thompson sampling takes the intuition {shown(intuition.name)} for what one was about to do: "
            "allow do(), or one variable to be set whose values are those of the intuition "
            f"({', '.join(map(shown, intuition.values))})"
        )
    return tuple(problem.actions.index(action) for action in intended)


@dataclass(frozen=True)
class ByIntuition:
    """TS^C on all pairs of an intuition and an action; used inside `Contextual`.

    As in the authors' code: Beta counts of each pair begin with 1 success and 1 failure; old data replace those of what was
    intended. With Q1 the mean of another action and Q2 that of what was intended in the old data, both given the intuition,
    the draw of the worse of the two is multiplied by 1 - |Q1 - Q2|. Deviations: with more than two actions, each of the
    others is compared with what was intended, and that takes the smallest factor; without old data all factors are 1.
    """

    intended: tuple[int, ...]
    """The number of the action that one was about to take, in each context."""

    traits = Traits(chooses=True, reasons=True)
    statistic = staticmethod(played_statistic)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round: the sums of all rounds, and behind them those of old ones alone."""
        state = start_counts(problem, horizon, lanes, rng)
        return state._replace(tally=Tally.zeros(lanes, 2 * len(problem.actions)))

    def tell(self, state: Counts, plan: Plan, tally: Tally) -> Counts:
        """The state after a block."""
        old = tally if is_old(plan, tally) else Tally.zeros(*tally.weight.shape)
        return add_block(state, plan, tally.beside(old))

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of one round: the best of a weighted draw among the allowed pairs that can be the best."""
        state = as_played(state, request.out)
        if not state.left.any():
            return None
        s, f = self._counts(state)
        draw = rng.beta(np.maximum(s, _LEAST), np.maximum(f, _LEAST)) * self._factors(state)
        return play_once([np.where(request.mask, draw, -np.inf).argmax(axis=1)], state)

    def reason(self, state: Counts, action: int) -> str:
        """The best of a weighted draw."""
        return "the best in a draw in which what old data speak against counts less"

    def _counts(self, state: Counts) -> tuple[Floats, Floats]:  # float[L, pairs] each
        """Successes and failures of each pair, those of the prior included."""
        n, s, old, _ = self._sums(state)
        prior = np.where(self._is_intended(state) & (old > 0), 0.0, 1.0)
        return s + prior, n - s + prior

    def _factors(self, state: Counts) -> Floats:  # float[L, pairs]
        """The factors of the draws: w = 1 - |Q1 - Q2| for the worse side, 1 for the other."""
        s, f = self._counts(state)
        lanes, contexts = len(s), len(self.intended)
        _, _, old, good = self._sums(state)
        places = np.arange(contexts), np.array(self.intended)
        with np.errstate(invalid="ignore", divide="ignore"):
            q2 = (good / old).reshape(lanes, contexts, -1)[:, *places][:, :, None]  # NaN without old data
        q1 = (s / (s + f)).reshape(lanes, contexts, -1)
        away = np.nan_to_num(1 - np.abs(q1 - q2), nan=1.0)
        away[:, *places] = 1.0
        better = q1 > q2
        factors = np.where(better, 1.0, away)
        factors[:, *places] = np.where(better, away, 1.0).min(axis=2)
        return factors.reshape(s.shape)

    def _is_intended(self, state: Counts) -> Bools:  # bool[pairs]
        """A mask of the pairs of an intuition and the action that follows it."""
        intended = np.zeros((len(self.intended), state.played.shape[1] // len(self.intended)), bool)
        intended[np.arange(len(self.intended)), list(self.intended)] = True
        return intended.reshape(-1)

    def _sums(self, state: Counts) -> tuple[Floats, Floats, Floats, Floats]:  # float[L, pairs] each
        """Rounds and successes of each pair, of all rounds and of old ones alone."""
        pairs, tally = state.played.shape[1], state.tally
        return tally.weight[:, :pairs], tally.reward[:, :pairs], tally.weight[:, pairs:], tally.reward[:, pairs:]

    def means(self, state: Counts) -> Floats:  # float[L, pairs]
        """The posterior means."""
        s, f = self._counts(state)
        return s / (s + f)

    def draws(self, state: Counts, lane: int, draws: int) -> Floats:  # float[D, pairs]
        """Draws of all means in one lane, without factors, the same for the same sums."""
        s, f = (np.maximum(part[lane], _LEAST) for part in self._counts(state))
        return np.random.default_rng(0).beta(s, f, (draws, len(s)))

    def best(self, state: Counts) -> Ints:  # int[L]
        """The pair with the best posterior mean."""
        return argmax(self.means(state), state.ties, state.block)

    def estimates(self, state: Counts) -> Estimates:
        """The posterior means with 95 % intervals."""
        s, f = (np.maximum(part, _LEAST) for part in self._counts(state))
        return from_beta(s, s + f, state.played, self._sums(state)[0])
