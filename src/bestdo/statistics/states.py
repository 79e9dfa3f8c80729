"""Counts of the states of the reward's parents, for estimators and beliefs that know the parents' law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.bandit.problem import Problem, require_law
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.statistics.summing import count_cells

__all__ = ["States"]


@dataclass(frozen=True)
class States:
    """Counts of each state of the reward's parents, and the successes among them, for the plug-in estimator.

    Given the state of its parents the reward has the same law under every action, so rounds of all actions add. Cells are
    the states in the order of the law's table. Needs `problem.law` as an explicit table.
    """

    problem: Problem
    by_value: bool = False
    """Whether each value of the reward is counted by itself, in a cell of its own: state × values + value."""

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """Counts of each state, and its rewards."""
        law = require_law(self.problem, "the plug-in estimator")
        sizes = [self.problem.graph.size(p) for p in law.parents]
        place = {n: i for i, n in enumerate(self.problem.graph.names)}
        columns = [place[p] for p in law.parents]
        whole = rounds.pick(np.flatnonzero((rounds.x[:, columns] >= 0).all(axis=1)))
        states = int(np.prod(sizes))
        state = np.ravel_multi_index(tuple(whole.x[:, columns].T), sizes)
        if self.by_value:
            reward = str(self.problem.graph.reward)
            values = self.problem.graph.size(reward)
            state, states = state * values + whole.x[:, place[reward]], states * values
        cell = whole.lane * states + state
        return count_cells(cell, whole, lanes, states)
