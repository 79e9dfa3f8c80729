"""The belief about a limited outcome in columns: every round tells about every action, and nobody's luck is believed early."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.learners.beliefs.belief import DRAWS
from bestdo.learners.beliefs.column_belief import ColumnBelief
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief

__all__ = ["ByColumns"]


@dataclass(frozen=True)
class ByColumns:
    """A regression of the outcome on its causes, of whose rounds each action has as many as the regression is worth for it.

    The rounds themselves set the centre and the weights of the regression's prior, so it would be sure of a rare event's
    absence after a few rounds. What it says of an action is therefore also taken as a number of rounds with this mean, told to
    a uniform prior (of a number: to Student's distribution); the smaller of both probabilities counts.
    """

    belief: MissingParentsBelief
    columns: ColumnBelief
    careful: ClassVar[bool] = True

    @property
    def statistic(self) -> Statistic:
        """The statistic of the belief."""
        return self.belief.statistic

    def below(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The probability that the outcome is at most the bound, the same for the same sums."""
        told, (whole, _) = self._rounds(tally), self.belief.statistic.apart(tally)
        found = []
        for lane, drawn in enumerate(self.draws(tally)):
            found.append(self._below(drawn, self.columns.variance_of_round(whole, lane), told[lane], bound))
        return np.array(found)

    def draws(self, tally: Tally) -> Iterator[Floats]:  # float[D, A] each
        """Joint draws of the outcome in each lane, the same for the same sums."""
        nothing = np.zeros((len(tally.weight), len(self.columns.problem.actions)))
        for lane in range(len(tally.weight)):
            yield self.belief.drawn(tally, nothing, lane, DRAWS)

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A joint draw in each lane."""
        return self.belief.draw_by_lane(tally, np.zeros((len(tally.weight), len(self.columns.problem.actions))), rng)

    def _rounds(self, tally: Tally) -> Floats:  # float[L, A]
        """The rounds that were counted of the outcome."""
        whole, alone = self.belief.statistic.apart(tally)
        return self.columns.rounds_counted(whole) + alone.weight

    @cached_property
    def _worth_before(self) -> Floats:  # float[A]
        """The rounds of each action that the prior of the regression is worth."""
        nothing = Tally.zeros(1, self.columns.cells + len(self.columns.problem.actions))
        drawn = self.columns.draw_tables(nothing, 0, DRAWS, np.random.default_rng(0))
        return np.asarray(self.columns.variance_of_round(nothing, 0) / np.maximum(drawn.var(axis=0), 1e-12))

    def _below(self, drawn: Floats, one: float, told: Floats, bound: float) -> Floats:  # float[A]
        """The smaller of two probabilities: by the draws, and by as many rounds as these are worth."""
        from scipy.special import betainc, ndtr, stdtr

        mean, variance = drawn.mean(axis=0), np.maximum(drawn.var(axis=0), 1e-12)
        import os
        f = float(os.environ.get("F", "0"))
        apart = f * mean.std()
        share = ndtr((bound - drawn) / max(apart, 1e-9)).mean(axis=0)
        variance = variance + apart**2
        rounds = np.clip(one / variance - self._worth_before, 0.0, told)
        if not self.columns.problem.graph.two_values:
            return np.minimum(share, stdtr(np.maximum(rounds - 1, 1.0), (bound - mean) / np.sqrt(variance)))
        return np.minimum(share, betainc(1 + rounds * mean, 1 + rounds * (1 - mean), bound))
