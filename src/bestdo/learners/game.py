"""The game: a problem and a learner, with the problem's contexts and limits, and when the learner stops.

Studies and simulations are its two drivers, and know nothing else of learners.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.rule import Rule
from bestdo.bandit.statistic import Summing
from bestdo.learners.action_game import ActionGame
from bestdo.learners.known_so_far import Found
from bestdo.learners.older_learners import current
from bestdo.learners.rule_game import rule_game

__all__ = ["Game", "game_of"]


class Game(Protocol):
    """A learner in play. L are lanes, C contexts (at least one), A actions, and K = C × A pairs of them.

    The state has the state of the learner as `own`.
    """

    @property
    def problem(self) -> Problem:
        """The problem that is played."""

    @property
    def learner(self) -> Learner[Any]:
        """The learner as it was chosen."""

    @property
    def any_time(self) -> bool:
        """Whether it can be asked, and told, while results are still to come."""

    @property
    def bare(self) -> bool:
        """Whether it adds nothing to its learner: nothing is seen first, and there are no limits."""

    def around(self, own: Any) -> Any:
        """The state of a bare game whose learner has this state."""

    def with_old(self, rounds: float) -> Game:
        """The game for a given number of old rounds of do()."""

    def statistic(self, horizon: float) -> Summing:
        """The sums over rounds that it is told."""

    def start(self, horizon: float, lanes: int, rng: np.random.Generator) -> Any:
        """The state before the first round; raises NotValid where the learner is not for the problem."""

    def ask(self, state: Any, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next block, as `Learner.ask`; `request` is of pairs."""

    def tell(self, state: Any, plan: Plan, sums: Any) -> Any:
        """The state after a block, as `Learner.tell`."""

    def best(self, state: Any) -> Ints:  # int[L]
        """The best single action for everybody."""

    def recommended(self, state: Any) -> tuple[Ints, Bools]:  # int[L, C] and bool[L, C]
        """The action that is kept in each context, and whether it keeps all limits with the probability asked for."""

    def estimates(self, state: Any) -> Estimates:
        """The estimates of each action for everybody, [L, A]."""

    def keeps(self, state: Any) -> Floats:  # float[L or 1, C, A]
        """The probability that each action keeps all limits in each context; 1 where there are none."""

    def rule(self, state: Any, found: Estimates) -> Rule:
        """The rule of the first lane, given the estimates, which name the best single action."""

    def by_pair(self, state: Any, found: Estimates) -> Estimates:
        """The estimates of all pairs, [L, K], given those of all actions."""

    def counted(self, state: Any, found: Estimates) -> Floats:  # float[L, K]
        """The rounds that are as good as a round of each pair by the graph, its plays included; given `by_pair`.

        Where rounds teach about other actions through tables, `seen` of the estimates is what all rounds are worth together,
        and no number of rounds.
        """

    def reason(self, state: Any, action: int, where: Bools) -> str:
        """The reason why an action is played in one of some contexts (bool[C]), as half a sentence; perhaps empty."""

    def known(self, state: Any, action: int, where: Bools, found: Callable[[], Found]) -> str:
        """The knowledge about an action in some contexts (bool[C]), beside the one that is recommended there.

        `found` gives the estimates in the state, where they are needed.
        """

    def certainty(self, state: Any) -> str:
        """A sentence that says how sure it is, where it stops by itself; else empty."""


def game_of(learner: Learner[Any], problem: Problem) -> Game:
    """The game of a learner on a problem; raises NotValid where it cannot choose by context, and has to."""
    return rule_game(problem, learner) if problem.first else ActionGame(problem, current(learner))
