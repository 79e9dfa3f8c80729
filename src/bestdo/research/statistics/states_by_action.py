"""Counts of the states of the reward's parents under each action, for estimators that weigh a round by both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.states import States

__all__ = ["StatesByAction"]


@dataclass(frozen=True)
class StatesByAction:
    """The cells of `States` for each action by itself: action × states + state."""

    problem: Problem

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Counts of each state under each action, and its rewards."""
        actions = len(self.problem.actions)
        apart = rounds._replace(lane=rounds.lane * actions + rounds.action)
        by_action = States(self.problem).tally(apart, lanes * actions)
        return Tally.each(lambda part: np.ascontiguousarray(part).reshape(lanes, -1), by_action)
