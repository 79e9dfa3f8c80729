"""A belief in the tables of the reward and its causes: an arrow says that a variable may matter, not that it must."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

import numpy as np

from bestdo.arrays import Bools, Floats
from bestdo.bandit.problem import Problem, require_law
from bestdo.bandit.tally import Tally
from bestdo.errors import TooLarge
from bestdo.learners.beliefs import table_belief
from bestdo.learners.beliefs.belief import Question
from bestdo.learners.beliefs.beside_counts import BesideCounts
from bestdo.learners.beliefs.families import Families, work_of
from bestdo.learners.beliefs.joint_estimates import joint_estimates
from bestdo.learners.beliefs.passes import Passes, passes_of
from bestdo.learners.beliefs.reward_rows import RewardRows, reward_rows
from bestdo.learners.beliefs.table_rows import TableRows
from bestdo.learners.kernels import family_lanes
from bestdo.statistics.beside_seen import BesideSeen
from bestdo.statistics.states import States
from bestdo.statistics.tables import Tables

__all__ = ["MOST_WORK", "FamilyBelief"]


MOST_WORK = 2**14
"""Steps of one pass over all sets of parents of all families: eight causes with two values are in, nine are out.

With ten, what is kept is as good as by columns, and rounds take five times as long (`tests/learners/test_belief_border.py`).
"""
_ENOUGH = 8
"""The rounds in which a value could have come by itself and never did, from which on rows may be new to it. Not tuned."""
_MANY_VALUES, _MORE_PAIRS, _MOST_IN_PAIRS = 8, 4, 160
"""The values of one variable that actions set, from which on a round is chosen by so many times as many pairs; and of pairs,
as many times as they have this many values in all at most, for a pair takes time for each value.

Such actions have no row in common, so that a round tells about one of them. Few pairs leave it to chance which, and rounds
are spread evenly. Ten rounds for each action, one cause, regret by 8 and by 32 pairs: 40 values 0.066 and 0.057, 20 values
0.066 and 0.054, 8 values 0.022 and 0.017 (standard errors 0.003); where causes of two or four values add up, no difference.
"""
_MOST_LAW = 2**16  # numbers in the law of the reward's parents


@final
@dataclass(frozen=True)
class FamilyBelief:
    """The belief that every family, a variable and its parents, follows one of some members (`families`), by their evidence.

    Families are independent given the counts. An action's mean is linear in each table and no product holds two cells of
    a table, so its expectation is its value at the mean tables, exactly. Where the law of the reward's parents is known,
    the reward is the only family. Where it is not, and some row of a table was not seen yet, half of the pairs, of which the
    rounds are chosen to tell the difference, are drawn from counts of each action alone: what was not seen yet is never
    ruled out by what the tables say of it.
    """

    problem: Problem
    shares_all: ClassVar[bool] = True
    counted = table_belief.counted
    mean = table_belief.mean
    draw = table_belief.draw
    drawn = table_belief.drawn
    estimates = joint_estimates

    def __post_init__(self) -> None:
        work = sum(work_of(parents) for parents, _ in self._shapes)
        if work > MOST_WORK:
            raise TooLarge(f"the tables take {work:,} steps for each look at them; at most {MOST_WORK:,} are done")
        if self._law is None:
            passes_of(self.problem.actions)
        else:
            require_law(self.problem, "the belief in the reward's table")  # it counts the states of the parents

    @cached_property
    def _law(self) -> Floats | None:  # float[A, S]
        """The law of the reward's parents, where it is known and can be listed."""
        return None if self.problem.law is None else self.problem.law.listed(_MOST_LAW)

    @cached_property
    def statistic(self) -> BesideSeen:
        """Counts of the states of the reward's parents, or of all tables; and of each action."""
        if self._law is None:
            return BesideSeen(Tables(self.problem))
        return BesideSeen(States(self.problem, by_value=self._reward_rows.by_value))

    @cached_property
    def beside(self) -> BesideCounts:
        """The belief by counts of each action."""
        return BesideCounts(self.statistic)

    @cached_property
    def worth_before(self) -> Floats:  # float[A]
        """The rounds of each action that the prior is worth."""
        return table_belief.worth_before(self)

    @cached_property
    def _shapes(self) -> list[tuple[tuple[int, ...], int]]:
        """The numbers of values of the parents and of the variable, for each family."""
        graph = self.problem.graph
        assert graph.reward is not None
        if self._law is not None:
            assert self.problem.law is not None
            return [(tuple(graph.size(p) for p in self.problem.law.parents), len(self._payoff))]
        cells = self.statistic.own.cells  # type: ignore[union-attr]
        rows = zip(cells.names, cells.values.tolist(), strict=True)
        return [(tuple(graph.size(p) for p in graph.parents[n]), values) for n, values in rows]

    @cached_property
    def _reward_rows(self) -> RewardRows:
        return reward_rows(self.problem.graph)

    @cached_property
    def _payoff(self) -> Floats:  # float[values]
        """The factors of a row's cells that make up its mean; a number's only cell is its mean."""
        return self._reward_rows.payoff

    @cached_property
    def _families(self) -> Families:
        return self._reward_rows.families(self._shapes, self._reward)

    @cached_property
    def _passes(self) -> Passes:
        return passes_of(self.problem.actions)

    def _counts(self, own: Tally) -> Floats:  # float[L, told]
        """The counts of each cell of each table; behind them the sums of a number's rows and of their squares."""
        if self._law is not None:
            return self._reward_rows.counts_of_states(own, self._families)
        return self._reward_rows.counts(own, self._families, self._reward)

    def means_of(self, tables: Floats) -> Floats:  # float[L, A]
        """The means of all actions under tables (float[L, cells])."""
        if self._law is not None:
            return self._reward_rows.means(tables, self._law)
        out = np.empty((len(tables), len(self.problem.actions)))
        family_lanes.means_by_circuit(self._passes, tables, out)
        return out

    def mean_by_tables(self, tally: Tally, played: Floats) -> Floats:  # float[L, A]
        """The posterior means; of what never came by itself at least those by its own rounds, as far as rows are new to it.

        Rows that nobody saw are believed to be like others. A value that no round brought by itself may be unlike all.
        """
        means = self.means_of(self._rows.means(self._counts(self.beside.own(tally))))
        new = self._never_came(tally)
        if (lanes := np.flatnonzero(new.any(axis=1))).size:
            some = tally.lanes(lanes)
            unseen, counted = self.unseen(some), self.beside.counting.mean(self.beside.seen(some), played[lanes])
            mixed = (1 - unseen) * means[lanes] + unseen * counted
            means[lanes] = np.where(new[lanes], np.maximum(means[lanes], mixed), means[lanes])
        return means

    def _never_came(self, tally: Tally) -> Bools:  # bool[L, A]
        """A mask of the actions that set a value which no round brought by itself, though enough rounds could have."""
        found = np.zeros((len(tally.weight), len(self.problem.actions)), bool)
        if self._law is not None:
            return found
        graph, own = self.problem.graph, self.beside.own(tally).weight
        cells = self.statistic.own.cells  # type: ignore[union-attr]
        for k, name in enumerate(cells.names):
            code = self.problem.actions.codes[:, graph.names.index(name)]
            if name != graph.reward and (code >= 0).any():
                table = own[:, cells.start[k] : cells.start[k + 1]]
                came = table.reshape(len(own), -1, int(cells.values[k])).sum(axis=1)
                never = (came == 0) & (came.sum(axis=1, keepdims=True) >= _ENOUGH)
                found |= never[:, np.maximum(code, 0)] & (code >= 0)
        return found

    def by_counts(self, tally: Tally) -> Floats:  # float[L, 1]
        """The probability that a hidden variable causes the reward: none does."""
        return np.zeros((len(tally.weight), 1))

    @cached_property
    def _rows(self) -> TableRows:
        return TableRows(self._families, self._always_set)

    @property
    def _always_set(self) -> Bools:  # bool[N]
        """The families of variables that every action sets, as what is seen first in a problem with contexts."""
        if self._law is not None or (self.problem.actions.codes < 0).all(axis=1).any():
            return np.zeros(len(self._shapes), bool)
        names, graph = self.statistic.own.cells.names, self.problem.graph  # type: ignore[union-attr]
        return np.asarray((self.problem.actions.codes >= 0).all(axis=0))[[graph.names.index(n) for n in names]]

    def unseen(self, tally: Tally) -> Floats:  # float[L, A]
        """The probability that a round of each action needs a row of a table in which nothing was counted yet."""
        counts = self._counts(self.beside.own(tally))
        some = self._rows.counted_cells(counts)
        own = slice(self._families.start[self._reward], self._families.start[self._reward + 1])
        known = self._rows.means(counts) * some
        known[:, own] = some[:, own] * np.resize(self._reward_rows.if_unseen, own.stop - own.start)
        return 1 - self.means_of(known)

    @cached_property
    def _reward(self) -> int:
        """The number of the reward's family."""
        names = () if self._law is not None else self.statistic.own.cells.names  # type: ignore[union-attr]
        return names.index(self.problem.graph.reward) if names else 0

    def draw_tables(self, tally: Tally, lane: int, draws: int, rng: np.random.Generator) -> Floats:  # float[D, A]
        """The means of all actions in one lane, under tables drawn from the posterior."""
        counts = self._counts(self.beside.own(tally.lanes(np.array([lane]))))[0]
        return self.means_of(self._rows.drawn(counts, draws, rng))

    def draw_by_lane(self, tally: Tally, played: Floats, rng: np.random.Generator) -> Floats:  # float[L, A]
        """The means of all actions in each lane, under one draw of its tables from the posterior."""
        return self.means_of(self._rows.drawn_by_lane(self._counts(self.beside.own(tally)), rng))

    def rounds_counted(self, tally: Tally) -> Floats:  # float[L, 1]
        """The number of rounds counted in the rows of the reward."""
        first, last = self._families.start[self._reward : self._reward + 2]
        return np.asarray(self.beside.own(tally).weight[:, first:last].sum(axis=1, keepdims=True))

    def information_gain(
        self, tally: Tally, played: Floats, asked: Question, rng: np.random.Generator
    ) -> Floats:  # float[L, A]
        """The information gain of a round of each action: the expected share of the variance of differences removed."""
        pairs, among, of = asked.pairs * self._more_pairs, asked.among, asked.of
        counts, out = self._counts(self.beside.own(tally)), np.empty(played.shape)
        some = np.flatnonzero(self.problem.contenders if among is None else among)
        if self._law is not None:
            law = np.ascontiguousarray(self._law)
            family_lanes.told_by_law(law, self._payoff, self._families, counts, some, pairs, rng, out)
            return out
        half = pairs - pairs // 2
        if among is None or of is None:
            family_lanes.told_by_circuit(self._passes, self._families, counts, some, half, rng, out)
        else:
            needed = np.flatnonzero(among | of)
            part = np.empty((len(out), len(needed)))
            places = np.searchsorted(needed, some)
            family_lanes.told_by_circuit(self._passes.of(needed), self._families, counts, places, half, rng, part)
            out[:] = 0
            out[:, needed] = part
        new = np.flatnonzero(~self._rows.counted(counts).all(axis=1))
        if pairs > 1 and len(new):
            out[new] += self.beside.gain(tally.lanes(new), played[new], asked._replace(pairs=pairs // 2), rng)
        return out

    @cached_property
    def _more_pairs(self) -> int:
        """How many times as many pairs of actions a round is chosen by."""
        codes = self.problem.actions.codes
        values = max((len(np.unique(own[own >= 0])) for own in codes.T), default=0)
        return max(1, min(_MORE_PAIRS, _MOST_IN_PAIRS // values)) if values >= _MANY_VALUES else 1

    @property
    def cells(self) -> int:
        """The number of cells of the tables' own sums."""
        each = 1 if self._law is None else self._reward_rows.cells_of_state
        return int(self._families.start[-1]) // each
