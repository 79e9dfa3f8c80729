"""The counts of each action beside the sums of tables: means that do not follow from tables are by them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.tally import Tally
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.seen import Seen

__all__ = ["BesideCounts"]


@final
@dataclass(frozen=True)
class BesideCounts:
    """The belief by counts of each action, which hold in every possible graph, from sums beside those of tables."""

    statistic: BesideSeen

    @cached_property
    def counting(self) -> CountBelief:
        """The belief by counts of each action alone."""
        return CountBelief(self.statistic.problem, Seen(self.statistic.problem, equals=True), plain=True)

    def own(self, tally: Tally) -> Tally:
        """The sums of the tables."""
        return self.statistic.apart(tally)[0]

    def seen(self, tally: Tally) -> Tally:
        """The counts of each action alone."""
        return self.statistic.apart(tally)[1]

    def mean(self, tally: Tally, played: Floats, by_tables: Floats, hidden: Floats) -> Floats:  # float[L, A]
        """Means by tables (float[L, A]), averaged with those by counts, which have the probability `hidden` (float[L, 1])."""
        if not hidden.any():
            return by_tables
        return (1 - hidden) * by_tables + hidden * self.counting.mean(self.seen(tally), played)

    def draw(self, own: Tally, means: Floats, hidden: Floats, rng: np.random.Generator) -> Floats:  # float[D, A]
        """Draws by tables (float[D, A]) in the only lane; as many as probable (`hidden`, float[1, 1]) are by counts."""
        if hidden.any():
            alone = self.counting.draw(self.seen(own), np.zeros((1, means.shape[1])), 0, len(means), rng)
            means = np.where(rng.random((len(means), 1)) < hidden, alone, means)
        return means

    def draw_by_lane(
        self, tally: Tally, played: Floats, means: Floats, hidden: Floats, rng: np.random.Generator
    ) -> Floats:  # float[L, A]
        """One draw by tables in each lane (float[L, A]); with the probability `hidden` (float[L, 1]) it is by counts."""
        if hidden.any():
            alone = self.counting.draw_by_lane(self.seen(tally), played, rng)
            means = np.where(rng.random((len(means), 1)) < hidden, alone, means)
        return means

    def gain(self, tally: Tally, played: Floats, asked: Question, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The information gain where all pairs are drawn from the counts of each action alone."""
        return self.counting.information_gain(self.seen(tally), played, asked, rng)

    def rounds_worth(self, tally: Tally, played: Floats, mean: Floats, spread: Floats) -> Floats:  # float[L, A]
        """The rounds of each action alone that would leave its mean with this variance (`spread`, float[L or 1, A])."""
        return self.counting.rounds_worth(self.seen(tally), played, mean, spread)
