"""Causal Thompson sampling: plays the best action of a joint draw of all means from what causal top-two believes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.traits import Traits
from bestdo.learners.beliefs.belief import Belief
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.learners.beliefs.weighed import weighed
from bestdo.learners.causal_top_two import of_rounds, paid_for, start_believing
from bestdo.learners.count_state import Counts, add_block, rounded
from bestdo.memory_cache import memory_cache

__all__ = ["CausalThompson"]


_DIGITS = 12
"""Decimals to which draws are compared: means that are equal in a draw differ by rounding errors only."""


@memory_cache
def _belief(problem: Problem, law: bool) -> Belief:
    """The belief of causal top-two; from counts, with a uniform prior of each action."""
    belief = of_rounds(problem if law else replace(problem, law=None))
    return weighed(replace(belief, plain=True, uniform=True) if isinstance(belief, CountBelief) else belief)


@dataclass(frozen=True)
class CausalThompson:
    """Causal Thompson sampling: plays the best action of a joint draw of all means from the beliefs of causal top-two.

    As Thompson (1933), but every round teaches about all actions that the graph lets it tell about: tables of the reward and
    its causes, the law of the reward's parents where it is known, or counts of what was seen and played, where causes are
    hidden. With costs it plays the action with the largest mean per money in the draw (Xia et al. 2015). It recommends the
    action with the best posterior mean.
    """

    block: int = 1
    """The number of rounds that are out at once, each by a draw of its own."""
    law: bool = True
    """Whether the law of the reward's parents is used where it is known, or the graph alone."""

    tell = staticmethod(add_block)

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The statistic of the belief."""
        return _belief(problem, self.law).statistic

    def counted(self, state: Counts) -> Floats:  # float[L, A]
        """The rounds that are as good as a round of each action by the graph, its plays included."""
        return _belief(state.problem, self.law).counted(state.tally)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
        """The state before the first round."""
        return start_believing(_belief(problem, self.law), problem, horizon, lanes, rng)

    @property
    def traits(self) -> Traits:
        """Draws among the actions that are allowed and in the race."""
        return Traits(any_time=True, chooses=True, races=True, believes=True, reasons=True, block=self.block)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds, each the best of a draw among the actions that are allowed and in the race."""
        state = paid_for(state, request.out)
        prices, money = state.problem.prices, state.money
        among = request.mask & state.problem.contenders
        plan, lanes = np.zeros(state.played.shape, np.int64), np.arange(len(state.played))
        for k in range(self.block):
            can = request.race() & among & (prices <= money[:, None] + SLACK)
            playing = can.any(axis=1)
            if not playing.any():
                break
            drawn = np.where(can, self._drawn(state, rng), -np.inf)
            chosen = argmax(drawn, state.ties, state.block * self.block + k, all_compete=True)
            plan[lanes, chosen] += playing
            money = money - playing * prices[chosen]
        return Plan(plan) if plan.any() else None

    def _drawn(self, state: Counts, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A joint draw of all means in each lane; per money where rounds have costs. Rounding errors break no ties."""
        problem = state.problem
        drawn = _belief(problem, self.law).draw_by_lane(state.tally, state.played, rng)
        return rounded(problem.price_list.rates(drawn, problem.graph), _DIGITS, problem)

    def reason(self, state: Counts, action: int) -> str:
        """The action was the best of a draw."""
        return f"the best{state.problem.unit.per} in a draw from what all rounds say of each action"

    def shares_all(self, state: Counts) -> bool:
        """Whether every round teaches about every action, by tables; otherwise means are drawn as if independent."""
        return _belief(state.problem, self.law).shares_all

    def draws(self, state: Counts, lane: int, draws: int) -> Floats:  # float[D, A]
        """Joint draws of all means in one lane, the same for the same sums."""
        return _belief(state.problem, self.law).drawn(state.tally, state.played, lane, draws)

    def means(self, state: Counts) -> Floats:  # float[L, A]
        """The posterior means."""
        return _belief(state.problem, self.law).mean(state.tally, state.played)

    def best(self, state: Counts) -> Ints:  # int[L]
        """The action with the best posterior mean."""
        return argmax(self.means(state), state.ties, state.block)

    def estimates(self, state: Counts) -> Estimates:
        """The estimates of the belief."""
        found = _belief(state.problem, self.law).estimates(state.tally, state.played)
        return found._replace(contenders=state.problem.contenders)
