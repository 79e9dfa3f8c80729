"""A belief from counts: a posterior for each action, or for each of its strata, Beta or for numbers normal."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import ClassVar, NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates, from_beta, from_weights
from bestdo.bandit.learner import Ties
from bestdo.bandit.problem import Problem
from bestdo.bandit.recent_sums import recent
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.learners.beliefs.action_cells import ActionCells
from bestdo.learners.beliefs.normal_posterior import normal_posterior, within
from bestdo.learners.kernels import top_two_kernels
from bestdo.statistics.seen import Seen
from bestdo.statistics.strata import Strata

__all__ = ["CountBelief"]


_NOTHING = np.empty((0, 0))
_EACH = 4.0  # rounds for each action, where the horizon is not known
_STRATUM = 8.0
"""The most rounds that the prior of a stratum is worth."""
_ACTION = 16.0
"""The most rounds that the priors of all strata of an action are worth: 8 in each of 64 strata kept a rare best action
from being found (regret 0.148 against 0.001 after 250 rounds of 5 actions)."""


_PRIOR = 32.0
"""The prior of an action is worth this number times the hard actions, divided by all rounds: from 1 to 4 rounds."""
_TRIED_AGAIN = 40.0
"""Rounds for each hard action at which every other draw has the posterior's own deviation; with fewer a smaller one."""
_SPREADS = 0.5, 1.3
"""The smallest and the largest factor by which that deviation is multiplied."""


@lru_cache(maxsize=1)
def _quantiles() -> Floats:  # float[4096]
    """4,096 equally likely quantiles of the normal distribution, scaled to variance 1."""
    from scipy.special import ndtri

    points = ndtri((np.arange(4096) + 0.5) / 4096)
    return np.asarray(points / points.std())


PlaysOfLanes = Callable[[Tally, Floats, Ties, int, np.random.Generator], Ints]
"""The action that each lane plays next (int[L]), from whole sums, plays, the order of ties and the number of the block."""


class _Posterior(NamedTuple):
    good: Floats
    """float[L, C]: successes in each stratum of each action, those that the prior is worth included."""
    rounds: Floats
    """float[L, C]: the same for rounds."""
    weight: Floats
    """float[L, C] or float[1, C]: P(z), by which the strata of an action make up its mean."""
    variance: Floats | None = None
    """float[L, C]: the variance of one round, where the reward is a number."""
    degrees: Floats | None = None
    """float[L, C]: its degrees of freedom."""


class _Recent(threading.local):
    """The last results of `CountBelief._hard` and `_posterior` in this thread, which one round needs several times."""

    belief: CountBelief | None = None
    weight: Floats = np.empty(0)
    played: Floats = np.empty(0)
    hard: Floats = np.empty(0)
    told: tuple[object, ...] = ()
    posterior: _Posterior | None = None


_recent = _Recent()


@dataclass(frozen=True)
class CountBelief:
    """The belief by a Beta posterior in each stratum of each action, as if independent, from rounds as good as its own.

    Where the reward is a number, the posterior is Student's, with a spread learned from all strata of all actions. Which
    rounds count is for `Seen` to say, or for `Strata` where something has to be adjusted for. The prior is worth a few
    rounds in each stratum, with the mean of all that was counted. For draws and gains P(z) is taken as known.
    """

    problem: Problem
    statistic: Seen | Strata
    rounds: float | None = None
    """The number of rounds of the whole horizon; None: four for each action."""
    plain: bool = False
    """Whether the prior is worth one round, and pairs are drawn with the posterior's own spread."""
    uniform: bool = False
    """Whether the prior of an action is one success and one failure, whatever was counted, divided among its strata by how
    often they occur: for Thompson sampling, which hardly plays what it thinks to be as bad as all that was seen
    (docs/results/mabuc.md; in the class "hidden cause, front door" 300 rounds lose 11.7 instead of 13.0 ± 0.4)."""
    shares_all: ClassVar[bool] = False

    @cached_property
    def _cells(self) -> ActionCells:
        return ActionCells(self.problem, self.statistic)

    @cached_property
    def _all(self) -> float:
        return _EACH * len(self.problem.actions) if self.rounds is None else max(self.rounds, 1.0)

    @property
    def _is_number(self) -> bool:
        return self.problem.graph.number is not None

    def _hard(self, tally: Tally, played: Floats) -> Floats:  # float[L, 1]
        """The paper's m(q), the number of actions that watching tells too little about, by how often each was seen so far."""
        if do() not in self.problem.actions:
            return np.full((1, 1), float(len(self.problem.actions)))
        if _recent.belief is self and _recent.weight is tally.weight and _recent.played is played:
            return _recent.hard
        from bestdo.design.difficulty import difficulty  # and SciPy with it, when it is first needed

        watching = self.problem.actions.index(do())
        seen = (tally.weight - played) / np.maximum(tally.weight[:, [watching]], 1)
        hard = difficulty(np.delete(seen, watching, axis=1))[:, None].astype(np.float64)
        _recent.belief, _recent.weight, _recent.played, _recent.hard = self, tally.weight, played, hard
        return hard

    def _strength(self, tally: Tally, played: Floats) -> Floats:  # float[L or 1, 1 or C]
        """The rounds that the prior of a stratum is worth: fewer where there are many rounds for each hard action."""
        if self.plain:
            return np.ones((1, 1))
        if isinstance(self.statistic, Strata):
            return self._strength_of_strata
        return np.clip(_PRIOR * self._hard(tally, played) / self._all, 1.0, self._most)

    @property
    def _most(self) -> float:
        """The most rounds that the prior of an action is worth, where nothing is adjusted for."""
        return min(max(self._all / len(self.problem.actions), 2.0), 4.0)

    @property
    def _short(self) -> float:
        """The least factor of `_part`: above one where there are too few rounds to play every action twice."""
        return 2 * len(self.problem.actions) / self._all

    @cached_property
    def _strength_of_strata(self) -> Floats:  # float[1, C]
        each = np.minimum(_STRATUM, _ACTION / np.diff(self._cells.start))
        return np.repeat(each, np.diff(self._cells.start))[None]

    def _part(self, tally: Tally, played: Floats) -> Floats:  # float[L]
        """The factor by which the posterior's standard deviation is multiplied in every other draw.

        The best of many draws at the full deviation is mostly an action that was hardly ever seen: with few rounds for each
        hard action the factor is a half. With many it is above one, so that an action that began badly is tried again; the
        same where there are too few rounds to play every action twice.
        """
        if self.plain:
            return np.ones(len(played))
        if isinstance(self.statistic, Strata):
            return np.full(len(played), 0.5)
        many = self._all / _TRIED_AGAIN / self._hard(tally, played)
        return np.broadcast_to(np.clip(np.maximum(many, self._short), *_SPREADS)[:, 0], len(played))

    def _posterior(self, tally: Tally, played: Floats) -> _Posterior:
        told = self, tally.reward, tally.weight, played
        if _recent.posterior is not None and all(map(operator.is_, told, _recent.told)):
            return _recent.posterior
        cells = int(self._cells.start[-1])
        s, n = tally.reward[:, :cells], tally.weight[:, :cells]
        strength = self._strength(tally, played)
        if self._is_number:
            own, graph = tally.cells(slice(cells)), self.problem.graph
            distinct = np.maximum(n.max(axis=1), played.sum(axis=1))
            total, rounds, variance, degrees = normal_posterior(own, strength, graph, distinct)
            found = _Posterior(total, rounds, self.weight_of_strata(tally), variance, degrees)
            _recent.told, _recent.posterior = told, found
            return found
        centre, weight = (
            (s.sum(axis=1, keepdims=True) + 1) / (n.sum(axis=1, keepdims=True) + 2),
            self.weight_of_strata(tally),
        )
        if self.uniform:
            strength, centre = 2 * weight, np.full((1, 1), 0.5)
        found = _Posterior(s + strength * centre, n + strength, weight)
        _recent.told, _recent.posterior = told, found
        return found

    @cached_property
    def _ones(self) -> Floats:  # float[1, C]
        return np.ones((1, int(self._cells.start[-1])))

    def weight_of_strata(self, tally: Tally, rng: np.random.Generator | None = None) -> Floats:  # float[L or 1, C]
        """P(z) of each stratum, by how often it occurred where nothing changes that; 1 where nothing is adjusted for.

        With a generator it is drawn from its posterior.
        """
        if not isinstance(self.statistic, Strata):
            return self._ones
        layout = self.statistic.layout
        weight = np.repeat(self._ones, len(tally.weight), axis=0)
        for i in range(len(layout.sets)):
            counts = tally.weight[:, layout.first[i] : layout.first[i + 1]] + 0.5
            counts = counts if rng is None else rng.gamma(counts)
            chance = counts / counts.sum(axis=1, keepdims=True)
            for a in np.flatnonzero(layout.set_of == i):
                weight[:, layout.start[a] : layout.start[a + 1]] = chance
        return weight

    def summed(self, values: Floats) -> Floats:  # float[L, A]
        """The sums over the cells of each action."""
        return self._cells.summed(values)

    def _normal(self, tally: Tally, played: Floats) -> tuple[Floats, Floats, Floats]:  # float[L, A] each
        """Mean, variance and degrees of freedom of the posterior of each action, where the reward is a number."""
        total, rounds, weight, variance, degrees = self._posterior(tally, played)
        assert variance is not None
        assert degrees is not None
        least = (
            degrees if degrees.shape == played.shape else np.minimum.reduceat(degrees, self._cells.start[:-1], axis=1)
        )
        return self.summed(weight * total / rounds), self.summed(weight**2 * variance / rounds), least

    def draw(
        self, tally: Tally, played: Floats, lane: int, draws: int, rng: np.random.Generator
    ) -> Floats:  # float[D, A]
        """Means of all actions drawn in one lane, as if they were independent."""
        shape = draws, len(self.problem.actions)
        if self._is_number:
            mean, variance, degrees = (part[lane] for part in self._normal(tally, played))
            return np.asarray(mean + np.sqrt(variance) * rng.standard_t(degrees, shape))
        good, rounds = self.successes_and_rounds(tally, played)
        return rng.beta(good[lane], (rounds - good)[lane], shape)

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions drawn in each lane, each stratum for itself."""
        good, rounds, weight, variance, degrees = self._posterior(tally, played)
        if variance is None or degrees is None:
            return self.summed(weight * rng.beta(good, rounds - good))
        return self.summed(weight * (good / rounds + np.sqrt(variance / rounds) * rng.standard_t(degrees)))

    def drawn(self, tally: Tally, played: Floats, lane: int, draws: int) -> Floats:  # float[D, A]
        """Draws of one lane's means, the same for the same sums."""
        return self.draw(tally, played, lane, draws, np.random.default_rng(0))

    def rounds_worth(self, tally: Tally, played: Floats, mean: Floats, spread: Floats) -> Floats:  # float[L, A]
        """The rounds of an action alone that would leave its mean with this variance (`spread`, float[L, A])."""
        if not self._is_number:
            return mean * (1 - mean) / np.maximum(spread, 1e-12) - 1
        _, _, weight, variance, _ = self._posterior(tally, played)
        return self.summed(weight * np.asarray(variance)) / np.maximum(spread, 1e-300)

    def successes_and_rounds(self, tally: Tally, played: Floats) -> tuple[Floats, Floats]:  # float[L, A] twice
        """Successes and rounds of a Beta with the mean and the variance of each action's posterior."""
        good, rounds, weight = self._posterior(tally, played)[:3]
        if good.shape[1] == len(self.problem.actions):
            return good, rounds
        mean = self.summed(weight * good / rounds)
        spread = self.summed(weight**2 * good * (rounds - good) / rounds**2 / (rounds + 1))
        worth = mean * (1 - mean) / spread - 1
        return mean * worth, worth

    def pairs(
        self, tally: Tally, played: Floats, k: int, rng: np.random.Generator, some: Bools | None = None
    ) -> tuple[Ints, Ints]:  # int[L, K] twice
        """The best and the second best contender, or of some actions, in k draws on the scale of angles or of numbers."""
        among = np.flatnonzero(self.problem.contenders if some is None else some)
        if self._is_number:
            return self._pairs_of_numbers(among, tally, played, k, rng)
        good, rounds = (part[:, among] for part in self.successes_and_rounds(tally, played))
        leader, challenger = np.empty((len(good), k), np.int64), np.empty((len(good), k), np.int64)
        seed = int(rng.integers(0, 2**64, dtype=np.uint64))
        top_two_kernels.top_pairs(good, rounds, self._part(tally, played), _quantiles(), seed, leader, challenger)
        return among[leader], among[challenger]

    def _pairs_of_numbers(
        self, among: Ints, tally: Tally, played: Floats, k: int, rng: np.random.Generator
    ) -> tuple[Ints, Ints]:  # int[L, K] twice
        mean, variance, degrees = (part[:, among] for part in self._normal(tally, played))
        wide = np.sqrt(variance * (degrees + 1) / np.maximum(degrees - 1, 1))  # tails of Student's distribution
        leader, challenger = np.empty((len(mean), k), np.int64), np.empty((len(mean), k), np.int64)
        seed = int(rng.integers(0, 2**64, dtype=np.uint64))
        mean, wide = np.ascontiguousarray(mean), np.ascontiguousarray(wide)
        top_two_kernels.top_normal_pairs(mean, wide, self._part(tally, played), _quantiles(), seed, leader, challenger)
        return among[leader], among[challenger]

    def counted(self, tally: Tally) -> Floats:  # float[L, A]
        """The rounds that are as good as a round of each action, its plays included."""
        return self.summed(tally.weight[:, : int(self._cells.start[-1])])

    @recent
    def mean(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """Posterior means."""
        good, rounds, weight = self._posterior(tally, played)[:3]
        return self.summed(weight * good / rounds)

    def information_gain(
        self,
        tally: Tally,
        played: Floats,
        pairs: int,
        rng: np.random.Generator,
        among: Bools | None = None,
        of: Bools | None = None,
    ) -> Floats:  # float[L, A]
        """The information gain of a round of each action: the expected share of the variance of differences removed."""
        return self.gain(tally, played, *self.pairs(tally, played, pairs, rng, among))

    @cached_property
    def tuned(self) -> Floats:  # float[7]
        """The numbers by which `next_plays` works out the worth of the prior and the scale of every other draw."""
        return np.array([_PRIOR, self._all, self._most, self._all / _TRIED_AGAIN, self._short, *_SPREADS])

    def plays_of_lanes(self, pairs: int) -> PlaysOfLanes | None:
        """The actions that tell most, by one compiled loop; None where that loop does not know this belief.

        It knows successes that only rounds of do() show, without strata.
        """
        can_watch = do() in self.problem.actions and list(self._cells.showing) == [self.problem.actions.index(do())]
        plain = self.plain or self.uniform or self.problem.graph.success is None or isinstance(self.statistic, Strata)
        if plain or not can_watch or self.problem.contenders.sum() < 2:
            return None
        watching, among = self.problem.actions.index(do()), np.flatnonzero(self.problem.contenders)
        shown, tuned, quantiles = np.ascontiguousarray(self._cells.shows[0]), self.tuned, _quantiles()

        def plays(sums: Tally, played: Floats, ties: Ties, block: int, rng: np.random.Generator) -> Ints:  # int[L]
            chosen = np.empty(len(played), np.int64)
            seed = int(rng.integers(0, 2**64, dtype=np.uint64))
            how = watching, shown, among, tuned, pairs, quantiles, seed, ties.key, ties.label, block, chosen
            top_two_kernels.next_plays(sums.weight, sums.reward, played, *how)
            return chosen

        return plays

    def gain(self, tally: Tally, played: Floats, leader: Ints, challenger: Ints) -> Floats:  # float[L, A]
        """The share of the variance of differences that a round of each action is expected to remove (`seen_gains`)."""
        good, rounds, weight, variance, _ = self._posterior(tally, played)
        out = np.zeros(played.shape)
        where = self._cells.start, self._cells.showing, self._cells.shows
        spread = _NOTHING if variance is None else variance
        top_two_kernels.seen_gains(good, rounds, spread, weight, tally.weight, played, *where, leader, challenger, out)
        return out

    def estimates(self, tally: Tally, played: Floats) -> Estimates:
        """Posterior means, with intervals and P(best) by this posterior; no interval is shorter than counts alone allow."""
        if self._is_number:
            return self._estimates_of_numbers(tally, played)
        found = from_beta(*self.successes_and_rounds(tally, played), played, played)
        counts = self._cells.plain_estimates(self.weight_of_strata(tally), tally, played)
        low, high = np.minimum(found.low, counts.low), np.maximum(found.high, counts.high)
        return found._replace(mean=self.mean(tally, played), low=low, high=high, seen=counts.seen)

    def _estimates_of_numbers(self, tally: Tally, played: Floats) -> Estimates:
        """Posterior means with Student's intervals, none of them shorter than counts without the prior allow.

        A stratum that was never seen is taken to be as far from the others as one round is from another.
        """
        graph, own = self.problem.graph, tally.cells(slice(int(self._cells.start[-1])))
        mean, variance, degrees = self._normal(tally, played)
        n, posterior, weight = own.weight, self._posterior(tally, played), self.weight_of_strata(tally)
        each = np.where(n > 0, own.reward / np.maximum(n, 1), posterior.good / posterior.rounds)
        plain = self.summed(weight * each)
        of_plain = self.summed(weight**2 * np.asarray(posterior.variance) / np.maximum(n, 1))
        if isinstance(self.statistic, Strata):  # between strata: P(z) is not known either
            apart = self.summed(weight * each**2) - plain**2
            of_plain = of_plain + apart / (1 + self._cells.rounds_of_strata(tally))
        seen, nothing = self.summed(n), np.zeros(mean.shape)
        plain = np.where(seen > 0, plain, np.nan)
        counts = from_weights(plain, of_plain, nothing, played, seen, graph, degrees)
        found = from_weights(mean, variance, nothing, played, counts.seen, graph, degrees)
        low, high = np.minimum(found.low, counts.low), np.maximum(found.high, counts.high)
        return within(found._replace(low=low, high=high), graph, own)
