"""A game whose answer is one action: nothing is seen before the action is chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.answer import rule_of_one
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner, Ties, able, certainty, reason, traits, with_old
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.rule import Rule
from bestdo.bandit.statistic import Summing
from bestdo.learners.known_so_far import Found, known_of
from bestdo.learners.limits_kept import Asked, Keeping, Kept, Tied, in_one_context, keeping_of, refuse_unable
from bestdo.learners.playable import ask_playable

__all__ = ["ActionGame", "ActionState"]


class ActionState(NamedTuple):
    """The state of a game whose answer is one action."""

    own: Any
    """The state of the learner."""
    kept: Kept
    """The sums of the limited outcomes."""
    ties: Ties | None
    """The order of equal actions, where limits decide which is recommended."""
    block: int
    """How many blocks have been told."""


@dataclass(frozen=True)
class ActionGame:
    """A learner on a problem in which nothing is seen first; see `bestdo.learners.game.Game`.

    Where there are limits, the best of the actions that keep them all with the probability asked for is recommended; without
    any, the game is the learner itself, random numbers included.
    """

    problem: Problem
    learner: Learner[Any]

    @cached_property
    def keeping(self) -> Keeping:
        """The way in which the limits are kept."""
        return keeping_of(in_one_context(self.problem))

    @property
    def any_time(self) -> bool:
        """Whether the learner can be asked at any time: nothing is expected of the limits of rounds that are out."""
        return traits(self.learner).any_time

    @property
    def bare(self) -> bool:
        """Whether there are no limits, and every action may be played."""
        return not self.problem.limits and not self.problem.retired

    def around(self, own: Any) -> ActionState:
        """The state of a bare game whose learner has this state."""
        return ActionState(own, Kept(), None, 0)

    def with_old(self, rounds: float) -> ActionGame:
        """The game with the learner for a given number of old rounds."""
        return replace(self, learner=with_old(self.learner, rounds))

    def _own(self, horizon: float) -> Summing:
        return self.learner.statistic(self.keeping.played, horizon)

    def statistic(self, horizon: float) -> Summing:
        """The sums of the learner and of the limited outcomes."""
        return self.keeping.beside(self._own(horizon))

    def start(self, horizon: float, lanes: int, rng: np.random.Generator) -> ActionState:
        """The state before the first round."""
        refuse_unable(self.problem, self.learner)
        keeping = self.keeping
        sums = self._own(horizon)
        own = self.learner.start(keeping.played, horizon, lanes, rng)
        return ActionState(own, keeping.start(sums, lanes), keeping.ties(lanes, rng), 0)

    def ask(self, state: ActionState, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the learner, in whose draws only actions that keep all limits are in the race."""
        asked = self.keeping.request(request, state.kept, Asked(self.learner, state.own), rng)
        return ask_playable(self.learner, self.keeping.played, state.own, asked, rng)

    def tell(self, state: ActionState, plan: Plan, sums: Any) -> ActionState:
        """The state after a block."""
        keeping, (own, kept, ties, block) = self.keeping, state
        new, limits = keeping.apart(sums)
        return ActionState(self.learner.tell(own, plan, new), keeping.tell(kept, limits), ties, block + 1)

    def recommended(self, state: ActionState) -> tuple[Ints, Bools]:  # int[L, 1] and bool[L, 1]
        """The action that is recommended, and whether it keeps all limits with the probability asked for."""
        tied = Tied(state.ties, state.block)
        best, within = self.keeping.recommended(self.learner, state.own, state.kept, tied)
        return best[:, None], within[:, None]

    def best(self, state: ActionState) -> Ints:  # int[L]
        """The action that is recommended."""
        return self.recommended(state)[0][:, 0]

    def estimates(self, state: ActionState) -> Estimates:
        """The estimates of the learner, with the probability that each action keeps all limits."""
        return self.keeping.estimates(self.learner.estimates(state.own), state.kept)

    def keeps(self, state: ActionState) -> Floats:  # float[L or 1, 1, A]
        """The probability that each action keeps all limits."""
        return self.keeping.keeps(state.kept)[:, None]

    def rule(self, state: ActionState, found: Estimates) -> Rule:
        """The recommended action, which the estimates name, in the one context that there is."""
        return rule_of_one(self.problem, found)

    def by_pair(self, state: ActionState, found: Estimates) -> Estimates:
        """The estimates of all actions."""
        return found

    def counted(self, state: ActionState, found: Estimates) -> Floats:  # float[L, A]
        """The rounds that are as good as a round of each action by the graph."""
        return able(self.learner).counted(state.own) if traits(self.learner).believes else found.seen

    def reason(self, state: ActionState, action: int, where: Bools) -> str:
        """The reason of the learner."""
        return self.keeping.reason(reason(self.learner, state.own, action), self.learner)

    def known(self, state: ActionState, action: int, where: Bools, found: Callable[[], Found]) -> str:
        """The knowledge about an action, beside the one that is recommended."""
        return known_of(self.problem, found(), action)

    def certainty(self, state: ActionState) -> str:
        """A sentence that says how sure a learner that stops by itself is; empty for other learners."""
        return certainty(self.learner, state.own)
