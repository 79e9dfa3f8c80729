"""Algorithm 2 of the paper, the General Algorithm: a fixed design, and one estimate of every action from all rounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, from_weights
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Importance, States, require_law
from bestdo.bandit.tally import Tally
from bestdo.causal.law import ParentLaw
from bestdo.design.difficulty import m_of_design
from bestdo.design.handmade import authors_design, handmade_design
from bestdo.design.optimal import optimal_design
from bestdo.errors import NotValid
from bestdo.learners.counting import Counts, added, begin

__all__ = ["GeneralAlgorithm"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class GeneralAlgorithm:
    """Algorithm 2, for any graph and any actions whose law of the reward's parents is known.

    One block: actions drawn from eta. Every round counts towards every action, by how much likelier what was seen is
    under that action than under the mixture.
    """

    eta: Literal["optimal", "uniform", "handmade", "authors"] | tuple[float, ...] = "optimal"
    """The design: eta* with its certificate; the same for all; the paper's hand-made one (1/2 on do(), the rest on the
    rare actions); the one in the authors' code; or given numbers, one per action."""
    truncation: Literal["none", "zero", "clip"] = "none"
    """What happens to weights above B_a = √(m(eta) T / log(2T|A|)): nothing (as in the paper's experiments), counted as
    0 (the paper's estimator), or counted as B_a."""
    limit: float | None = None
    """B_a, the same for all actions, when another one than above is wanted."""
    estimator: Literal["importance", "self-normalised", "plug-in"] = "self-normalised"
    """Weighted sums divided by the number of rounds (the paper's), by the sum of the weights, or the means of the
    rewards in each state of the parents, averaged by the law (needs the law as an explicit table)."""
    rounded: bool = True
    """Whether T·eta is rounded to whole rounds (less variance), or T actions are drawn (the paper's)."""
    first_of_equals: bool = False
    """Whether the first of equal estimates is taken, as in the authors' code, or one at random."""

    @classmethod
    def as_in_paper(cls) -> GeneralAlgorithm:
        """As the text of the paper says: eta*, truncated, drawn."""
        return cls(truncation="zero", estimator="importance", rounded=False)

    @classmethod
    def as_in_authors_code(cls) -> GeneralAlgorithm:
        """As the code behind the paper's figures does."""
        return cls(eta="authors", estimator="importance", rounded=False, first_of_equals=True)

    @lru_cache(maxsize=128)  # noqa: B019  # learners are small values: solved once for every lane and chunk of lanes
    def design(self, problem: Problem) -> Floats:  # float[A]
        """The distribution over actions that is played."""
        if not isinstance(self.eta, str):
            eta = np.array(self.eta, np.float64)
            if eta.shape != (len(problem.actions),) or not (eta >= 0).all() or abs(eta.sum() - 1) > 1e-9:
                raise NotValid(f"eta must be {len(problem.actions)} probabilities that sum to 1, one per action")
            return eta
        if self.eta == "uniform":
            return np.full(len(problem.actions), 1 / len(problem.actions))
        if self.eta == "optimal":
            return optimal_design(problem).eta
        return handmade_design(problem) if self.eta == "handmade" else authors_design(problem)

    @lru_cache(maxsize=128)  # noqa: B019
    def statistic(self, problem: Problem, horizon: int) -> Importance | States:
        """Importance weights, or the states of the parents for the plug-in estimator."""
        law = require_law(problem, "Algorithm 2")
        if self.estimator == "plug-in":
            if not isinstance(law, ParentLaw):
                raise NotValid("the plug-in estimator needs the law of the reward's parents as an explicit table")
            return States(problem)
        eta = self.design(problem)
        limit = None
        if self.truncation != "none":
            bound = self.limit
            if bound is None:  # Theorem 3
                bound = math.sqrt(m_of_design(law, eta) * horizon / math.log(2 * horizon * len(eta)))
            limit = np.full(len(eta), bound)
        return Importance(problem, eta, limit, self.truncation == "zero")

    def start(self, problem: Problem, horizon: int, lanes: int, rng: np.random.Generator) -> Counts:
        """Before the first round."""
        counts = begin(problem, horizon, lanes, rng)
        statistic = self.statistic(problem, horizon)
        if isinstance(statistic, States):
            law = require_law(problem, "Algorithm 2")
            assert isinstance(law, ParentLaw)
            return counts._replace(tally=Tally.zeros(lanes, law.flat.shape[1]))
        return counts

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """All rounds in one block."""
        if not state.left.any():
            return None
        eta = self.design(state.problem)
        if not self.rounded:
            return Plan(rng.multinomial(state.left, eta / eta.sum()))
        upto = np.cumsum(state.left[:, None] * eta, axis=1)
        upto[:, -1] = state.left
        whole = np.floor(upto + rng.random((len(upto), 1))).astype(np.int64)  # systematic: right on average
        return Plan(np.diff(whole, axis=1, prepend=0))

    def tell(self, state: Counts, plan: Plan, tally: Tally) -> Counts:
        """Adds the block."""
        return added(state, plan, tally)

    def best(self, state: Counts) -> NDArray[np.int64]:
        """The best estimate."""
        mean = self._mean(state)
        if self.first_of_equals:
            return np.asarray(np.argmax(np.where(np.isnan(mean), -np.inf, mean), axis=1))
        return argmax(np.round(mean, 12), state.ties, state.block)

    def _mean(self, state: Counts) -> Floats:  # float[L, A]
        tally = state.tally
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.estimator == "plug-in":
                return self._plugged(state)[0]
            return tally.reward / (tally.rounds if self.estimator == "importance" else tally.weight)

    def _plugged(self, state: Counts) -> tuple[Floats, Floats]:
        """Σ_x P(x | a) ȳ_x and its variance; a state not seen counts with the mean over all rounds."""
        law = require_law(state.problem, "Algorithm 2")
        assert isinstance(law, ParentLaw)
        n, s = state.tally.weight, state.tally.reward
        overall = s.sum(axis=1, keepdims=True) / n.sum(axis=1, keepdims=True)
        mean = np.where(n > 0, s / n, overall)
        smooth = (s + 1) / (n + 2)
        return mean @ law.flat.T, (smooth * (1 - smooth) / np.maximum(n, 0.5)) @ (law.flat.T**2)

    def estimates(self, state: Counts) -> Estimates:
        """Weighted means with normal intervals."""
        tally, mean = state.tally, self._mean(state)
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.estimator == "plug-in":
                seen = np.repeat(tally.weight.sum(axis=1, keepdims=True), mean.shape[1], axis=1)
                return from_weights(mean, self._plugged(state)[1], state.played, seen)
            if self.estimator == "importance":
                variance = (tally.reward2 / tally.rounds - mean**2) / tally.rounds
            else:
                variance = (tally.reward2 * (1 - 2 * mean) + mean**2 * tally.weight2) / tally.weight**2
            seen = tally.weight**2 / tally.weight2  # the effective number of rounds
        return from_weights(mean, variance, state.played, np.nan_to_num(seen))
