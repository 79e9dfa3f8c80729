"""A statistic of the reward's parents, extended to rounds in which the value of a parent is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.bandit.recent_sums import recent
from bestdo.bandit.rounds import UNKNOWN, Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.seen import Seen

__all__ = ["MissingParents"]


@dataclass(frozen=True)
class MissingParents:
    """The cells of a statistic that needs the reward's parents, and behind them one cell for each action.

    A round in which a parent of the reward is missing adds nothing about the reward to the statistic's own cells. It
    counts in the cells of the actions that it is as good as (`Seen`), among them the one that was played.
    """

    whole: BesideSeen
    takes_unknown: ClassVar[bool] = True

    @property
    def problem(self) -> Problem:
        """The problem of the statistic."""
        return self.whole.problem

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The sums of the statistic and those of the actions, side by side."""
        problem, graph = self.problem, self.problem.graph
        assert graph.reward is not None
        causes = problem.graphs.may_cause[graph.reward]
        parents = [i for i, n in enumerate(graph.names) if n in causes and n not in graph.hidden]
        own = rounds.x[:, parents]
        known = (own >= 0) | ((problem.actions.codes[rounds.action][:, parents] >= 0) & (own != UNKNOWN))
        partial = np.flatnonzero(~known.all(axis=1))
        first, *others = self.whole.parts(rounds, lanes)
        alone = Tally.zeros(lanes, len(problem.actions))
        if len(partial):
            alone = Seen(problem, equals=True).tally(rounds.pick(partial), lanes)
        return first.beside(*others, alone)

    @recent
    def apart(self, tally: Tally) -> tuple[Tally, Tally]:
        """The two parts of a tally: the statistic's own cells, and those of the actions."""
        at = tally.weight.shape[1] - len(self.problem.actions)
        return tally.cells(slice(at)), tally.cells(slice(at, None))
