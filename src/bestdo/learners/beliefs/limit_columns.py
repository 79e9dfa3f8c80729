"""The belief about a limited outcome in columns: every round tells about every action."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.tally import Tally
from bestdo.learners.beliefs.belief import DRAWS
from bestdo.learners.beliefs.column_belief import ColumnBelief
from bestdo.learners.beliefs.missing_parents_belief import MissingParentsBelief

__all__ = ["ByColumns"]

_LEAST = 1e-12  # in place of a variance of 0
_PRIOR = 1.0, 10.0
"""The least and the most rounds that the prior of a mean is worth, which lies at the bound: as many as leave means as far
apart as those of the actions look. Where these look alike, what was said with 0.92 was true in 0.75, 0.83 and 0.88 with 0, 4
and 10 rounds (standard errors 0.06), as columns do not have all interactions; where they do not, 10 are far too careful."""
_UNEQUAL = 0.1
"""How far a mean may lie from what columns say of it, in units of the spread of a round: interactions that no column has.
Rounds of other actions are therefore worth 100 rounds of an action at most. Tried: 0, 0.1 and 0.2."""


@dataclass(frozen=True)
class ByColumns:
    """A regression of the outcome on its causes, of whose rounds each action has as many as the regression is worth for it.

    The rounds themselves set the centre and the weights of the regression's prior, so it would be sure of a rare event's
    absence after a few rounds. What it says of an action is therefore also taken as a number of rounds with this mean, told
    to a uniform prior (of a number: to Student's distribution); the smaller of both probabilities counts.
    """

    belief: MissingParentsBelief
    columns: ColumnBelief
    own: Callable[[Tally], Floats]
    """The rounds that count for each action by themselves (float[L, A]), from the counts of actions."""

    def within(self, counts: Tally, sums: Tally, bound: float, at_most: bool) -> Floats:  # float[L, A]
        """The probability that the outcome is at most the bound, or at least, the same for the same sums."""
        whole, alone = self.belief.statistic.apart(sums)
        told, one = self.columns.rounds_counted(whole) + alone.weight, self.columns.variance_of_round
        lanes = range(len(sums.weight))
        own = self.own(counts)
        each = (self._both(self._drawn(sums, lane), one(whole, lane), told[lane], own[lane], bound) for lane in lanes)
        return np.array([(both if at_most else 1 - both).min(axis=0) for both in each])

    def draw(self, counts: Tally, sums: Tally, rng: np.random.Generator) -> Floats:  # float[L, A]
        """A joint draw in each lane."""
        return self.belief.draw_by_lane(sums, self._no_plays(sums), rng)

    def draws(self, counts: Tally, sums: Tally, rng: np.random.Generator) -> Floats:  # float[D, A]
        """Joint draws in one lane, the same for the same sums."""
        return self._drawn(sums, 0)

    def _drawn(self, sums: Tally, lane: int) -> Floats:  # float[D, A]
        return self.belief.drawn(sums, self._no_plays(sums), lane, DRAWS)

    def _no_plays(self, sums: Tally) -> Floats:  # float[L, A]
        return np.zeros((len(sums.weight), len(self.columns.problem.actions)))

    @cached_property
    def _worth_before(self) -> Floats:  # float[A]
        """The rounds of each action that the prior of the regression is worth."""
        nothing = Tally.zeros(1, self.columns.cells + len(self.columns.problem.actions))
        drawn = self.columns.draw_tables(nothing, 0, DRAWS, np.random.default_rng(0))
        return np.asarray(self.columns.variance_of_round(nothing, 0) / np.maximum(drawn.var(axis=0), _LEAST))

    def _both(self, drawn: Floats, one: float, told: Floats, own: Floats, bound: float) -> Floats:  # float[2, A]
        """Two probabilities to be at most the bound: by the draws (float[D, A]), and by as many rounds as these are worth.

        `one` is the variance of a round. No action has more rounds than were told (`told`, float[A]); some are its own
        (`own`, float[A]).
        """
        from scipy.special import betainc, stdtr

        mean, variance = drawn.mean(axis=0), np.maximum(drawn.var(axis=0), _LEAST)
        rounds = np.clip(one / variance - self._worth_before, 0.0, told)
        if self.columns.problem.graph.two_values:
            by_rounds = betainc(1 + rounds * mean, 1 + rounds * (1 - mean), bound)
        else:
            alike = np.maximum(rounds / (1 + rounds * _UNEQUAL**2), np.minimum(rounds, own))
            part = alike / (rounds + np.clip(one / max(float(mean.var()), _LEAST), *_PRIOR))
            by_rounds = stdtr(np.maximum(rounds - 1, 1.0), np.sqrt(part) * (bound - mean) / np.sqrt(variance))
        return np.stack([(drawn <= bound).mean(axis=0), by_rounds])
