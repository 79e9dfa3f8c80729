"""The posteriors of counts by the kind of the reward: Beta for successes and worths, Student's for numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, Protocol, final

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates, from_beta, from_weights
from bestdo.bandit.tally import Tally
from bestdo.causal.reward import NumberReward, SuccessReward, WorthReward
from bestdo.learners.beliefs.action_cells import ActionCells
from bestdo.learners.beliefs.normal_posterior import normal_posterior, within
from bestdo.learners.kernels import top_two_kernels
from bestdo.statistics.strata import Strata

__all__ = ["CountPosterior", "NumberCells", "SuccessCells", "count_posterior", "normal_quantiles"]


_NOTHING = np.empty((0, 0))


@lru_cache(maxsize=1)
def normal_quantiles() -> Floats:  # float[4096]
    """4,096 equally likely quantiles of the normal distribution, scaled to variance 1."""
    from scipy.special import ndtri

    points = ndtri((np.arange(4096) + 0.5) / 4096)
    return np.asarray(points / points.std())


class CountPosterior(Protocol):
    """The posterior of the mean of each stratum of each action, as if independent."""

    @property
    def good(self) -> Floats:  # float[L, C]
        """The sum of rewards in each stratum of each action, those that the prior is worth included."""
        ...

    @property
    def rounds(self) -> Floats:  # float[L, C]
        """The number of rounds, those that the prior is worth included."""
        ...

    @property
    def weight(self) -> Floats:  # float[L, C] or float[1, C]
        """P(z), by which the strata of an action make up its mean."""
        ...

    @property
    def spread(self) -> Floats:  # float[L, C] or float[0, 0]
        """The variance of one round; nothing where it follows from the mean."""
        ...

    def draw(self, cells: ActionCells, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """Means of all actions drawn in one lane, as if they were independent."""
        ...

    def draw_by_lane(self, cells: ActionCells, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions drawn in each lane, each stratum for itself."""
        ...

    def rounds_worth(self, cells: ActionCells, mean: Floats, spread: Floats) -> Floats:  # float[L, A]
        """The rounds of an action alone that would leave its mean with this variance (`spread`, float[L, A])."""
        ...

    def pairs(
        self, cells: ActionCells, among: Ints, part: Floats, k: int, rng: np.random.Generator
    ) -> tuple[Ints, Ints]:  # int[L, K] twice
        """The places of the best and the second best of some actions in k draws; every other has this part of the spread."""
        ...

    def estimates(self, cells: ActionCells, tally: Tally, played: Floats) -> Estimates:
        """Posterior means, with intervals and P(best) by this posterior; no interval is shorter than counts alone allow."""
        ...


@final
class SuccessCells(NamedTuple):
    """A Beta posterior in each stratum, of successes or of worths between 0 and 1."""

    good: Floats
    rounds: Floats
    weight: Floats

    @property
    def spread(self) -> Floats:  # float[0, 0]
        """Nothing: the variance of one round follows from the mean."""
        return _NOTHING

    def of_actions(self, cells: ActionCells) -> tuple[Floats, Floats]:  # float[L, A] twice
        """Successes and rounds of a Beta with the mean and the variance of each action's posterior."""
        good, rounds, weight = self
        if good.shape[1] == len(cells.problem.actions):
            return good, rounds
        mean = cells.summed(weight * good / rounds)
        spread = cells.summed(weight**2 * good * (rounds - good) / rounds**2 / (rounds + 1))
        worth = mean * (1 - mean) / spread - 1
        return mean * worth, worth

    def draw(self, cells: ActionCells, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """Means by a Beta of each action."""
        good, rounds = self.of_actions(cells)
        return rng.beta(good[lane], (rounds - good)[lane], (draws, good.shape[1]))

    def draw_by_lane(self, cells: ActionCells, rng: np.random.Generator) -> Floats:  # float[L, A]
        """Means by a Beta of each stratum."""
        return cells.summed(self.weight * rng.beta(self.good, self.rounds - self.good))

    def rounds_worth(self, cells: ActionCells, mean: Floats, spread: Floats) -> Floats:  # float[L, A]
        """Rounds by the variance of a Beta with this mean."""
        return np.asarray(mean * (1 - mean) / np.maximum(spread, 1e-12) - 1)

    def pairs(
        self, cells: ActionCells, among: Ints, part: Floats, k: int, rng: np.random.Generator
    ) -> tuple[Ints, Ints]:  # int[L, K] twice
        """Places by draws on the scale of angles."""
        good, rounds = (each[:, among] for each in self.of_actions(cells))
        leader, challenger = np.empty((len(good), k), np.int64), np.empty((len(good), k), np.int64)
        seed = int(rng.integers(0, 2**64, dtype=np.uint64))
        top_two_kernels.top_pairs(good, rounds, part, normal_quantiles(), seed, leader, challenger)
        return leader, challenger

    def estimates(self, cells: ActionCells, tally: Tally, played: Floats) -> Estimates:
        """Intervals of a Beta, none of them shorter than Wilson's."""
        found = from_beta(*self.of_actions(cells), played, played)
        counts = cells.plain_estimates(self.weight, tally, played)
        low, high = np.minimum(found.low, counts.low), np.maximum(found.high, counts.high)
        mean = cells.summed(self.weight * self.good / self.rounds)
        return found._replace(mean=mean, low=low, high=high, seen=counts.seen)


@final
class NumberCells(NamedTuple):
    """Student's posterior in each stratum, with a spread learned from all strata of all actions."""

    good: Floats
    rounds: Floats
    weight: Floats
    spread: Floats
    degrees: Floats
    """float[L, C]: the degrees of freedom of the variance of one round."""

    def of_actions(self, cells: ActionCells) -> tuple[Floats, Floats, Floats]:  # float[L, A] each
        """Mean, variance and degrees of freedom of the posterior of each action."""
        total, rounds, weight, variance, degrees = self
        many = degrees.shape[1] != len(cells.problem.actions)
        least = np.minimum.reduceat(degrees, cells.start[:-1], axis=1) if many else degrees
        return cells.summed(weight * total / rounds), cells.summed(weight**2 * variance / rounds), least

    def draw(self, cells: ActionCells, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """Means by Student's distribution of each action."""
        mean, variance, degrees = (part[lane] for part in self.of_actions(cells))
        return np.asarray(mean + np.sqrt(variance) * rng.standard_t(degrees, (draws, len(mean))))

    def draw_by_lane(self, cells: ActionCells, rng: np.random.Generator) -> Floats:  # float[L, A]
        """Means by Student's distribution of each stratum."""
        error = np.sqrt(self.spread / self.rounds)
        return cells.summed(self.weight * (self.good / self.rounds + error * rng.standard_t(self.degrees)))

    def rounds_worth(self, cells: ActionCells, mean: Floats, spread: Floats) -> Floats:  # float[L, A]
        """Rounds by the variance of one round."""
        return cells.summed(self.weight * self.spread) / np.maximum(spread, 1e-300)

    def pairs(
        self, cells: ActionCells, among: Ints, part: Floats, k: int, rng: np.random.Generator
    ) -> tuple[Ints, Ints]:  # int[L, K] twice
        """Places by draws of normal means."""
        mean, variance, degrees = (each[:, among] for each in self.of_actions(cells))
        wide = np.sqrt(variance * (degrees + 1) / np.maximum(degrees - 1, 1))  # tails of Student's distribution
        leader, challenger = np.empty((len(mean), k), np.int64), np.empty((len(mean), k), np.int64)
        seed = int(rng.integers(0, 2**64, dtype=np.uint64))
        mean, wide = np.ascontiguousarray(mean), np.ascontiguousarray(wide)
        top_two_kernels.top_normal_pairs(mean, wide, part, normal_quantiles(), seed, leader, challenger)
        return leader, challenger

    def estimates(self, cells: ActionCells, tally: Tally, played: Floats) -> Estimates:
        """Student's intervals, none of them shorter than counts without the prior allow.

        A stratum that was never seen is taken to be as far from the others as one round is from another.
        """
        graph, own = cells.problem.graph, tally.cells(slice(int(cells.start[-1])))
        mean, variance, degrees = self.of_actions(cells)
        n, weight = own.weight, self.weight
        each = np.where(n > 0, own.reward / np.maximum(n, 1), self.good / self.rounds)
        plain = cells.summed(weight * each)
        of_plain = cells.summed(weight**2 * self.spread / np.maximum(n, 1))
        if isinstance(cells.statistic, Strata):  # between strata: P(z) is not known either
            apart = cells.summed(weight * each**2) - plain**2
            of_plain = of_plain + apart / (1 + cells.rounds_of_strata(tally))
        seen, nothing = cells.summed(n), np.zeros(mean.shape)
        plain = np.where(seen > 0, plain, np.nan)
        counts = from_weights(plain, of_plain, nothing, played, seen, graph, degrees)
        found = from_weights(mean, variance, nothing, played, counts.seen, graph, degrees)
        low, high = np.minimum(found.low, counts.low), np.maximum(found.high, counts.high)
        return within(found._replace(low=low, high=high), graph, own)


def _of_successes(
    tally: Tally, cells: ActionCells, strength: Floats, weight: Floats, uniform: bool, played: Floats
) -> SuccessCells:
    every = int(cells.start[-1])
    s, n = tally.reward[:, :every], tally.weight[:, :every]
    centre = (s.sum(axis=1, keepdims=True) + 1) / (n.sum(axis=1, keepdims=True) + 2)
    if uniform:
        strength, centre = 2 * weight, np.full((1, 1), 0.5)
    return SuccessCells(s + strength * centre, n + strength, weight)


def _of_numbers(
    tally: Tally, cells: ActionCells, strength: Floats, weight: Floats, uniform: bool, played: Floats
) -> NumberCells:
    own = tally.cells(slice(int(cells.start[-1])))
    distinct = np.maximum(own.weight.max(axis=1), played.sum(axis=1))
    total, rounds, variance, degrees = normal_posterior(own, strength, cells.problem.graph, distinct)
    return NumberCells(total, rounds, weight, variance, degrees)


_Made = Callable[[Tally, ActionCells, Floats, Floats, bool, Floats], CountPosterior]
_KINDS: dict[type, _Made] = {SuccessReward: _of_successes, WorthReward: _of_successes, NumberReward: _of_numbers}


def count_posterior(
    tally: Tally, cells: ActionCells, strength: Floats, weight: Floats, uniform: bool, played: Floats
) -> CountPosterior:
    """The posterior of counts with a prior worth `strength` rounds in each stratum, of the kind of the reward.

    `weight` is P(z) of each stratum. With `uniform`, the prior of successes is one success and one failure for each action.
    """
    return _KINDS[type(cells.problem.graph.rewarded)](tally, cells, strength, weight, uniform, played)
