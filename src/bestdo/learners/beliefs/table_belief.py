"""The functions that all beliefs in tables share: means and draws by tables, mixed with those by counts of each action."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.recent_sums import recent
from bestdo.bandit.tally import Tally
from bestdo.learners.beliefs.belief import DRAWS, Question
from bestdo.learners.beliefs.beside_counts import BesideCounts
from bestdo.learners.beliefs.reward_rows import reward_rows
from bestdo.statistics.beside_seen import BesideSeen

__all__ = ["TableBelief", "counted", "draw", "draw_with_counts", "drawn", "known_mean", "mean", "worth_before"]


class TableBelief(Protocol):
    """A belief in tables, of one graph or of several; means that do not follow from tables are by counts of each action."""

    @property
    def problem(self) -> Problem:
        """The problem."""
        ...

    @property
    def statistic(self) -> BesideSeen:
        """Counts of the tables, and of each action."""
        ...

    @property
    def beside(self) -> BesideCounts:
        """The belief by counts of each action."""
        ...

    @property
    def cells(self) -> int:
        """The number of cells of the tables' own sums."""
        ...

    @property
    def worth_before(self) -> Floats:  # float[A]
        """The rounds of each action that the prior is worth."""
        ...

    def by_counts(self, tally: Tally) -> Floats:  # float[L, 1]
        """The probability that a hidden variable causes the reward, so that means are by counts: 0 unless in doubt."""
        ...

    def mean_by_tables(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior means if no hidden variable causes the reward."""
        ...

    def draw_tables(self, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """The means of all actions in one lane under drawn tables, if no hidden variable causes the reward."""
        ...

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions in each lane, under one draw from the posterior."""
        ...

    def unseen(self, tally: Tally) -> Floats:  # float[L, A]
        """The probability that a round of each action needs a row of a table in which nothing was counted yet."""
        ...

    def rounds_counted(self, tally: Tally) -> Floats:  # float[L, 1]
        """The number of rounds counted in the rows of the reward."""
        ...

    def information_gain(
        self, tally: Tally, played: Floats, asked: Question, rng: np.random.Generator
    ) -> Floats:  # float[L, A]
        """The information gain of a round of each action: the expected share of the variance of differences removed."""
        ...

    def estimates(self, tally: Tally, played: Floats) -> Estimates:
        """Posterior means, with intervals and chances of being best from joint draws, the same for the same sums."""
        ...


@recent
def known_mean(belief: TableBelief, tally: Tally, played: Floats) -> Floats:  # float[L, A]
    """The result of `mean_by_tables`, worked out once for the same sums; not to be changed."""
    return belief.mean_by_tables(tally, played)


def mean(belief: TableBelief, tally: Tally, played: Floats) -> Floats:  # float[L, A]
    """The posterior means."""
    return belief.beside.mean(tally, played, known_mean(belief, tally, played), belief.by_counts(tally))


def counted(belief: TableBelief, tally: Tally) -> Floats:  # float[L, A]
    """The rounds that are as good as a round of each action by the graph, its plays included."""
    return belief.beside.seen(tally).weight


def draw_with_counts(
    belief: TableBelief, tally: Tally, lane: int, means: Floats, rng: np.random.Generator
) -> Floats:  # float[D, A]
    """Draws by tables (float[D, A]), of which so many are by counts as a hidden variable may cause the reward."""
    own = tally.lanes(np.array([lane]))
    return belief.beside.draw(own, means, belief.by_counts(own), rng)


def draw(belief: TableBelief, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
    """The means of all actions in one lane, under draws from the posterior."""
    return draw_with_counts(belief, tally, lane, belief.draw_tables(tally, lane, draws, rng), rng)


def drawn(belief: TableBelief, tally: Tally, played: Floats, lane: int, draws: int) -> Floats:  # float[D, A]
    """Draws of one lane's means, the same for the same sums."""
    return draw(belief, tally, lane, draws, np.random.default_rng(0))


def worth_before(belief: TableBelief) -> Floats:  # float[A]
    """The rounds of each action that the prior is worth."""
    actions = len(belief.problem.actions)
    nothing = Tally.zeros(1, belief.cells + actions)
    drawn = partial(draw, belief, nothing, 0, DRAWS, np.random.default_rng(0))
    return reward_rows(belief.problem.graph).rounds_before(actions, drawn)
