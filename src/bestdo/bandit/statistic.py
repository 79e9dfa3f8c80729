"""What a statistic is: the sums over rounds that a learner asks for."""

from __future__ import annotations

from typing import Protocol

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally

__all__ = ["Statistic"]


class Statistic(Protocol):
    """Turns rounds into sums. Says which problems it is valid for, and refuses others in words."""

    @property
    def problem(self) -> Problem:
        """The problem whose rounds are summed."""
        ...

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums over these rounds; adding the tallies of two lots of rounds gives the tally of both."""
        ...
