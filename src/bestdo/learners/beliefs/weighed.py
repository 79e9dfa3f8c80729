"""A belief for rewards whose rounds have weights, as counts of events with an exposure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.recent_sums import recent
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.statistic import Statistic, rests_on_graph, takes_unknown
from bestdo.bandit.tally import Tally
from bestdo.learners.beliefs.belief import Belief, Question
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.candidate_tables import CandidateTables
from bestdo.statistics.column_sums import ColumnSums
from bestdo.statistics.missing_parents import MissingParents
from bestdo.statistics.strata import Strata
from bestdo.statistics.tables import Tables

__all__ = ["Weighed", "weighed"]


@dataclass(frozen=True)
class _WeighedRounds:
    """The sums of a statistic in which a round has the weight that the reward says (`Reward.weight`), beside plain counts."""

    plain: Statistic

    @property
    def problem(self) -> Problem:
        """The problem of the statistic."""
        return self.plain.problem

    @property
    def takes_unknown(self) -> bool:
        """As the statistic says."""
        return takes_unknown(self.plain)

    @property
    def rests_on_graph(self) -> bool:
        """As the statistic says."""
        return rests_on_graph(self.plain)

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Counts of rounds, and sums in which each counts by its weight."""
        counts, weight = self.plain.tally(rounds, lanes), self.problem.graph.rewarded.weight(rounds.numbers)
        if weight is None:
            return counts
        times = weight if rounds.times is None else rounds.times * weight
        heavy = self.plain.tally(rounds._replace(times=times), lanes)
        return Tally(counts.weight, *(2 * [heavy.weight]), *(2 * [heavy.reward]), *(2 * [heavy.squares]))


def _of_reward(statistic: Statistic) -> Bools:  # bool[cells]
    """The cells of a statistic that tell about the reward; the others are counts of its causes."""
    actions = np.ones(len(statistic.problem.actions), bool)
    if isinstance(statistic, MissingParents):
        return np.concatenate([_of_reward(statistic.whole), actions])
    if isinstance(statistic, BesideSeen):
        return np.concatenate([_of_reward(statistic.own), actions])
    if isinstance(statistic, Tables | CandidateTables):
        own = np.array([name == statistic.problem.graph.reward for name in statistic.cells.names])
        return np.repeat(own, np.diff(statistic.cells.start))
    if isinstance(statistic, ColumnSums):
        return np.asarray(np.arange(statistic.own + statistic.cells.total) < statistic.own)
    if isinstance(statistic, Strata):
        return np.asarray(np.arange(statistic.layout.first[-1]) < statistic.layout.start[-1])
    return np.ones(1, bool)  # all cells


def _of_rounds(statistic: Statistic) -> Bools:  # bool[cells]
    """The cells of the reward that count rounds, not products of columns."""
    if isinstance(statistic, MissingParents):
        return np.concatenate([_of_rounds(statistic.whole), np.ones(len(statistic.problem.actions), bool)])
    if isinstance(statistic, BesideSeen) and isinstance(statistic.own, ColumnSums):
        of_reward = _of_reward(statistic)
        return np.asarray(
            of_reward & ((np.arange(len(of_reward)) < 1) | (np.arange(len(of_reward)) >= statistic.own.own))
        )
    return _of_reward(statistic)


@final
@dataclass(frozen=True)
class Weighed:
    """A belief that is told rounds of average weight: one of twice that counts as two of them.

    What is counted of the reward's causes stays a number of rounds.
    """

    belief: Belief

    @cached_property
    def statistic(self) -> _WeighedRounds:
        """The sums of the belief's statistic, by weight."""
        return _WeighedRounds(self.belief.statistic)

    @property
    def shares_all(self) -> bool:
        """As the belief says."""
        return self.belief.shares_all

    @cached_property
    def _of_reward(self) -> Bools:  # bool[cells]
        return _of_reward(self.belief.statistic)

    @cached_property
    def _of_rounds(self) -> Bools:  # bool[cells]
        return _of_rounds(self.belief.statistic)

    @recent
    def _in_rounds(self, tally: Tally) -> Tally:
        """The sums as if each round had the average weight of all in its lane."""
        if tally.is_counts:
            return tally
        rounds, weight = (np.where(self._of_rounds, part, 0).sum(axis=1, keepdims=True) for part in tally[:2])
        each = rounds / np.where(weight > 0, weight, 1)
        counts = np.where(self._of_reward, tally.weight * each, tally.rounds)
        return Tally.from_counts(counts, tally.reward * each, tally.squares * each)

    def counted(self, tally: Tally) -> Floats:  # float[L, A]
        """The rounds that are as good as a round of each action by the graph, whatever their weight."""
        return self.belief.counted(Tally.from_counts(tally.rounds, tally.reward, tally.squares))

    def mean(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior means."""
        return self.belief.mean(self._in_rounds(tally), played)

    def information_gain(
        self, tally: Tally, played: Floats, asked: Question, rng: np.random.Generator
    ) -> Floats:  # float[L, A]
        """The information gain of a round of average weight."""
        return self.belief.information_gain(self._in_rounds(tally), played, asked, rng)

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A joint draw of all means in each lane."""
        return self.belief.draw_by_lane(self._in_rounds(tally), played, rng)

    def drawn(self, tally: Tally, played: Floats, lane: int, draws: int) -> Floats:  # float[D, A]
        """Joint draws of all means in one lane, the same for the same sums."""
        return self.belief.drawn(self._in_rounds(tally), played, lane, draws)

    def estimates(self, tally: Tally, played: Floats) -> Estimates:
        """Means and intervals."""
        return self.belief.estimates(self._in_rounds(tally), played)


def weighed(belief: Belief) -> Belief:
    """The belief, told rounds by their weight where the reward of its problem has one."""
    graph = belief.statistic.problem.graph
    return Weighed(belief) if graph.variable(str(graph.reward)).kind.told_with else belief
