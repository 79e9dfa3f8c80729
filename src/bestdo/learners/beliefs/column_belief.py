"""The belief that the reward follows from a regression on its causes, where these are too many for tables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.tally import Tally
from bestdo.causal.action import states
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.beliefs import table_belief
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.beside_counts import BesideCounts
from bestdo.learners.beliefs.column_design import Design, pairs_by_promise
from bestdo.learners.beliefs.column_members import Members
from bestdo.learners.beliefs.families import Families, families, work_of
from bestdo.learners.beliefs.family_belief import MOST_WORK, FamilyBelief
from bestdo.learners.beliefs.joint_estimates import joint_estimates
from bestdo.learners.beliefs.normal_posterior import MOST_VARIANCE
from bestdo.learners.beliefs.parent_shares import ParentShares
from bestdo.learners.beliefs.table_rows import TableRows
from bestdo.learners.kernels import column_lanes
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.column_sums import ColumnSums

__all__ = ["ColumnBelief", "of_one_graph"]

_DRAWS = 96
"""The number of draws from which the pairs of a round are taken."""
_DIGITS = 10
"""Decimals of means, in spreads of a round, that count: equal actions have equal means."""
_MOST_NUMBERS = 2**20
"""The most expected columns that are kept for questions to come: 24 MB with their places."""
_NUMBERS_AT_ONCE = 2**22
"""The most expected columns that are held at once for draws: 32 MB."""


class _About(NamedTuple):
    """The actions that a question is about."""

    needed: Ints
    """The actions that are compared or rated; the other numbers are places among these."""
    some: Ints
    """The actions that are compared."""
    of: Ints
    """The actions whose rounds are rated."""
    vary: Ints
    """Which of the actions that vary are needed."""
    columns: column_lanes.Columns
    """The expected columns, for good where none vary."""

    @classmethod
    def of_actions(cls, shares: ParentShares, some: Bools, of: Bools) -> _About:
        """The actions that are compared and those that are rated, by masks."""
        needed = np.flatnonzero(some | of)
        vary = np.flatnonzero(np.isin(shares.varying, needed, assume_unique=True))
        columns = column_lanes.Columns(shares.fixed[needed], np.zeros(0, np.int64))
        return cls(needed, np.flatnonzero(some[needed]), np.flatnonzero(of[needed]), vary, columns)

    def made(self, shares: ParentShares, own: Floats) -> column_lanes.Columns:
        """The columns where those of some actions vary, which are so in the first lane (float[V, D])."""
        at, rows = np.searchsorted(self.needed, shares.varying[self.vary]), shares.fixed[self.needed]
        rows[at] = own
        return column_lanes.Columns(rows, at)


@final
@dataclass(frozen=True)
class ColumnBelief:
    """The belief of a regression of the reward on its causes (`Members`), the causes' own tables as in `FamilyBelief`."""

    problem: Problem
    shares_all: ClassVar[bool] = True
    counted = table_belief.counted
    mean = table_belief.mean
    draw = table_belief.draw
    drawn = table_belief.drawn
    estimates = joint_estimates

    def __post_init__(self) -> None:
        graph = self.problem.graph
        if any(p in graph.hidden for p in graph.parents[str(graph.reward)]) or not graph.parents[str(graph.reward)]:
            raise NotValid("a regression needs causes of the reward that are seen")
        if self._shares.cells.names:
            _ = self._families

    @cached_property
    def _design(self) -> Design:
        graph = self.problem.graph
        parents = graph.parents[str(graph.reward)]
        codes = self.problem.actions.codes[:, [graph.names.index(n) for n in parents]]
        settable, seen = np.asarray((codes >= 0).any(axis=0)), [n in self.problem.actions.seen for n in parents]
        always = np.array(seen) if any(seen) else np.asarray((codes >= 0).all(axis=0))
        wanted = pairs_by_promise([graph.size(n) for n in parents], always.tolist(), settable.tolist())
        return Design.of([graph.size(n) for n in parents], wanted, np.flatnonzero(seen).tolist())

    @cached_property
    def _shares(self) -> ParentShares:
        return ParentShares(self.problem, self._design)

    @cached_property
    def _members(self) -> Members:
        rewarded = self.problem.graph.rewarded
        variance = rewarded.most_variance if rewarded.most_variance < np.inf else MOST_VARIANCE
        return Members(self._design, not self.problem.graph.two_values, rewarded.middle, variance)

    @cached_property
    def statistic(self) -> BesideSeen:
        """The sums of the regression and counts of the causes' tables; and of each action."""
        design = self._design
        return BesideSeen(ColumnSums(self.problem, design.columns, design.size, self._shares.cells))

    @cached_property
    def beside(self) -> BesideCounts:
        """The belief by counts of each action."""
        return BesideCounts(self.statistic)

    @cached_property
    def worth_before(self) -> Floats:  # float[A]
        """The rounds of each action that the prior is worth."""
        return table_belief.worth_before(self)

    @cached_property
    def _families(self) -> Families:
        graph, cells = self.problem.graph, self._shares.cells
        shapes = [(tuple(graph.size(p) for p in graph.parents[n]), graph.size(n)) for n in cells.names]
        if (work := sum(work_of(parents) for parents, _ in shapes)) > MOST_WORK:
            raise TooLarge(
                f"the causes' tables take {work:,} steps for each look at them; at most {MOST_WORK:,} are done"
            )
        return families(shapes)

    @cached_property
    def _rows(self) -> TableRows:
        return TableRows(self._families, np.zeros(len(self._families.values), bool))

    def _counts(self, own: Tally) -> Floats:  # float[L, cells]
        first = self._design.size * (self._design.size + 1) // 2
        return np.ascontiguousarray(own.weight[:, first:])

    def _sums(self, own: Tally) -> tuple[Floats, Floats, Floats]:  # float[L, D (D + 1) / 2], float[L, D], float[L]
        """The upper half of XᵀX, Xᵀy and yᵀy of each lane."""
        d = self._design.size
        half = np.ascontiguousarray(own.weight[:, : d * (d + 1) // 2])
        return half, np.ascontiguousarray(own.reward[:, :d]), np.ascontiguousarray(own.squares[:, 0])

    def _posterior(self, own: Tally, lane: int) -> column_lanes.Posterior:
        half, xy, yy = self._sums(own.lanes(np.array([lane])))
        return column_lanes.posterior_of(self._members).told(half[0], xy[0], float(yy[0]))

    def _under(self, effects: Floats, tables: Callable[[slice], Floats]) -> Floats:  # float[N, A]
        """What effects (float[N, D]) come to under all actions, by tables of the causes (float[some, cells]) beside them."""
        found, varying = effects @ self._shares.fixed.T, self._shares.varying
        step = max(1, _NUMBERS_AT_ONCE // max(1, len(varying) * effects.shape[1]))
        for first in range(0, len(effects) if len(varying) else 0, step):
            some = slice(first, min(first + step, len(effects)))
            columns = self._shares.expected(tables(some))
            found[some, varying] = np.matmul(columns, effects[some, :, None])[:, :, 0]
        return np.asarray(found)

    def mean_by_tables(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior means."""
        own, effects = self.beside.own(tally), np.empty((len(played), self._design.size))
        base, sigma = column_lanes.mean_effects(self._members, *self._sums(own), effects)
        counts = self._counts(own)
        means = self._under(effects, lambda lanes: self._rows.means(counts[lanes]))
        return np.asarray(base[:, None] + sigma[:, None] * np.round(means / sigma[:, None], _DIGITS))

    def by_counts(self, tally: Tally) -> Floats:  # float[L, 1]
        """The probability that a hidden variable causes the reward: none does."""
        return np.zeros((len(tally.weight), 1))

    def unseen(self, tally: Tally) -> Floats:  # float[L, A]
        """The probability that the belief says nothing of an action: it says something of all."""
        return np.zeros((len(tally.weight), len(self.problem.actions)))

    @property
    def cells(self) -> int:
        """The number of cells of the belief's own sums."""
        own: ColumnSums = self.statistic.own  # type: ignore[assignment]
        return own.own + own.cells.total

    def rounds_counted(self, tally: Tally) -> Floats:  # float[L, 1]
        """The number of rounds in the regression."""
        return self.beside.own(tally).weight[:, :1]

    def variance_of_round(self, tally: Tally, lane: int) -> float:
        """The expected variance of a round in one lane."""
        return self._posterior(self.beside.own(tally), lane).noise()

    def draw_tables(self, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """The means of all actions in one lane, under draws from the posterior."""
        own = self.beside.own(tally.lanes(np.array([lane])))
        posterior = self._posterior(own, 0)
        base, effects, counts = posterior.base, posterior.drawn(draws, rng), self._counts(own)[0]
        return self._within(
            base + self._under(effects, lambda some: self._rows.drawn(counts, some.stop - some.start, rng))
        )

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions in each lane, under one draw from the posterior."""
        own, effects = self.beside.own(tally), np.empty((len(played), self._design.size))
        base, counts = column_lanes.draw_by_lane(self._members, *self._sums(own), rng, effects), self._counts(own)
        under = self._under(effects, lambda lanes: self._rows.drawn_by_lane(counts[lanes], rng))
        return self._within(base[:, None] + under)

    def _within(self, means: Floats) -> Floats:
        """Means that are drawn; those of successes between 0 and 1."""
        return np.asarray(means if self._members.number else np.clip(means, 0.0, 1.0))

    def information_gain(
        self, tally: Tally, played: Floats, asked: Question, rng: np.random.Generator
    ) -> Floats:  # float[L, A]
        """The information gain of a round of each action: the expected share of the variance of differences removed."""
        some = self.problem.contenders if asked.among is None else asked.among
        about = self._about(some, np.ones(len(some), bool) if asked.of is None else asked.of)
        own, out = self.beside.own(tally), np.zeros((len(played), len(about.needed)))
        made, columns = about.columns, np.zeros((len(played), 0, self._design.size))
        if len(about.vary):
            columns = self._shares.expected(self._rows.means(self._counts(own)))
            columns = np.ascontiguousarray(columns[:, about.vary]) if len(about.vary) < columns.shape[1] else columns
            made = about.made(self._shares, columns[0])
        column_lanes.gains(
            self._members,
            *self._sums(own),
            made,
            columns,
            about.some,
            about.of,
            *self._of_columns,
            asked.pairs,
            _DRAWS,
            rng,
            out,
        )
        if len(about.needed) == len(some):
            return out
        found = np.zeros(played.shape)
        found[:, about.needed] = out
        return found

    def _about(self, some: Bools, of: Bools) -> _About:
        """The actions of a question, kept for the next ones: contexts ask the same again and again."""
        key, kept = some.tobytes() + of.tobytes(), self._questions
        if (found := kept.get(key)) is None:
            if (len(kept) + 1) * self._shares.fixed.size > _MOST_NUMBERS:
                kept.clear()
            found = kept[key] = _About.of_actions(self._shares, some, of)
        return found

    @cached_property
    def _questions(self) -> dict[bytes, _About]:
        return {}

    @cached_property
    def _of_columns(self) -> tuple[NDArray[np.uint8], Ints, Ints]:  # bool[main], int[B, 2], int[P, 2]
        """The columns of causes of two values, the first and last ones of other causes, and those that products are of."""
        design = self._design
        blocks = np.array([design.start[j : j + 2] for j, size in enumerate(design.sizes) if size > 2], np.int64)
        return self._two_valued, blocks.reshape(-1, 2), np.ascontiguousarray(np.stack(design.of_pair, axis=1))

    @cached_property
    def _two_valued(self) -> NDArray[np.uint8]:  # bool[main]
        """Which columns are those of a cause of two values."""
        design = self._design
        found = np.repeat(np.array(design.sizes) == 2, np.diff(design.start))
        return np.concatenate([[False], found]).astype(np.uint8)


_FEW_ROWS = 32
"""The rows of the reward's table up to which joint settings are believed by tables."""
_JOINT = 3
"""The causes of the reward that a joint setting sets, at least."""


def of_one_graph(problem: Problem) -> FamilyBelief | ColumnBelief:
    """The belief where no arrow is in doubt: in tables where they are small and rounds show their rows, else in columns.

    Where many causes are set together, each action rests on few rows of a large table, of which each is hardly ever seen.
    """
    graph = problem.graph
    parents = graph.parents[str(graph.reward)]
    set_together = (problem.actions.codes[:, [graph.names.index(n) for n in parents]] >= 0).sum(axis=1).max(initial=0)
    if set_together >= _JOINT and states(graph, parents) > _FEW_ROWS:
        with suppress(NotValid, TooLarge):
            return ColumnBelief(problem)
    try:
        return FamilyBelief(problem)
    except TooLarge:
        return ColumnBelief(problem)
