"""The common part of all beliefs in tables: rows, estimates from joint draws, and counts of each action beside them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.recent_sums import recent
from bestdo.bandit.tally import Tally
from bestdo.learners.beliefs.belief import DRAWS
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.learners.beliefs.families import Families
from bestdo.learners.beliefs.joint_estimates import joint_estimates, worth_of_draws
from bestdo.learners.kernels import family_lanes
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.seen import Seen

__all__ = ["TableBelief"]


@dataclass(frozen=True)
class TableBelief(ABC):
    """A belief in tables, of one graph or of several; means that do not follow from tables are by counts of each action."""

    problem: Problem
    shares_all: ClassVar[bool] = True

    @property
    @abstractmethod
    def statistic(self) -> BesideSeen:
        """Counts of the tables, and of each action."""

    @cached_property
    @abstractmethod
    def _families(self) -> Families: ...

    @cached_property
    @abstractmethod
    def _reward(self) -> int:
        """The number of the first family of the reward."""

    @cached_property
    @abstractmethod
    def _always_set(self) -> Bools:  # bool[R]
        """The rows of the tables of variables that every action sets, as what is seen first in a problem with contexts."""

    @property
    @abstractmethod
    def _cells(self) -> int:
        """The number of cells of the tables' own sums."""

    @abstractmethod
    def mean_by_tables(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior means if no hidden variable causes the reward."""

    @abstractmethod
    def draw_tables(self, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """The means of all actions in one lane under drawn tables, if no hidden variable causes the reward."""

    @abstractmethod
    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions in each lane, under one draw from the posterior."""

    @abstractmethod
    def unseen(self, tally: Tally) -> Floats:  # float[L, A]
        """The probability that a round of each action needs a row of a table in which nothing was counted yet."""

    @abstractmethod
    def information_gain(
        self,
        tally: Tally,
        played: Floats,
        pairs: int,
        rng: np.random.Generator,
        among: Bools | None = None,
        of: Bools | None = None,
    ) -> Floats:  # float[L, A]
        """The information gain of a round of each action: the expected share of the variance of differences removed."""

    @cached_property
    def counting(self) -> CountBelief:
        """The belief by counts of each action alone, as they hold in every possible graph."""
        return CountBelief(self.problem, Seen(self.problem), plain=True)

    def _own(self, tally: Tally) -> Tally:
        """The sums of the tables."""
        return self.statistic.apart(tally)[0]

    def seen(self, tally: Tally) -> Tally:
        """The counts of each action alone."""
        return self.statistic.apart(tally)[1]

    def _mean_tables(self, counts: Floats) -> Floats:  # float[L, cells]
        """The expectations of all cells of all tables."""
        tables = np.empty((len(counts), int(self._families.start[-1])))
        family_lanes.tables_of_lanes(self._families, counts, tables)
        return tables

    @cached_property
    def _rows(self) -> Ints:  # int[R]
        """The first cell of each row of all tables."""
        start, values = self._families.start, self._families.values
        return np.concatenate([np.arange(start[v], start[v + 1], n) for v, n in enumerate(values)])

    def _counted(self, counts: Floats) -> Bools:  # bool[L, R]
        """In which rows of all tables something was counted, or which are never needed."""
        some = np.add.reduceat(counts[:, : self._families.start[-1]], self._rows, axis=1) > 0
        return np.asarray(some | self._always_set)

    def by_counts(self, tally: Tally) -> Floats:  # float[L, 1]
        """The probability that a hidden variable causes the reward, so that means are by counts: 0 unless in doubt."""
        return np.zeros((len(tally.weight), 1))

    def mean(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior means."""
        return self.mean_with_counts(tally, played, self.known_mean(tally, played))

    @recent
    def known_mean(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The result of `mean_by_tables`, worked out once for the same sums; not to be changed."""
        return self.mean_by_tables(tally, played)

    def mean_with_counts(self, tally: Tally, played: Floats, mean: Floats) -> Floats:  # float[L, A]
        """Means by tables, averaged with those by counts as probable as it is that a hidden variable causes the reward."""
        hidden = self.by_counts(tally)
        return mean if not hidden.any() else (1 - hidden) * mean + hidden * self.counting.mean(self.seen(tally), played)

    def draw(self, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """The means of all actions in one lane, under what is drawn from the posterior."""
        return self.draw_with_counts(tally, lane, self.draw_tables(tally, lane, draws, rng), rng)

    def draw_with_counts(self, tally: Tally, lane: int, means: Floats, rng: np.random.Generator) -> Floats:
        """Draws by tables (float[D, A]), of which so many are by counts as a hidden variable may cause the reward."""
        own = tally.lanes(np.array([lane]))
        hidden = self.by_counts(own)
        if hidden.any():
            alone = self.counting.draw(self.seen(own), np.zeros((1, means.shape[1])), 0, len(means), rng)
            means = np.where(rng.random((len(means), 1)) < hidden, alone, means)
        return means

    def drawn(self, tally: Tally, played: Floats, lane: int, draws: int) -> Floats:  # float[D, A]
        """Draws of one lane's means, the same for the same sums."""
        return self.draw(tally, lane, draws, np.random.default_rng(0))

    def gain_by_counts(
        self, tally: Tally, played: Floats, pairs: int, rng: np.random.Generator, among: Bools | None = None
    ) -> Floats:  # float[L, A]
        """The information gain where all pairs are drawn from the counts of each action alone."""
        return self.counting.information_gain(self.seen(tally), played, pairs, rng, among)

    def rounds_worth(self, tally: Tally, played: Floats, mean: Floats, spread: Floats) -> Floats:  # float[L, A]
        """The rounds of each action alone that would leave its mean with this variance (`spread`, float[L or 1, A])."""
        return self.counting.rounds_worth(self.seen(tally), played, mean, spread)

    def estimates(self, tally: Tally, played: Floats) -> Estimates:
        """Posterior means, with intervals and chances of being best from joint draws, the same for the same sums."""
        return joint_estimates(self, tally, played)

    def rounds_counted(self, tally: Tally) -> Floats:  # float[L, 1]
        """The number of rounds counted in the rows of the reward."""
        first, last = self._families.start[self._reward : self._reward + 2]
        return np.asarray(self._own(tally).weight[:, first:last].sum(axis=1, keepdims=True))

    @cached_property
    def worth_before(self) -> Floats:  # float[A]
        """The rounds of each action that the prior is worth."""
        if self.problem.graph.number is not None:
            return np.ones(len(self.problem.actions))
        nothing = Tally.zeros(1, self._cells + len(self.problem.actions))
        return worth_of_draws(self.draw(nothing, 0, DRAWS, np.random.default_rng(0)))
