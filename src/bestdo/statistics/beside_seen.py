"""The sums of a statistic, and beside them how often each action was seen or played."""

from __future__ import annotations

from dataclasses import dataclass

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.candidate_tables import CandidateTables
from bestdo.statistics.column_sums import ColumnSums
from bestdo.statistics.seen import Seen
from bestdo.statistics.states import States
from bestdo.statistics.tables import Tables

__all__ = ["BesideSeen"]


@dataclass(frozen=True)
class BesideSeen:
    """The cells of a statistic, and behind them one cell for each action; equal actions have their rounds in common."""

    own: States | Tables | CandidateTables | ColumnSums

    @property
    def problem(self) -> Problem:
        """The problem of the statistic."""
        return self.own.problem

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums of the statistic and those of the actions, side by side."""
        first, *others = self.parts(rounds, lanes)
        return first.beside(*others)

    def parts(self, rounds: Rounds, lanes: int) -> tuple[Tally, ...]:
        """The sums that stand side by side."""
        own = self.own.parts(rounds, lanes) if isinstance(self.own, ColumnSums) else (self.own.tally(rounds, lanes),)
        return *own, Seen(self.problem, equals=True).tally(rounds, lanes)

    def apart(self, tally: Tally) -> tuple[Tally, Tally]:
        """The two parts of a tally: the statistic's own cells, and those of the actions."""
        at = tally.weight.shape[1] - len(self.problem.actions)
        return tally.cells(slice(at)), tally.cells(slice(at, None))
