"""The sums of games with contexts: those of pairs of a context and an action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bestdo.arrays import Bools
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import UNKNOWN, Rounds, concatenate
from bestdo.bandit.statistic import Summing, rests_on_graph, takes_unknown
from bestdo.bandit.tally import Tally
from bestdo.learners.beliefs.limit_belief import LimitSums
from bestdo.learners.limits_kept import Keeping
from bestdo.statistics.summing import count_cells

__all__ = [
    "ByPair",
]


class _PairSums(NamedTuple):
    """The sums of a learner on pairs of a context and an action, those of the limited outcomes, and plays of each pair."""

    own: Any
    limits: LimitSums
    plays: Tally
    """[L, C × A]: the rounds of each pair."""


@dataclass(frozen=True, eq=False)
class ByPair:
    """A statistic of pairs of context and action: the learner's sums, those of the limits, and the rounds of each pair.

    Rounds in which a part of the context is missing count where the learner's statistic takes them: in the tables of all
    variables that were seen with their causes. They are no plays of a pair.
    """

    own: Summing
    problem: Problem
    keeping: Keeping
    """The limits that every pair has to keep."""

    @property
    def rests_on_graph(self) -> bool:
        """Whether the learner's own sums rest on the graph."""
        return rests_on_graph(self.own)

    def tally(self, rounds: Rounds, lanes: int) -> _PairSums:
        """The sums of the learner and of the limited outcomes, and how often each pair was played."""
        context, actions = self.problem.contexts.numbers(rounds.x), len(self.problem.actions)
        whole = np.flatnonzero(context >= 0)
        known = rounds.pick(whole)
        known = known._replace(action=context[whole] * actions + known.action)
        pairs = len(self.problem.contexts) * actions
        plays = count_cells(known.lane * pairs + known.action, known, lanes, pairs)
        every = known if len(whole) == len(context) else concatenate([known, self._partial(rounds, context < 0)])
        own = self.own.tally(every if takes_unknown(self.own) else known, lanes)
        return _PairSums(own, self.keeping.tally(self.own, every, lanes), plays)

    def _partial(self, rounds: Rounds, which: Bools) -> Rounds:
        """The rounds in contexts that are known in part, each as one of a pair with the first context that agrees."""
        some, contexts = rounds.pick(np.flatnonzero(which)), self.problem.contexts
        columns = [self.problem.graph.names.index(name) for name in contexts.names]
        x = some.x.astype(np.int64)
        action = contexts.numbers(np.maximum(x, 0)) * len(self.problem.actions) + some.action
        x[:, columns] = np.where(x[:, columns] < 0, UNKNOWN, x[:, columns])
        return some._replace(x=x, action=action)
