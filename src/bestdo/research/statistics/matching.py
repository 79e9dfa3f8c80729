"""Rounds in which an action's values occurred, whether it was played or not: for learners that know no graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bestdo.arrays import Bools
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.seen import Seen

__all__ = ["Matching"]


@dataclass(frozen=True)
class Matching(Seen):
    """A round counts towards every action whose values occurred in it, whatever was played.

    That is right for actions that set all causes of the reward, where nothing hidden causes both, and biased for others.
    """

    problem: Problem

    @cached_property
    def seen_by(self) -> Bools:  # bool[A, A]
        """True for all pairs of actions."""
        every = np.ones((len(self.problem.actions),) * 2, bool)
        every.setflags(write=False)
        return every

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The number of rounds with the values of each action, and the rewards of those rounds."""
        return super().tally(rounds, lanes)
