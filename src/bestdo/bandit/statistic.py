"""What a statistic is: the sums over rounds that a learner asks for."""

from __future__ import annotations

from typing import Protocol

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally

__all__ = ["Statistic", "rests_on_graph", "weighs_by_design"]


class Statistic(Protocol):
    """Turns rounds into sums. Says which problems it is valid for, and refuses others in words.

    Two attributes are optional: `rests_on_graph` (True when it is not there) and `weighs_by_design` (False).
    """

    @property
    def problem(self) -> Problem:
        """The problem whose rounds are summed."""
        ...

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums over these rounds; adding the tallies of two lots of rounds gives the tally of both."""
        ...


def rests_on_graph(statistic: Statistic) -> bool:
    """Whether the sums are wrong if the graph is; plays alone are not."""
    return getattr(statistic, "rests_on_graph", True)


def weighs_by_design(statistic: Statistic) -> bool:
    """Whether a round's weight depends on the design that all rounds are drawn from: others cannot be added."""
    return getattr(statistic, "weighs_by_design", False)
