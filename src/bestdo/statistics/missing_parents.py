"""Sums of rounds in which not every cause of the reward is known, beside the sums of those in which all are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.seen import Seen
from bestdo.statistics.states import States
from bestdo.statistics.tables import Tables

__all__ = ["MissingParents"]


@dataclass(frozen=True)
class MissingParents:
    """The cells of a statistic that needs the reward's parents, and behind them one for each action.

    Of a round in which a parent of the reward is missing the statistic says nothing about the reward. It counts there
    towards every action that it is as good as (`Seen`): the one that was played is among these.
    """

    whole: States | Tables

    @property
    def problem(self) -> Problem:
        """That of the statistic."""
        return self.whole.problem

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Both sums side by side."""
        problem, graph = self.problem, self.problem.graph
        assert graph.reward is not None
        parents = [graph.names.index(n) for n in graph.parents[graph.reward]]
        known = (rounds.x[:, parents] >= 0) | (problem.actions.codes[rounds.action][:, parents] >= 0)
        partial = np.flatnonzero(~known.all(axis=1))
        whole = self.whole.tally(rounds, lanes)
        alone = Tally.zeros(lanes, len(problem.actions))
        if len(partial):
            alone = Seen(problem).tally(rounds.pick(partial), lanes)
        return Tally.counted(
            np.concatenate([whole.weight, alone.weight], axis=1), np.concatenate([whole.reward, alone.reward], axis=1)
        )

    def apart(self, tally: Tally) -> tuple[Tally, Tally]:
        """The statistic's own cells, and those of the actions."""
        at = tally.weight.shape[1] - len(self.problem.actions)
        return (
            Tally.counted(tally.weight[:, :at], tally.reward[:, :at]),
            Tally.counted(tally.weight[:, at:], tally.reward[:, at:]),
        )
