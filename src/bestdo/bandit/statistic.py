"""The contract of a statistic: the sums over rounds that a learner asks for."""

from __future__ import annotations

from typing import Any, Protocol

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally

__all__ = ["Statistic", "Summing", "rests_on_graph", "takes_unknown", "weighs_by_design"]


class Statistic(Protocol):
    """Turns rounds of a problem into sums. Raises NotValid for problems on which the sums would be wrong.

    Three attributes are optional: `rests_on_graph` (True by default), `weighs_by_design` and `takes_unknown` (False by
    default).
    """

    @property
    def problem(self) -> Problem:
        """The problem whose rounds are summed."""
        ...

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums over these rounds; the tallies of two sets of rounds add up to the tally of both."""
        ...


class Summing(Protocol):
    """Turns rounds of a problem into sums: a statistic, or several whose tallies are kept apart by name."""

    @property
    def problem(self) -> Problem:
        """The problem whose rounds are summed."""
        ...

    def tally(self, rounds: Rounds, lanes: int) -> Any:
        """The sums over these rounds: a tally, or a named tuple of sums."""
        ...


def rests_on_graph(statistic: Summing) -> bool:
    """Whether the sums are wrong if the graph is wrong; counts of plays are not."""
    return getattr(statistic, "rests_on_graph", True)


def takes_unknown(statistic: Summing) -> bool:
    """Whether rounds with `UNKNOWN` values count as far as they tell something; otherwise `tally` must not get them."""
    return getattr(statistic, "takes_unknown", False)


def weighs_by_design(statistic: Summing) -> bool:
    """Whether a round's weight depends on the design that all rounds are drawn from, so that no other rounds may be added."""
    return getattr(statistic, "weighs_by_design", False)
