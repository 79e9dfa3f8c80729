"""The cells of actions in counts: which cells each action has, which rounds of others show them, and their plain means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.bandit.tally import Tally
from bestdo.learners.families.bernoulli import wilson, wilson_of_weights
from bestdo.statistics.seen import Seen
from bestdo.statistics.strata import Strata

__all__ = ["ActionCells"]


@dataclass(frozen=True)
class ActionCells:
    """The places of the counts of each action: one cell for each action, or one for each of its strata."""

    problem: Problem
    statistic: Seen | Strata

    @cached_property
    def start(self) -> Ints:  # int[A + 1]
        """The first cell of each action; the last number is the number of all cells."""
        if isinstance(self.statistic, Strata):
            return self.statistic.layout.start
        return np.arange(len(self.problem.actions) + 1)

    @cached_property
    def owner(self) -> Ints:  # int[C]
        """The action that each cell belongs to."""
        return np.repeat(np.arange(len(self.problem.actions)), np.diff(self.start))

    @cached_property
    def showing(self) -> Ints:  # int[B]
        """The actions whose rounds can tell about others."""
        known = self.statistic.layout.shows if isinstance(self.statistic, Strata) else self.statistic.seen_by
        return np.flatnonzero(known.sum(axis=1) > 1)

    @cached_property
    def shows(self) -> NDArray[np.bool_]:  # bool[B, C]
        """A mask of the cells of other actions that each action can show: not those that contradict its own values."""
        known = self.statistic.layout.shows if isinstance(self.statistic, Strata) else self.statistic.seen_by
        others = ~np.eye(len(self.problem.actions), dtype=bool)
        result = (known & others)[self.showing][:, self.owner]
        codes = self.problem.actions.codes
        for i, b in enumerate(self.showing):
            for c, a in enumerate(self.owner):
                for v in np.flatnonzero(codes[b] >= 0) if result[i, c] else ():
                    wanted = self._wanted(int(a), c - int(self.start[a]), int(v))
                    result[i, c] &= wanted in (-1, codes[b, v])
        return result

    def _wanted(self, a: int, stratum: int, v: int) -> int:
        """The value that a variable has in a stratum of an action; -1 where it has any."""
        if not isinstance(self.statistic, Strata):
            return int(self.problem.actions.codes[a, v])
        graph, layout = self.problem.graph, self.statistic.layout
        names = layout.adjust[a]
        if graph.names[v] not in names:
            return int(layout.active[a, v])
        place = names.index(graph.names[v])
        return int(np.unravel_index(stratum, [graph.size(n) for n in names])[place])

    def summed(self, values: Floats) -> Floats:  # float[L, A]
        """The sums of values over the strata of each action."""
        if values.shape[1] == len(self.problem.actions):
            return values
        return np.asarray(np.add.reduceat(values, self.start[:-1], axis=1))

    def rounds_of_strata(self, tally: Tally) -> Floats:  # float[L, A]
        """The number of rounds that P(z) was estimated from, for what each action adjusts for."""
        assert isinstance(self.statistic, Strata)
        layout = self.statistic.layout
        if not layout.sets:
            return np.zeros((len(tally.weight), len(layout.set_of)))
        states = np.add.reduceat(tally.weight, layout.first[:-1], axis=1)  # float[L, S]
        return np.where(layout.set_of >= 0, states[:, layout.set_of], 0.0)

    def plain_estimates(self, weight: Floats, tally: Tally, played: Floats) -> Estimates:
        """The means of the counts, without the prior, with Wilson's 95 % intervals for their effective numbers of rounds.

        `weight` (float[L or 1, C]) is how often each stratum occurs. In one that was never seen the mean may be anything.
        """
        cells = int(self.start[-1])
        s, n = tally.reward[:, :cells], tally.weight[:, :cells]
        if cells == played.shape[1]:
            return wilson(n, s, played)
        some = n > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            each = np.where(some, s / n, 0.0)
            known = self.summed(weight * some)  # the mass of the strata that were seen
            mean = self.summed(weight * each) / known
            worth = known**2 / self.summed(np.where(some, weight**2 / n, 0.0))  # rounds that a plain mean would take
            smooth = (mean * worth + 2) / (worth + 4)
            apart = self.summed(weight * some * each**2) / known - mean**2  # between strata: P(z) is not known either
            worth = smooth * (1 - smooth) / (smooth * (1 - smooth) / worth + apart / (1 + self.rounds_of_strata(tally)))
        worth = np.nan_to_num(worth)
        good = np.nan_to_num(mean) * worth
        made = wilson_of_weights(Tally(worth, worth, worth, good, good), played)
        return made._replace(mean=mean, low=made.low * known, high=made.high * known + (1 - known))
