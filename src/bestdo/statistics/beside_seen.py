"""The sums of a statistic, and beside them how often each action was seen or played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.seen import Seen
from bestdo.statistics.states import States
from bestdo.statistics.tables import Tables

__all__ = ["BesideSeen"]


@dataclass(frozen=True)
class BesideSeen:
    """The cells of a statistic, and behind them one cell for each action, as `Seen` counts it."""

    own: States | Tables

    @property
    def problem(self) -> Problem:
        """The problem of the statistic."""
        return self.own.problem

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums of the statistic and those of the actions, side by side."""
        own, seen = self.own.tally(rounds, lanes), Seen(self.problem).tally(rounds, lanes)
        return Tally.from_counts(
            np.concatenate([own.weight, seen.weight], axis=1), np.concatenate([own.reward, seen.reward], axis=1)
        )

    def apart(self, tally: Tally) -> tuple[Tally, Tally]:
        """The two parts of a tally: the statistic's own cells, and those of the actions."""
        at = tally.weight.shape[1] - len(self.problem.actions)
        return (
            Tally.from_counts(tally.weight[:, :at], tally.reward[:, :at]),
            Tally.from_counts(tally.weight[:, at:], tally.reward[:, at:]),
        )
