"""Standings of learners on the worlds of the suite: ranks, first places, strengths by kind of world, and their cost."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.bandit.goal import GOALS
from bestdo.research.suite.suite_rows import SuiteRow

__all__ = [
    "FAMILY",
    "LEVEL",
    "Cell",
    "Rank",
    "Ratio",
    "Standings",
    "Untested",
    "Verdict",
    "WorldResult",
    "standings",
]

FAMILY = {str(goal): goal.learner for goal in GOALS}
"""The learner that this library would take, by the goal of the world: chosen before any result was seen."""
LEVEL = 0.05
"""The level of the test whether a learner is worse than the first, for all its rivals on a world together."""
_ONE_RIVAL = 1.96
"""The standard errors of the difference from the one that came out first, where the choice of it is not allowed for."""
_SAME = 1e-12
"""Regrets that differ by less are equal: such differences are rounding errors."""
_RESAMPLES, _SEED = 2000, 0
"""The number of draws of the worlds for the intervals of ranks, and the seed of these draws."""
_WORLDS_FOR_INTERVALS = 5
"""The fewest worlds for intervals: draws of fewer say nothing about others."""
_ENOUGH = 0.5
"""The share of a goal's worlds that a learner must play to have a rank."""
_VISIBLE = 0.5
"""A test that cannot see so much more regret, as a share of the first's, is called blind."""
_FLOOR = 0.01
"""The number added to regrets before they are divided, as a share of the largest on the world: so 0 has ratios, too."""


class Cell(NamedTuple):
    """The result of a learner on a world at a horizon: means over simulations."""

    horizon: float
    regret: float
    error: float
    best_chance: float | None
    """The share of simulations that end with a best action; None where earning is the goal."""
    simulations: int


@dataclass(frozen=True)
class WorldResult:
    """The results of all learners on one world."""

    name: str
    kind: str
    goal: str
    measure: str
    horizon: float
    """The horizon that ranks: the last at which the learners that the report is about have played."""
    curves: Mapping[str, tuple[Cell, ...]]
    """The cells of all horizons up to `horizon`, in order, by learner."""
    refused: Mapping[str, str]
    """The reason why a learner does not play here, by learner."""

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """The cells at the horizon that ranks, by learner; those who have none there are left out."""
        return {name: curve[-1] for name, curve in self.curves.items() if curve[-1].horizon == self.horizon}

    @cached_property
    def order(self) -> list[str]:
        """The learners that play, the least regret first."""
        return sorted(self.cells, key=lambda name: (self.cells[name].regret, name))

    @cached_property
    def beaten(self) -> dict[str, float]:
        """The share of the other players that have more regret than each learner, ties counted half; 1/2 without others."""
        regret = np.array([cell.regret for cell in self.cells.values()])
        above = (regret[None, :] > regret[:, None] + _SAME).sum(axis=1)
        ties = (np.abs(regret[None, :] - regret[:, None]) <= _SAME).sum(axis=1) - 1
        shares = (above + ties / 2) / (len(regret) - 1) if len(regret) > 1 else np.full(len(regret), 0.5)
        return dict(zip(self.cells, shares.tolist(), strict=True))


class Rank(NamedTuple):
    """The place of a learner among those of its goal."""

    learner: str
    place: int | None
    """1 is the best; None where it plays too few worlds to be ranked."""
    low: int | None
    high: int | None
    """The ends of the 95 % interval of the place, by bootstrap over worlds; None where there are too few of them."""
    beaten: float
    """The share of the other players of a world that have more regret, ties counted half; the mean over worlds."""
    worlds: int
    """The number of worlds that the learner plays."""
    firsts: int
    """The number of worlds on which the learner is first or not significantly worse than the first."""


class Verdict(NamedTuple):
    """The comparison of a learner with the first on a world: is it worse?"""

    world: str
    learner: str
    cell: Cell | None
    """The learner's result; None where it does not play there."""
    first: str
    """The learner with the least regret."""
    first_cell: Cell
    rivals: int
    worse: bool
    """Whether the learner does not play, or has more regret than a rival at the level, corrected for the number of rivals."""
    worse_than_the_first: bool
    """Whether the learner does not play, or exceeds the regret of the observed first by 1.96 standard errors, uncorrected."""
    margin: float = 0.0
    """The least difference from the first that the corrected test would have called worse."""

    @property
    def blind(self) -> bool:
        """Whether the test could not have seen half as much regret again as the first's: there are too few simulations."""
        return self.margin > _VISIBLE * max(self.first_cell.regret, 0.0)

    @property
    def is_first(self) -> bool:
        """Whether no learner has less regret."""
        return self.cell is not None and self.cell.regret <= self.first_cell.regret + _SAME

    @property
    def ratio(self) -> float:
        """The learner's regret divided by that of the first; infinite where the first has none."""
        if self.cell is None or self.is_first:
            return 1.0 if self.cell else math.inf
        return self.cell.regret / self.first_cell.regret if self.first_cell.regret > 0 else math.inf


class Untested(NamedTuple):
    """A learner on a world whose horizon is too short for any of its tests to end: its regret says nothing about them."""

    learner: str
    world: str
    horizon: float
    needs: float
    """The least horizon at which a test could end."""


class Ratio(NamedTuple):
    """The regret on the worlds of one kind divided by that of the first, as a geometric mean."""

    value: float
    worlds: int
    of: int
    """The number of the worlds that the learner plays, and the number of all."""


@dataclass(frozen=True)
class Standings:
    """Results of all learners on all worlds, and what they say together."""

    worlds: tuple[WorldResult, ...]
    titles: Mapping[str, str]
    """The full name of each learner."""
    own: tuple[str, ...]
    """The learners that the report is about; empty for the archive alone."""
    refused: tuple[WorldResult, ...] = ()
    """The worlds that all of these have tried and refused; they are not among `worlds`."""
    untested: tuple[Untested, ...] = ()
    """The learners that decide by tests, where none of their tests can end."""

    def tried(self, learner: str) -> list[WorldResult]:
        """The worlds that a learner plays or refuses."""
        return [w for w in (*self.worlds, *self.refused) if learner in w.cells or learner in w.refused]

    def played(self, learner: str) -> list[WorldResult]:
        """The worlds that a learner plays, at the horizon that ranks."""
        return [world for world in self.worlds if learner in world.cells]

    def of_goal(self, goal: str) -> list[WorldResult]:
        """The worlds with this goal."""
        return [world for world in self.worlds if world.goal == goal]

    def ranks(self, goal: str) -> list[Rank]:
        """The learners of a goal, the best first, those that play too few worlds last."""
        return _ranks(self.of_goal(goal))

    def verdict(self, world: WorldResult, learner: str) -> Verdict:
        """Whether the learner is worse than the first on the world."""
        return _verdict(world, learner)

    def family(self) -> list[Verdict]:
        """The verdict on this library's learner on each world that it tried: causal top-two, or causal Thompson to earn."""
        chosen = {name: {world.name for world in self.tried(name)} for name in FAMILY.values()}
        return [_verdict(w, FAMILY[w.goal]) for w in self.worlds if w.cells and w.name in chosen[FAMILY[w.goal]]]

    def strengths(self, goal: str) -> dict[str, dict[str, Ratio]]:
        """The regret as a multiple of the first's, by learner and kind of world."""
        return _strengths(self.of_goal(goal))


def standings(rows: Iterable[SuiteRow], own: Collection[str] = ()) -> Standings:
    """The standings from rows of results, in the order of the worlds' first rows.

    rows: those of `bestdo suite run` and of the archive. own: the learners that the report is about; worlds that none of
    them plays are apart, and a world is judged at the last horizon at which one of them has played.
    """
    by_world: dict[str, list[SuiteRow]] = {}
    titles: dict[str, str] = {}
    for row in rows:
        by_world.setdefault(row.world, []).append(row)
        titles[row.learner] = row.title
    standing = [_world(name, group, own) for name, group in by_world.items()]
    present = tuple(name for name in titles if name in set(own))
    tried = [world for world in standing if world is not None]
    played = tuple(world for world in tried if not own or any(name in world.cells for name in own))
    return Standings(played, _short(titles), present, tuple(world for world in tried if world not in played))


def _short(titles: Mapping[str, str]) -> dict[str, str]:
    """The titles, those of `module:Class` without the module where no other learner is called so."""
    classes = {name: text.rpartition(":")[2] for name, text in titles.items()}
    taken = list(classes.values())
    return {name: classes[name] if taken.count(classes[name]) == 1 else text for name, text in titles.items()}


def _world(name: str, rows: Sequence[SuiteRow], own: Collection[str]) -> WorldResult | None:
    """The results on one world; None where none of the report's own learners has tried it."""
    about = [row for row in rows if not own or row.learner in own]
    if not about:
        return None
    played = [row for row in about if row.regret is not None]
    horizon = max(row.horizon for row in played or about)
    curves: dict[str, list[Cell]] = {}
    refused: dict[str, str] = {}
    for row in sorted(rows, key=lambda row: row.horizon):
        if row.regret is None:
            refused[row.learner] = row.refused
        elif row.horizon <= horizon:
            cell = Cell(row.horizon, row.regret, row.standard_error or 0.0, row.best_chance, row.simulations)
            curves.setdefault(row.learner, []).append(cell)
    first = rows[0]
    cut = {learner: tuple(curve) for learner, curve in curves.items()}
    return WorldResult(name, first.kind, first.goal, first.measure, horizon, cut, refused)


def _ranks(worlds: Sequence[WorldResult]) -> list[Rank]:
    """The places by the mean share of others beaten, with intervals from worlds drawn again with replacement."""
    learners = sorted({name for world in worlds for name in world.cells})
    if not learners:
        return []
    shares = np.array([[world.beaten.get(name, np.nan) for name in learners] for world in worlds])  # float[W, A]
    plays = ~np.isnan(shares)
    count = plays.sum(axis=0)
    score = _means(shares[None], plays[None])[0]
    ranked = count >= max(1, math.ceil(_ENOUGH * len(worlds)))
    drawn = np.random.default_rng(_SEED).integers(len(worlds), size=(_RESAMPLES, len(worlds)))
    again = _means(shares[drawn], plays[drawn])[:, ranked]  # float[B, R]
    places = 1 + (again[:, None, :] > again[:, :, None] + _SAME).sum(axis=2)
    low, high = np.quantile(places, (0.025, 0.975), axis=0, method="inverted_cdf")
    place = 1 + (score[ranked][None, :] > score[ranked][:, None] + _SAME).sum(axis=1)
    firsts = {name: sum(not _verdict(w, name).worse for w in worlds if name in w.cells) for name in learners}
    enough, ranks, k = len(worlds) >= _WORLDS_FOR_INTERVALS, [], 0
    for i, name in enumerate(learners):
        ends: tuple[int | None, int | None, int | None] = (None, None, None)
        if ranked[i]:
            ends = (int(place[k]), int(low[k]), int(high[k])) if enough else (int(place[k]), None, None)
            k += 1
        ranks.append(Rank(name, *ends, float(score[i]), int(count[i]), firsts[name]))
    return sorted(ranks, key=lambda rank: (rank.place is None, -rank.beaten, rank.learner))


def _means(shares: Floats, plays: Bools) -> Floats:  # float[B, A]
    """The mean over worlds (axis 1) of the shares of those who play; -1 for who plays none."""
    count = plays.sum(axis=1)
    return np.where(count > 0, np.where(plays, shares, 0.0).sum(axis=1) / np.maximum(count, 1), -1.0)


def _verdict(world: WorldResult, learner: str) -> Verdict:
    """The verdict on a learner on a world.

    The smallest of many noisy means is too small. So each rival is compared with it by itself, one-sided, at the level
    divided by the number of rivals (multiple comparisons with the best, by Bonferroni's inequality): where no learner is
    truly better, it is called worse with at most that probability. Simulations are taken as independent; where learners
    met the same chance the errors are a little too large.
    """
    from scipy.stats import norm

    first = world.order[0]
    mine, best = world.cells.get(learner), world.cells[first]
    rivals = [cell for name, cell in world.cells.items() if name != learner]
    if mine is None:
        return Verdict(world.name, learner, None, first, best, len(rivals), True, True)
    limit = float(norm.isf(LEVEL / len(rivals))) if rivals else math.inf
    worse = any(_above(mine, rival, limit) for rival in rivals)
    strict, margin = _above(mine, best, _ONE_RIVAL), limit * math.hypot(mine.error, best.error) if rivals else 0.0
    return Verdict(world.name, learner, mine, first, best, len(rivals), worse, strict, margin)


def _above(mine: Cell, rival: Cell, errors: float) -> bool:
    """Whether a regret is above another by more than so many standard errors of the difference."""
    return mine.regret - rival.regret > max(_SAME, errors * math.hypot(mine.error, rival.error))


def _strengths(worlds: Sequence[WorldResult]) -> dict[str, dict[str, Ratio]]:
    """The geometric mean, by learner and kind, of (regret + floor) / (the first's + floor) over the worlds that it plays."""
    kinds: dict[str, list[WorldResult]] = {}
    for world in worlds:
        if world.cells:
            kinds.setdefault(world.kind, []).append(world)
    table: dict[str, dict[str, Ratio]] = {}
    for kind, group in kinds.items():
        for name in sorted({name for world in group for name in world.cells}):
            logs = [_log_ratio(world, name) for world in group if name in world.cells]
            table.setdefault(name, {})[kind] = Ratio(math.exp(sum(logs) / len(logs)), len(logs), len(group))
    return table


def _log_ratio(world: WorldResult, learner: str) -> float:
    """The logarithm of a regret divided by that of the first; both with a floor, so that 0 can be divided."""
    regrets = [cell.regret for cell in world.cells.values()]
    floor = _FLOOR * max(regrets)
    if floor <= 0:
        return 0.0
    return math.log((max(world.cells[learner].regret, 0.0) + floor) / (max(min(regrets), 0.0) + floor))
