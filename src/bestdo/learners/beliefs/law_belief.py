"""A belief where the law of the reward's parents is known: a Beta posterior for each state of the parents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, from_ratio
from bestdo.bandit.problem import Problem, require_law
from bestdo.bandit.tally import Tally
from bestdo.errors import NotValid
from bestdo.learners.beliefs.belief import DRAWS, first_two, summed_up
from bestdo.statistics.states import States

__all__ = ["LawBelief"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class LawBelief:
    """mean(a) = Σ_x P(x | a) θ_x, with θ_x, the chance of success in state x of the parents, independent Beta variables.

    The prior of each θ_x is worth `strength` rounds with the mean of all rounds.
    """

    problem: Problem
    strength: float = 1.0
    shares_all: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if require_law(self.problem, "a belief on the states of the parents").explicit is None:
            raise NotValid("a belief on the states of the reward's parents needs their law as an explicit table")

    @cached_property
    def statistic(self) -> States:
        """Counts of each state, and the successes."""
        return States(self.problem)

    @property
    def _law(self) -> Floats:  # float[A, S]
        table = None if self.problem.law is None else self.problem.law.explicit
        assert table is not None
        return table

    def _posterior(self, tally: Tally) -> tuple[Floats, Floats]:  # float[L, S] twice
        s, n = tally.reward, tally.weight
        centre = (s.sum(axis=1, keepdims=True) + 1) / (n.sum(axis=1, keepdims=True) + 2)
        return s + self.strength * centre, n + self.strength

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions."""
        good, n = self._posterior(tally)
        return np.asarray(rng.beta(good, n - good) @ self._law.T)

    def pairs(
        self, tally: Tally, played: Floats, k: int, rng: np.random.Generator
    ) -> tuple[Ints, Ints]:  # int[L, K] twice
        """The best and the second best action of k draws."""
        return first_two([self.draw(tally, rng) for _ in range(k)])

    def mean(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """Posterior means."""
        good, n = self._posterior(tally)
        return np.asarray((good / n) @ self._law.T)

    def gain(self, tally: Tally, played: Floats, leader: Ints, challenger: Ints) -> Floats:  # float[L, A]
        """The share of the variance of differences that a round of each action b is expected to remove.

        A round of b lowers the variance of θ_x by one part in n_x + 1, with probability P(x | b).
        """
        good, n = self._posterior(tally)
        variance = good * (n - good) / n**2 / (n + 1)
        shares = np.zeros(n.shape)
        for one, two in zip(leader.T, challenger.T, strict=True):
            part = (self._law[one] - self._law[two]) ** 2 * variance
            whole = part.sum(axis=1, keepdims=True)
            shares += np.divide(part, whole, out=np.zeros(n.shape), where=whole > 0) / (n + 1)
        return np.asarray(shares @ self._law.T)

    def estimates(self, tally: Tally, played: Floats) -> Estimates:
        """Posterior means with Wilson's 95 % intervals for their effective numbers of rounds; P(best) by joint draws."""
        good, n = self._posterior(tally)
        mean = self.mean(tally, played)
        spread = (good * (n - good) / n**2 / (n + 1)) @ (self._law.T**2)
        worth = np.maximum(mean * (1 - mean) / np.maximum(spread, 1e-12) - 1 - self.strength, 0.0)
        made = from_ratio(Tally(worth, worth, worth, mean * worth, mean * worth), played)
        return made._replace(mean=np.clip(mean, made.low, made.high), joint=self._best(tally))

    def _best(self, tally: Tally) -> Floats:  # float[L, A]
        """How often each action is best in 1,000 draws, the same ones for the same sums; equals share."""
        good, n = self._posterior(tally)
        joint = np.empty((len(n), len(self._law)))
        for lane in range(len(n)):
            rng = np.random.default_rng(0)
            drawn = rng.beta(good[lane], n[lane] - good[lane], size=(DRAWS, n.shape[1])) @ self._law.T
            joint[lane] = summed_up(drawn)[3]
        return joint
