"""A belief from what was seen and played: a Beta posterior for each action."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, from_counts
from bestdo.bandit.problem import Problem
from bestdo.bandit.statistic import Seen
from bestdo.bandit.tally import Tally

__all__ = ["SeenBelief", "drawn_pairs", "posterior"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_SEEN = 0.5  # how often an action is thought to be seen in a round that can show it, before any: (0.5 + k) / (1 + n)


def posterior(s: Floats, n: Floats, strength: float) -> tuple[Floats, Floats]:  # float[L, K] twice
    """Successes and rounds, those that the prior is worth included: it believes the mean over all that was counted."""
    centre = (s.sum(axis=1, keepdims=True) + 1) / (n.sum(axis=1, keepdims=True) + 2)
    return s + strength * centre, n + strength


def drawn_pairs(good: Floats, rounds: Floats, k: int, rng: np.random.Generator) -> tuple[Ints, Ints]:  # int[L, K] twice
    """The best and the second best of k independent draws of means good / rounds (float[L, A])."""
    from bestdo.learners.kernels import top_pairs  # numba is loaded when the first number is drawn

    leader, challenger = np.empty((len(good), k), np.int64), np.empty((len(good), k), np.int64)
    top_pairs(good, rounds, rng, leader, challenger)
    return leader, challenger


@dataclass(frozen=True)
class SeenBelief:
    """Each action's mean has a Beta posterior, as if the actions were independent, from all rounds as good as it.

    `Seen` says which rounds these are: its plays, and where the graph allows it the rounds in which its values
    occurred. The prior is worth `strength` rounds with the mean of all that was counted.
    """

    problem: Problem
    strength: float = 8.0

    @cached_property
    def statistic(self) -> Seen:
        """How often each action was seen or played, and the successes."""
        return Seen(self.problem)

    @cached_property
    def _shows(self) -> NDArray[np.bool_]:  # bool[B, A]
        """Which of the actions `_showing` can show which others."""
        return self.statistic.seen_by[self._showing] & ~np.eye(len(self.problem.actions), dtype=bool)[self._showing]

    @cached_property
    def _showing(self) -> Ints:  # int[B]
        """The actions whose rounds can tell about others."""
        return np.flatnonzero(self.statistic.seen_by.sum(axis=1) > 1)

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions."""
        good, n = posterior(tally.reward, tally.weight, self.strength)
        return rng.beta(good, n - good)

    def pairs(self, tally: Tally, k: int, rng: np.random.Generator) -> tuple[Ints, Ints]:  # int[L, K] twice
        """The best and the second best action of k draws, normal on the scale of angles."""
        return drawn_pairs(*posterior(tally.reward, tally.weight, self.strength), k, rng)

    def mean(self, tally: Tally) -> Floats:  # float[L, A]
        """Posterior means."""
        good, n = posterior(tally.reward, tally.weight, self.strength)
        return good / n

    def gain(self, tally: Tally, played: Floats, leader: Ints, challenger: Ints) -> Floats:  # float[L, A]
        """The variance of a Beta falls by one part in n + 1 when it is seen once more: that, times how likely it is."""
        from bestdo.learners.kernels import seen_gains

        good, n = posterior(tally.reward, tally.weight, self.strength)
        seen = tally.weight - played + _SEEN
        could = tally.weight[:, self._showing] + 2 * _SEEN
        result = np.zeros(n.shape)
        seen_gains(good, n, seen, could, self._showing, self._shows, leader, challenger, result)
        return result

    def estimates(self, tally: Tally, played: Floats) -> Estimates:
        """Means of what was counted, without the prior, and Wilson's intervals."""
        return from_counts(tally, played)
