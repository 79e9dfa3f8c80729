"""Posteriors of a limited outcome under each action from the rounds that count for it, and from nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.bandit.tally import Tally
from bestdo.causal.reward import NumberReward, SuccessReward
from bestdo.learners.beliefs.action_cells import ActionCells
from bestdo.learners.beliefs.belief import DRAWS
from bestdo.learners.beliefs.count_belief import CountBelief
from bestdo.learners.beliefs.odds_of_bound import chance_odds, mean_odds
from bestdo.learners.beliefs.shared_prior import chance_below, chance_draws, chance_worth, mean_below, mean_draws
from bestdo.learners.families import OwnMeans, own_means
from bestdo.learners.families.student_means import StudentMeans
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen
from bestdo.statistics.strata import Strata

__all__ = ["ByCounts", "ChanceByCounts", "MeanByCounts", "by_counts"]


_SHARED = 3.0
"""How many rounds one of an action's own rounds counts for at most, where other actions show the same: what was not tried
keeps no limit. Without an event among 20 doses one is said to keep a limit of 5 % after half as many rounds as with 1."""
_PRIOR = 4.0
"""The rounds that the prior of a mean is worth, which lies at the bound: few rounds that agree by luck are not believed.
Tried: 0, 4 and 10. Of what was said with 0.8 to 0.9, 0.82, 0.94 and 0.95 was true (standard errors 0.03 to 0.06)."""


@dataclass(frozen=True)
class _Counts:
    """The rounds that count for each action: in one cell, or in one for each stratum of what has to be adjusted for."""

    statistic: Seen | Played | Strata

    @cached_property
    def several(self) -> bool:
        """Whether some action has several cells."""
        return isinstance(self.statistic, Strata) and bool(self.statistic.layout.sets)

    def weight(self, tally: Tally, rng: np.random.Generator | None = None) -> Floats:  # float[L or 1, C]
        """The share of the stratum of each cell; drawn from its posterior, where there is a generator."""
        if isinstance(self.statistic, Strata):
            return CountBelief(self.statistic.problem, self.statistic).weight_of_strata(tally, rng)
        return np.ones((1, len(self.statistic.problem.actions)))

    def summed(self, values: Floats) -> Floats:  # float[L, A]
        """The sums over the cells of each action."""
        if isinstance(self.statistic, Strata):
            return ActionCells(self.statistic.problem, self.statistic).summed(values)
        return values

    def of_cells(self, tally: Tally, weight: Floats) -> Tally:
        """The sums of the cells of actions."""
        return tally.cells(slice(weight.shape[1]))

    @cached_property
    def shows(self) -> NDArray[np.bool_]:  # bool[A, A]
        """Whether a round of each action (first axis) can count for another one (second)."""
        if isinstance(self.statistic, Played):
            return np.eye(len(self.statistic.problem.actions), dtype=bool)
        return self.statistic.layout.shows if isinstance(self.statistic, Strata) else self.statistic.seen_by

    @cached_property
    def _groups(self) -> NDArray[np.bool_]:  # bool[G, A]
        """The groups of actions no two of which a round can count for: those that set the same variables to other values."""
        actions = self.statistic.problem.actions
        if self.shows.sum() == len(actions):  # by plays alone
            return np.ones((1, len(actions)), bool)
        names = [frozenset(action) for action in actions]
        return np.array([[other == each for other in names] for each in dict.fromkeys(names)])

    def least_rounds(self, n: Floats) -> Floats:  # float[L]
        """The least number of rounds, where n (float[L, A]) count for each action."""
        return np.asarray((n @ self._groups.T).max(axis=1))


@dataclass(frozen=True)
class ChanceByCounts:
    """A uniform prior for the chance of the value under each action, and counts: so Beta(1 + with it, 1 + without it).

    The prior shares nothing between actions: what was not tried is not taken to keep a limit because others do. Where
    something has to be adjusted for, it is worth two rounds of the action in all, divided among strata by how often each
    occurs.
    """

    statistic: Seen | Played | Strata

    @cached_property
    def _counts(self) -> _Counts:
        return _Counts(self.statistic)

    @property
    def shows(self) -> NDArray[np.bool_]:  # bool[A, A]
        """Whether a round of each action (first axis) can count for another one (second)."""
        return self._counts.shows

    def _beta(self, tally: Tally) -> tuple[Floats, Floats, Floats]:  # float[L, C] each
        """The parameters of the posterior in each cell, and how often its stratum occurs."""
        weight = self._counts.weight(tally)
        cells = self._counts.of_cells(tally, weight)
        return weight + cells.reward, weight + cells.weight - cells.reward, weight

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A draw of each action's chance in each lane, and of the share of each stratum."""
        good, bad, _ = self._beta(tally)
        chance = rng.beta(good, bad)
        return self._counts.summed(self._counts.weight(tally, rng) * chance)

    def within(self, tally: Tally, bound: float, at_most: bool) -> Floats:  # float[L, A]
        """The probability of a chance at most the bound, or at least, by the rounds of an action and what they are worth.

        Where an action kept the limit in its own rounds, and the rounds of all actions are worth more for it than these, to
        one who takes chances to be alike as far as rounds show it, so many rounds are told to a uniform prior: at most all
        rounds, and `_SHARED` for each of its own. The larger of both probabilities counts.
        """
        from scipy.special import betainc

        n, s = self._as_rounds(tally)
        most = self._counts.least_rounds(n)
        mean, worth = chance_worth(n, s, most)
        worth = np.minimum(worth, np.minimum(_SHARED * n, most[:, None]))
        own, shared = self._below(tally, bound), betainc(1 + worth * mean, 1 + worth * (1 - mean), bound)
        own, shared = (own, shared) if at_most else (1 - own, 1 - shared)
        kept = s <= bound * n if at_most else s >= bound * n
        return np.where(kept, np.maximum(own, shared), own)

    def _below(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The distribution functions of the posteriors; with strata the share of draws, the same for the same sums."""
        from scipy.special import betainc

        if not self._counts.several:
            good, bad, _ = self._beta(tally)
            return np.asarray(betainc(good, bad, bound))
        lanes = (tally.lanes(np.full(DRAWS, lane)) for lane in range(len(tally.weight)))
        return np.array([(self.draw(one, np.random.default_rng(0)) <= bound).mean(axis=0) for one in lanes])

    def rounds(self, tally: Tally) -> Floats:  # float[L, A]
        """The rounds that count for each action."""
        return self._as_rounds(tally)[0]

    def odds(self, tally: Tally, bound: float, below: bool) -> Floats:  # float[L, A]
        """The factor by which rounds speak for a chance below the bound, or above it, against one at the bound."""
        n, s = self._as_rounds(tally)
        return chance_odds(n, s, bound, below)

    def below_with_others(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The probability to be at most the bound, under a prior that all actions share."""
        n, s = self._as_rounds(tally)
        return chance_below(n, s, bound, self._counts.least_rounds(n))

    def draws_with_others(self, tally: Tally, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """Joint draws of the chances of one lane under that prior."""
        n, s = self._as_rounds(tally)
        return chance_draws(n[0], s[0], float(self._counts.least_rounds(n)[0]), draws, rng)

    def _as_rounds(self, tally: Tally) -> tuple[Floats, Floats]:  # float[L, A] each
        """The rounds that count for each action, and those with the value.

        With strata as many as make a Beta posterior of the mean and the variance of its own.
        """
        good, bad, weight = self._beta(tally)
        each, total = good / (good + bad), good + bad
        mean = self._counts.summed(weight * each)
        variance = self._counts.summed(weight**2 * each * (1 - each) / (total + 1))
        n = np.maximum(mean * (1 - mean) / variance - 3, 0.0)
        return n, np.clip(mean * (n + 2) - 1, 0.0, n)


@dataclass(frozen=True)
class MeanByCounts:
    """The posterior of the mean of a number under each action: that of its family, by the action's own rounds."""

    statistic: Seen | Played | Strata

    @cached_property
    def _counts(self) -> _Counts:
        return _Counts(self.statistic)

    @property
    def shows(self) -> NDArray[np.bool_]:  # bool[A, A]
        """Whether a round of each action (first axis) can count for another one (second)."""
        return self._counts.shows

    def _own(self, tally: Tally) -> OwnMeans:
        """The posterior of the mean of each action, by the family of the outcome where each has one cell."""
        weight = self._counts.weight(tally)
        cells = self._counts.of_cells(tally, weight)
        own = own_means(cells, self.statistic.problem.graph)
        if not isinstance(self.statistic, Played):  # a round can count for several actions: there are at least so many
            own = own.with_degrees(np.maximum(cells.weight.max(axis=1, keepdims=True) - 1, 1))
        if not self._counts.several:
            return own
        mean = self._counts.summed(weight * own.total / own.rounds)
        variance = self._counts.summed(weight**2 * own.variance / own.rounds)
        least = np.broadcast_to(own.degrees.min(axis=1, keepdims=True), mean.shape)
        return StudentMeans(mean, np.ones(mean.shape), variance, least)

    def draw(self, tally: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A draw of each action's mean in each lane; far from every bound where nothing is known."""
        return self._own(tally).draw(rng)

    def _towards(self, tally: Tally, bound: float) -> OwnMeans:
        """The posterior of each action's mean with a prior at the bound that is worth a few rounds."""
        rounds = self.rounds(tally)
        return self._own(tally).towards(bound, rounds / (rounds + _PRIOR))

    def within(self, tally: Tally, bound: float, at_most: bool) -> Floats:  # float[L, A]
        """The probability of a mean at most the bound, or at least; 1/2 where nothing is known."""
        below = self._towards(tally, bound).below(bound)
        return below if at_most else 1 - below

    def rounds(self, tally: Tally) -> Floats:  # float[L, A]
        """The rounds that count for each action."""
        own = self._own(tally)
        return np.broadcast_to(own.degrees + 1 if self._counts.several else own.rounds, own.mean.shape)

    def odds(self, tally: Tally, bound: float, below: bool) -> Floats:  # float[L, A]
        """The factor by which rounds speak for a mean below the bound, or above it, against one at the bound."""
        own, sign = self._own(tally), 1.0 if below else -1.0
        known = np.isfinite(own.error)
        error = np.where(known, own.error, 1.0)
        degrees = np.broadcast_to(own.degrees, known.shape)
        found = mean_odds(sign * own.mean, error, self.rounds(tally), degrees, sign * bound)
        return np.where(known, found, 1.0)

    def below_with_others(self, tally: Tally, bound: float) -> Floats:  # float[L, A]
        """The probability to be at most the bound, under a prior that all actions share."""
        own = self._towards(tally, bound)
        return mean_below(own.mean, own.error, np.broadcast_to(own.degrees, own.mean.shape), bound)

    def draws_with_others(self, tally: Tally, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """Joint draws of the means of one lane under that prior."""
        own = self._own(tally)
        return mean_draws(own.mean[0], own.error[0], np.broadcast_to(own.degrees, own.mean.shape)[0], draws, rng)


ByCounts = ChanceByCounts | MeanByCounts

_KINDS: dict[type, type[ByCounts]] = {SuccessReward: ChanceByCounts, NumberReward: MeanByCounts}


def by_counts(statistic: Seen | Played | Strata) -> ByCounts:
    """The posterior of a limited outcome, which is the reward of the statistic's problem, from these counts."""
    return _KINDS[type(statistic.problem.graph.rewarded)](statistic)
