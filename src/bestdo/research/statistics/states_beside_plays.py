"""Counts of the states of the reward's parents, and beside them the plays of each action."""

from __future__ import annotations

from dataclasses import dataclass

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.played import Played
from bestdo.statistics.states import States

__all__ = ["StatesBesidePlays"]


@dataclass(frozen=True)
class StatesBesidePlays:
    """The cells of `States`, one for each state of the reward's parents, and behind them those of `Played`."""

    problem: Problem

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums of the states and those of the actions, side by side."""
        return States(self.problem).tally(rounds, lanes).beside(Played(self.problem).tally(rounds, lanes))

    def apart(self, tally: Tally) -> tuple[Tally, Tally]:
        """The two parts of a tally: the sums of the states, and those of the actions."""
        at = tally.weight.shape[1] - len(self.problem.actions)
        return tally.cells(slice(at)), tally.cells(slice(at, None))
