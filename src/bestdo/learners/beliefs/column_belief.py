"""The belief that the reward follows from a regression on its causes, where these are too many for tables."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.recent_sums import recent
from bestdo.bandit.tally import Tally
from bestdo.causal.action import states
from bestdo.errors import NotValid, TooLarge
from bestdo.learners.beliefs import table_belief
from bestdo.learners.beliefs.beside_counts import BesideCounts
from bestdo.learners.beliefs.column_design import Design, pairs_by_promise
from bestdo.learners.beliefs.column_members import LanePosterior, Members, Moments
from bestdo.learners.beliefs.families import Families, families
from bestdo.learners.beliefs.family_belief import FamilyBelief
from bestdo.learners.beliefs.joint_estimates import joint_estimates
from bestdo.learners.beliefs.normal_posterior import MOST_VARIANCE
from bestdo.learners.beliefs.parent_shares import ParentShares
from bestdo.learners.beliefs.table_rows import TableRows
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.column_sums import ColumnSums

__all__ = ["ColumnBelief", "of_one_graph"]

_DRAWS = 128
"""The number of draws from which the pairs of a round are taken."""
_DIGITS = 10
"""Decimals of means, in spreads of a round, that count: equal actions have equal means."""
_NUMBERS_AT_ONCE = 2**22
_LEAST_VARIANCE = 0.01
"""The least variance of a success that a round is rated by."""


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
        _ = self._shares.known

    @cached_property
    def _design(self) -> Design:
        graph = self.problem.graph
        parents = graph.parents[str(graph.reward)]
        codes = self.problem.actions.codes[:, [graph.names.index(n) for n in parents]] >= 0
        wanted = pairs_by_promise(
            [graph.size(n) for n in parents], codes.all(axis=0).tolist(), codes.any(axis=0).tolist()
        )
        return Design.of([graph.size(n) for n in parents], wanted)

    @cached_property
    def _shares(self) -> ParentShares:
        return ParentShares(self.problem, self._design)

    @cached_property
    def _members(self) -> Members:
        rewarded = self.problem.graph.rewarded
        most = min(rewarded.most_variance, 1e300)
        variance = most if rewarded.most_variance < np.inf else MOST_VARIANCE
        return Members(self._design, not self.problem.graph.two_values, rewarded.middle, variance)

    @cached_property
    def statistic(self) -> BesideSeen:
        """The sums of the regression and counts of the causes' tables; and of each action."""
        design = self._design
        cells = (
            self._shares.cells if self.problem.law is None else self._shares.cells._replace(start=np.zeros(1, np.int64))
        )
        return BesideSeen(ColumnSums(self.problem, design.columns, design.size, cells))

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
        return families(
            [
                (tuple(graph.size(p) for p in graph.parents[n]), int(v))
                for n, v in zip(cells.names, cells.values, strict=True)
            ]
        )

    @cached_property
    def _rows(self) -> TableRows:
        return TableRows(self._families, np.zeros(len(self._families.values), bool))

    def _counts(self, own: Tally) -> Floats:  # float[L, cells]
        first = self._design.size * (self._design.size + 1) // 2
        return np.ascontiguousarray(own.weight[:, first:])

    def _expected(self, own: Tally) -> Floats:  # float[L or 1, A, D]
        if self._shares.certain:
            return self._certain
        return self._shares.expected(self._rows.means(self._counts(own)))

    @cached_property
    def _certain(self) -> Floats:
        cells = 0 if self.problem.law is not None else self._shares.cells.total
        return self._shares.expected(np.ones((1, cells)))

    def _posterior(self, own: Tally, lane: int) -> LanePosterior:
        d = self._design.size
        gram = np.zeros((d, d))
        half = np.triu_indices(d)
        gram[half] = own.weight[lane, : len(half[0])]
        gram.T[half] = own.weight[lane, : len(half[0])]
        return LanePosterior(self._members, Moments(gram, own.reward[lane, :d], float(own.squares[lane, 0])))

    @recent
    def _lanes(self, tally: Tally) -> list[tuple[LanePosterior, Floats]]:
        """The posterior of each lane, and the expected columns of each action in it (float[A, D])."""
        own = self.beside.own(tally)
        expected = self._expected(own)
        posteriors = [self._posterior(own, lane) for lane in range(len(own.weight))]
        return list(zip(posteriors, np.broadcast_to(expected, (len(posteriors), *expected.shape[1:])), strict=True))

    def mean_by_tables(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior means."""
        found = np.empty(played.shape)
        for lane, (posterior, expected) in enumerate(self._lanes(tally)):
            found[lane] = posterior.base + posterior.sigma * np.round(
                expected @ posterior.mean / posterior.sigma, _DIGITS
            )
        return found

    def by_counts(self, tally: Tally) -> Floats:  # float[L, 1]
        """The probability that a hidden variable causes the reward: none does."""
        return np.zeros((len(tally.weight), 1))

    def unseen(self, tally: Tally) -> Floats:  # float[L, A]
        """The probability that the belief says nothing of an action: it says something of all."""
        return np.zeros((len(tally.weight), len(self.problem.actions)))

    def rounds_counted(self, tally: Tally) -> Floats:  # float[L, 1]
        """The number of rounds in the regression."""
        return self.beside.own(tally).weight[:, :1]

    def draw_tables(self, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """The means of all actions in one lane, under draws from the posterior."""
        ((posterior, expected),) = self._lanes(tally.lanes(np.array([lane])))
        effects = posterior.drawn(draws, rng)
        return self._means(posterior, effects, expected, self.beside.own(tally), lane, rng)

    def _means(
        self,
        posterior: LanePosterior,
        effects: Floats,
        expected: Floats,
        own: Tally,
        lane: int,
        rng: np.random.Generator,
    ) -> Floats:  # float[D, A]
        if self._shares.certain:
            means = effects @ expected.T
        else:
            counts = self._counts(own)[lane]
            means = np.empty((len(effects), len(expected)))
            step = max(1, _NUMBERS_AT_ONCE // expected.size)
            order = rng.permutation(len(effects))
            for first in range(0, len(effects), step):
                some = order[first : first + step]
                columns = self._shares.expected(self._rows.drawn(counts, len(some), rng))
                means[some] = np.matmul(columns, effects[some][:, :, None])[:, :, 0]
        means = posterior.base + means
        return means if self._members.number else np.clip(means, 0.0, 1.0)

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions in each lane, under one draw from the posterior."""
        return np.concatenate([self.draw_tables(tally, lane, 1, rng) for lane in range(len(played))])

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
        some = np.flatnonzero(self.problem.contenders if among is None else among)
        out = np.empty(played.shape)
        for lane, (posterior, expected) in enumerate(self._lanes(tally)):
            out[lane] = self._gain(posterior, expected, some, pairs, rng)
        return out

    def _gain(
        self, posterior: LanePosterior, expected: Floats, some: Ints, pairs: int, rng: np.random.Generator
    ) -> Floats:  # float[A]
        effects = posterior.drawn(_DRAWS, rng, some=True)
        leader, challenger = _pairs(effects @ expected[some].T, pairs, rng)
        apart = (expected[some[leader]] - expected[some[challenger]]).T  # float[D, K]
        along = posterior.covariance_with(apart)
        variance = (apart * along).sum(axis=0)
        own = posterior.noise(np.zeros(1))
        if not self._members.number:
            mean = np.clip(posterior.base + expected @ posterior.mean, 0, 1)
            own = np.clip(mean * (1 - mean), _LEAST_VARIANCE, 0.25)[:, None]
        shown = self._squares(expected, along)
        return np.asarray(np.minimum(1, shown / (np.maximum(variance, 1e-30) * own)).sum(axis=1))

    def _squares(self, expected: Floats, along: Floats) -> Floats:  # float[A, K]
        """The expected square of a sum of effects in a round of each action, for weights of the columns (float[D, K])."""
        design = self._design
        main, found = expected[:, : design.main], (expected @ along) ** 2
        one, two = design.of_pair
        slope = np.broadcast_to(along[: design.main], (len(main), design.main, along.shape[1]))
        if len(one):
            both = np.zeros((design.main, design.main, along.shape[1]))
            both[one, two] = both[two, one] = along[design.main :]
            slope = slope + np.tensordot(main, both, 1)
        spread = np.where(self._two_valued, 0.5 - main**2, main)  # of columns; indicators of a cause depend, see below
        spread[:, 0] = 0.0
        found += np.matmul(spread[:, None], slope**2)[:, 0] if len(one) else spread @ along[: design.main] ** 2
        for j in np.flatnonzero(np.array(design.sizes) > 2):
            own = slice(design.start[j], design.start[j + 1])
            found -= np.matmul(main[:, None, own], slope[:, own])[:, 0] ** 2
        return found

    @cached_property
    def _two_valued(self) -> Bools:  # bool[main]
        """Which columns are those of a cause of two values."""
        design = self._design
        found = np.repeat(np.array(design.sizes) == 2, np.diff(design.start))
        return np.concatenate([[False], found])


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


def _pairs(means: Floats, pairs: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """The numbers of leaders and challengers among some actions, from draws of their means (float[D, some]).

    A draw promises the square of how far its best is above its mean. Leaders are the best of draws taken by that, without
    putting back; a challenger is the best of another draw with another best, taken alike.
    """
    best, most = means.argmax(axis=1), means.max(axis=1)
    promise = np.log((most - means.mean(axis=1)) ** 2 + 1e-300)
    chosen = np.argsort(-promise - rng.gumbel(size=len(promise)))[:pairs]
    others = np.where(best != best[chosen][:, None], promise + rng.gumbel(size=(len(chosen), len(promise))), -np.inf)
    challenger = best[others.argmax(axis=1)]
    alone = np.flatnonzero(np.isinf(others).all(axis=1))
    for at in alone:
        challenger[at] = np.argsort(means[chosen[at]])[-2]
    return best[chosen], challenger
