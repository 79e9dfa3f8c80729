"""A linear regression of the reward on settings, contexts and their pairs: Thompson draws, or top-two; without a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates, from_weights
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request, within
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import Counts, add_block, as_played, play_once, start_counts
from bestdo.research.statistics.regression_sums import RegressionSums

__all__ = ["Regression"]

_DIGITS = 10
"""Decimals of means, in spreads, that count when the best is chosen, so that ties are ties."""
_CONSTANT = 10.0
"""The prior spread of the constant, in spreads of the reward."""


class _Fit(NamedTuple):
    """The posterior of the weights of the columns."""

    design: Floats
    """float[L, A, D]: the columns of each action."""
    mean: Floats
    """float[L, A]: the means of all actions."""
    root: Floats
    """float[L, D, D]: a root of the covariance of the weights, root · rootᵀ."""


@dataclass(frozen=True)
class Regression:
    """Plays the best action of a draw of the coefficients of a linear regression; recommends the best mean.

    The coefficients are those of `RegressionSums`. They are normal beforehand around 0, with a spread of `scale` spreads
    of the reward; the spread of the reward is that of all rounds. Of several scales the one with the largest evidence counts.
    """

    top_two: bool = False
    """Whether a challenger, the first other best action of further draws, is played in half of the rounds."""
    scales: tuple[float, ...] = (1.0, 0.3, 0.1, 0.03)
    """The prior spreads of coefficients, in spreads of the reward."""
    first: tuple[str, ...] = ()
    """The variables that are seen first; known by itself from the problem."""
    tries: int = 20
    """The number of draws of a challenger."""

    traits = Traits(any_time=True, chooses=True, races=True, reasons=True, in_contexts=True)
    tell = staticmethod(add_block)

    @classmethod
    def with_top_two(cls) -> Regression:
        """The learner with challengers."""
        return cls(top_two=True)

    def in_contexts(self, problem: Problem) -> Regression:
        """The learner for the contexts of a problem."""
        return replace(self, first=problem.first)

    def statistic(self, problem: Problem, horizon: float) -> RegressionSums:
        """The sums of the regression."""
        return RegressionSums(problem, self.first)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        none = np.zeros(0, np.int64)
        rounds = Rounds(none, none, np.zeros((0, len(problem.graph.names)), np.int64), np.zeros(0, bool))
        state = start_counts(problem, horizon, lanes, rng)
        return state._replace(tally=self.statistic(problem, horizon).tally(rounds, lanes))

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of one round: the best of a draw among the actions that are allowed and in the race, or its challenger."""
        state = as_played(state, request.out)
        if not state.left.any():
            return None
        fit = self._fit(state)
        leader = chosen = self._drawn(fit, state, request, rng).argmax(axis=1)
        if self.top_two:
            waits = rng.random(len(leader)) < 0.5
            for _ in range(self.tries if waits.any() else 0):
                other = self._drawn(fit, state, request, rng).argmax(axis=1)
                chosen = np.where(waits & (chosen == leader), other, chosen)
        return play_once([chosen], state)

    def reason(self, state: Counts, action: int) -> str:
        """The action was the best of a draw, or of one in which the leader was not."""
        drawn = "the best in a draw from a regression on all settings and contexts"
        return f"{drawn}, or its challenger" if self.top_two else drawn

    def means(self, state: Counts) -> Floats:  # float[L, A]
        """The means of the regression."""
        return self._fit(state).mean

    def draws(self, state: Counts, lane: int, draws: int) -> Floats:  # float[D, A]
        """Draws of all means in one lane, the same for the same sums."""
        fit = self._fit(state._replace(tally=state.tally.lanes(np.array([lane]))))
        noise = np.random.default_rng(0).standard_normal((fit.root.shape[2], draws))
        return np.asarray(fit.mean + (fit.design[0] @ fit.root[0] @ noise).T)

    def best(self, state: Counts) -> Ints:  # int[L]
        """The action with the best mean."""
        return argmax(self.means(state), state.ties, state.block)

    def estimates(self, state: Counts) -> Estimates:
        """The means with 95 % intervals, by the covariance of the coefficients."""
        fit = self._fit(state)
        variance = ((fit.design @ fit.root) ** 2).sum(axis=2)
        known = self.statistic(state.problem, state.horizon).apart(state.tally)[0][:, :1, 0]
        found = from_weights(
            fit.mean,
            variance,
            np.zeros(variance.shape),
            state.played,
            np.broadcast_to(known, variance.shape),
            state.problem.graph,
        )
        return found._replace(contenders=state.problem.contenders)

    def _drawn(self, fit: _Fit, state: Counts, request: Request, rng: np.random.Generator) -> Floats:  # float[L, A]
        """Means by a draw of the coefficients, -inf for what may not be played or is not in the race."""
        noise = rng.standard_normal((*fit.root.shape[:2], 1))
        values = fit.mean + (fit.design @ (fit.root @ noise))[:, :, 0]
        values = np.where(state.problem.contenders, values, -np.inf)
        return within(request.race(), request.masked(values))

    def _fit(self, state: Counts) -> _Fit:
        """The posterior by the scale with the largest evidence."""
        sums = self.statistic(state.problem, state.horizon)
        gram, xy, yy, free = sums.apart(state.tally)
        n, s = gram[:, 0, 0], xy[:, 0]
        if state.problem.graph.two_values:
            centre = (s + 1) / (n + 2)
            variance = centre * (1 - centre)
        else:
            centre = s / np.maximum(n, 1)
            around = np.maximum(yy - n * centre**2, 0.0)
            variance = np.where(n > 1, around / np.maximum(n - 1, 1), 0.0)
            variance = np.where(variance > 0, variance, 1.0)
        rest = (xy - centre[:, None] * gram[:, 0])[:, :, None]  # Xᵀ(y - centre)
        best = np.full(len(n), -np.inf)
        mean, half = np.zeros(rest.shape), np.zeros(gram.shape)  # the precision is half · halfᵀ / variance
        for scale in self.scales:
            prior = sums.prior(_CONSTANT, scale)
            solved, factor = np.linalg.solve(gram + prior, rest), np.linalg.cholesky(gram + prior)
            evidence = np.linalg.slogdet(prior)[1] / 2 - np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
            evidence += (rest * solved).sum(axis=(1, 2)) / (2 * variance)
            better = evidence > best + 1e-9
            best = np.where(better, evidence, best)
            mean[better], half[better] = solved[better], factor[better]
        spread, design = np.sqrt(variance)[:, None], sums.actions(free)
        about = (design @ mean)[:, :, 0] / spread
        root = np.swapaxes(np.linalg.inv(half), 1, 2) * spread[:, :, None]
        return _Fit(design, centre[:, None] + spread * about.round(_DIGITS), root)
