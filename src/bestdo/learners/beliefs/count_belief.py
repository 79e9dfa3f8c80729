"""A belief from counts: a posterior for each action, or for each of its strata, Beta or for numbers normal."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Ties
from bestdo.bandit.problem import Problem
from bestdo.bandit.recent_sums import recent
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.learners.beliefs.action_cells import ActionCells
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.count_posterior import CountPosterior, count_posterior, normal_quantiles
from bestdo.learners.kernels import top_two_kernels
from bestdo.statistics.seen import Seen
from bestdo.statistics.strata import Strata

__all__ = ["CountBelief"]


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


PlaysOfLanes = Callable[[Tally, Floats, Ties, int, np.random.Generator], Ints]
"""The action that each lane plays next (int[L]), from whole sums, plays, the order of ties and the number of the block."""


class _Recent(threading.local):
    """The last results of `CountBelief._hard` and `_posterior` in this thread, which one round needs several times."""

    belief: CountBelief | None = None
    weight: Floats = np.empty(0)
    played: Floats = np.empty(0)
    hard: Floats = np.empty(0)
    told: tuple[object, ...] = ()
    posterior: CountPosterior | None = None


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

    def _posterior(self, tally: Tally, played: Floats) -> CountPosterior:
        told = self, tally.reward, tally.weight, played
        if _recent.posterior is not None and all(map(operator.is_, told, _recent.told)):
            return _recent.posterior
        strength, weight = self._strength(tally, played), self.weight_of_strata(tally)
        made = count_posterior(tally, self._cells, strength, weight, self.uniform, played)
        _recent.told, _recent.posterior = told, made
        return made

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

    def draw(
        self, tally: Tally, played: Floats, lane: int, draws: int, rng: np.random.Generator
    ) -> Floats:  # float[D, A]
        """Means of all actions drawn in one lane, as if they were independent."""
        return self._posterior(tally, played).draw(self._cells, lane, draws, rng)

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions drawn in each lane, each stratum for itself."""
        return self._posterior(tally, played).draw_by_lane(self._cells, rng)

    def drawn(self, tally: Tally, played: Floats, lane: int, draws: int) -> Floats:  # float[D, A]
        """Draws of one lane's means, the same for the same sums."""
        return self.draw(tally, played, lane, draws, np.random.default_rng(0))

    def rounds_worth(self, tally: Tally, played: Floats, mean: Floats, spread: Floats) -> Floats:  # float[L, A]
        """The rounds of an action alone that would leave its mean with this variance (`spread`, float[L, A])."""
        return self._posterior(tally, played).rounds_worth(self._cells, mean, spread)

    def pairs(
        self, tally: Tally, played: Floats, k: int, rng: np.random.Generator, some: Bools | None = None
    ) -> tuple[Ints, Ints]:  # int[L, K] twice
        """The best and the second best contender, or of some actions, in k draws on the scale of angles or of numbers."""
        among = np.flatnonzero(self.problem.contenders if some is None else some)
        part = self._part(tally, played)
        leader, challenger = self._posterior(tally, played).pairs(self._cells, among, part, k, rng)
        return among[leader], among[challenger]

    def counted(self, tally: Tally) -> Floats:  # float[L, A]
        """The rounds that are as good as a round of each action, its plays included."""
        return self.summed(tally.weight[:, : int(self._cells.start[-1])])

    @recent
    def mean(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """Posterior means."""
        found = self._posterior(tally, played)
        return self.summed(found.weight * found.good / found.rounds)

    def information_gain(
        self, tally: Tally, played: Floats, asked: Question, rng: np.random.Generator
    ) -> Floats:  # float[L, A]
        """The information gain of a round of each action: the expected share of the variance of differences removed."""
        return self.gain(tally, played, *self.pairs(tally, played, asked.pairs, rng, asked.among))

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
        shown, tuned, quantiles = np.ascontiguousarray(self._cells.shows[0]), self.tuned, normal_quantiles()

        def plays(sums: Tally, played: Floats, ties: Ties, block: int, rng: np.random.Generator) -> Ints:  # int[L]
            chosen = np.empty(len(played), np.int64)
            seed = int(rng.integers(0, 2**64, dtype=np.uint64))
            how = watching, shown, among, tuned, pairs, quantiles, seed, ties.key, ties.label, block, chosen
            top_two_kernels.next_plays(sums.weight, sums.reward, played, *how)
            return chosen

        return plays

    def gain(self, tally: Tally, played: Floats, leader: Ints, challenger: Ints) -> Floats:  # float[L, A]
        """The share of the variance of differences that a round of each action is expected to remove (`seen_gains`)."""
        found, out = self._posterior(tally, played), np.zeros(played.shape)
        where = self._cells.start, self._cells.showing, self._cells.shows
        cells = found.good, found.rounds, found.spread, found.weight
        top_two_kernels.seen_gains(*cells, tally.weight, played, *where, leader, challenger, out)
        return out

    def estimates(self, tally: Tally, played: Floats) -> Estimates:
        """Posterior means, with intervals and P(best) by this posterior; no interval is shorter than counts alone allow."""
        return self._posterior(tally, played).estimates(self._cells, tally, played)
