"""The summed regret of simulated studies: how much less their rounds earned, by true means, than the best action would have.

It is the pseudo-regret: true means in place of the rewards that were drawn, so it is exact given what was played. A round's
regret is the mean of the best action minus that of the action played; in contexts, both in the round's context; with limits,
as in `regret_within_limits`. With costs the best action is that with the largest mean per money, and a round's regret is
what its money would have brought with that action minus its mean (docs/decisions/0023-earning.md).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import SLACK, Problem
from bestdo.simulate.world import World
from bestdo.simulate.world_batch import Worlds

__all__ = ["round_regrets", "summed_regret"]


def round_regrets(world: World | Worlds) -> Floats:  # float[L or 1, C, A]
    """The regret of one round of each action in each context, in the reward's own unit; never below 0."""
    problem, sign = world.problem, world.problem.graph.rewarded.scale.sign
    gains = sign * np.nan_to_num(world.means_by_context[0])
    gains = gains.reshape(-1, len(problem.contexts), len(problem.actions))
    prices = problem.prices
    breaks = np.broadcast_to(np.reshape(world.breaks, (-1, 1, len(problem.actions))), gains.shape)
    rate = np.where(breaks, -np.inf, gains / prices).max(axis=2, keepdims=True)
    own = np.where(breaks, (gains / prices).min(axis=2, keepdims=True), gains / prices)
    return np.where(breaks.all(axis=2, keepdims=True), 0.0, (rate - own) * prices)


@dataclass
class _SummedRegret:
    """The regret summed over the rounds of each lane, and what it was when so much of the horizon was used."""

    problem: Problem
    each: Floats
    """float[L or 1, C, A]: the regret of one round."""
    chance: Floats
    """float[L or 1, C]: how often each context occurs."""
    total: Floats
    """float[L]: the sum so far."""
    used: Floats
    """float[L]: what was used of the horizon: rounds, or money where actions have costs."""
    at: Floats = field(default_factory=lambda: np.empty(0))
    """float[K]: where the sum is noted, in rounds or money, ascending."""
    noted: Floats = field(default_factory=lambda: np.empty((0, 0)))
    """float[L, K]: the sums there; the rounds of a block come in a random order, so inside a block the sum is linear."""

    def add(self, counts: Ints, context: Ints | None = None) -> None:
        """Adds rounds that are played (int[L, A]), in the context of their lane (int[L]), or in any where that is None."""
        each = (self.chance[:, :, None] * self.each).sum(axis=1) if context is None else self._in(context)
        self._add((counts * each).sum(axis=1), self.problem.price(counts))

    def _in(self, context: Ints) -> Floats:  # float[L, A]
        """The regret of one round of each action, each lane in its context."""
        lanes = np.arange(len(context)) if len(self.each) > 1 else np.zeros(len(context), np.int64)
        return np.asarray(self.each[lanes, context])

    def _add(self, regret: Floats, price: Floats) -> None:
        """Adds to the sums, and notes them where `at` lies inside the block."""
        if len(self.at):
            new = (self.at > self.used[:, None] + SLACK) & (
                self.at <= (self.used + price)[:, None] + SLACK
            )  # bool[L, K]
            lane, place = np.nonzero(new)
            part = (self.at[place] - self.used[lane]) / price[lane]
            self.noted[lane, place] = self.total[lane] + part * regret[lane]
        self.total = self.total + regret
        self.used = self.used + price

    def keep(self, horizon: float, kept: Ints) -> None:
        """Adds what is left of the horizon as rounds of the actions kept in each context (int[L, C]).

        So a learner that stops early answers for the rounds it did not play. With costs an action is played as often as it
        can be paid for.
        """
        left = np.maximum(horizon - self.used, 0.0)
        prices = self.problem.prices[kept]  # float[L, C]
        each = np.take_along_axis(np.broadcast_to(self.each, (len(kept), *self.each.shape[1:])), kept[:, :, None], 2)[
            ..., 0
        ]
        price = np.broadcast_to((self.chance * prices).sum(axis=1), left.shape)
        rounds = np.floor(left / price + SLACK)
        if rounds.any():
            self._add(rounds * (self.chance * each).sum(axis=1), rounds * price)
        if len(self.at):  # what no round can be paid for changes nothing any more
            self.noted = np.where(self.at > self.used[:, None] + SLACK, self.total[:, None], self.noted)


def summed_regret(world: World | Worlds, lanes: int, at: Floats | None = None) -> _SummedRegret:
    """The summed regret before the first round."""
    points = np.empty(0) if at is None else np.asarray(at, np.float64)
    chance = np.atleast_2d(world.means_by_context[1])
    nothing, noted = np.zeros(lanes), np.zeros((lanes, len(points)))
    return _SummedRegret(world.problem, round_regrets(world), chance, nothing, nothing, points, noted)
