"""Plays and successes of each action: the statistic of classical bandits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.summing import count_cells

__all__ = ["Played"]


@dataclass(frozen=True)
class Played:
    """A round counts towards the action that was played, by what it is worth (`Reward.weight`). Valid for every problem."""

    problem: Problem
    rests_on_graph: ClassVar[bool] = False

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Plays and successes of each action."""
        actions = len(self.problem.actions)
        cell = rounds.lane * actions + rounds.action
        return count_cells(cell, rounds, lanes, actions, self.problem.graph.rewarded.weight(rounds.numbers))
