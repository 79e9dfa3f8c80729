"""The rows of the reward's table in a belief in tables: what their cells are, and how they make up a mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.causal.reward import NumberReward, SuccessReward, WorthReward
from bestdo.learners.beliefs.families import Families, families
from bestdo.learners.beliefs.passes import payoffs

__all__ = ["RewardRows", "reward_rows"]

Shapes = Sequence[tuple[tuple[int, ...], int]]


class RewardRows(Protocol):
    """The rows of the reward's table, one for each state of its causes."""

    @property
    def payoff(self) -> Floats:  # float[values]
        """By which a row's cells are multiplied to make up its mean."""
        ...

    @property
    def if_unseen(self) -> Floats:  # float[values]
        """By which the cells of a row are multiplied where only what was counted is taken to be known."""
        ...

    @property
    def cells_of_state(self) -> int:
        """How many cells stand for one cell of the sums by states of causes (`States`)."""
        ...

    def families(self, shapes: Shapes, reward: int) -> Families:
        """The families of tables of these shapes, of which one is the reward's."""
        ...

    def counts(self, own: Tally, tables: Families, reward: int) -> Floats:  # float[L, told]
        """What compiled loops are told of the sums of all tables."""
        ...

    def counts_of_states(self, own: Tally, tables: Families) -> Floats:  # float[L, told]
        """What compiled loops are told of the sums by states of causes, where the reward is the only table."""
        ...

    def means(self, tables: Floats, law: Floats) -> Floats:  # float[L, A]
        """The means of all actions, from the reward's table (float[L, cells]) and the law of its causes (float[A, S])."""
        ...

    def rounds_seen(self, rounds: Floats, counted: Floats) -> Floats:  # float[L, A]
        """How many rounds draws of means are worth, where so many were counted (float[L, A])."""
        ...


@dataclass(frozen=True)
class _Values:
    """Rows with a cell for each value that tables tell apart."""

    graph: Graph

    @property
    def if_unseen(self) -> Floats:  # float[values]
        """All cells alike."""
        return np.ones(len(self.payoff))

    @property
    def payoff(self) -> Floats:  # float[values]
        """Failure and success."""
        return np.array([0.0, 1.0])

    def families(self, shapes: Shapes, reward: int) -> Families:
        """Tables of values alone."""
        return families(list(shapes))

    def counts(self, own: Tally, tables: Families, reward: int) -> Floats:  # float[L, told]
        """How often each cell was counted."""
        return np.ascontiguousarray(own.weight[:, : int(tables.start[-1])])

    def rounds_seen(self, rounds: Floats, counted: Floats) -> Floats:  # float[L, A]
        """All of them."""
        return rounds


class SuccessRows(_Values):
    """Rows of failure and success."""

    cells_of_state = 2

    def counts_of_states(self, own: Tally, tables: Families) -> Floats:  # float[L, told]
        """Failures and successes."""
        return np.stack([own.weight - own.reward, own.reward], axis=2).reshape(len(own.weight), -1)

    def means(self, tables: Floats, law: Floats) -> Floats:  # float[L, A]
        """By the cells of success."""
        return np.asarray(tables[:, 1::2] @ law.T)


class WorthRows(_Values):
    """Rows with a cell for each value of the reward, each worth a number."""

    cells_of_state = 1

    @property
    def payoff(self) -> Floats:  # float[values]
        """What each value is worth, as learners have it."""
        return payoffs(self.graph)

    @property
    def if_unseen(self) -> Floats:  # float[values]
        """The best value alone."""
        return np.asarray(np.arange(len(self.payoff)) == self.payoff.argmax(), np.float64)

    def counts_of_states(self, own: Tally, tables: Families) -> Floats:  # float[L, told]
        """How often each value was counted."""
        return np.ascontiguousarray(own.weight)

    def means(self, tables: Floats, law: Floats) -> Floats:  # float[L, A]
        """By all cells."""
        return np.asarray(tables.reshape(len(tables), -1, len(self.payoff)) @ self.payoff @ law.T)


class NumberRows(_Values):
    """Rows with one cell, the mean of a number; the sums of its rows and of their squares stand behind all counts."""

    cells_of_state = 1

    @property
    def payoff(self) -> Floats:  # float[1]
        """The mean itself."""
        return np.ones(1)

    def families(self, shapes: Shapes, reward: int) -> Families:
        """Tables of values, and a normal model of the reward."""
        return families(list(shapes), reward, self.graph.rewarded.middle)

    def counts(self, own: Tally, tables: Families, reward: int) -> Floats:  # float[L, told]
        """How often each cell was counted, and the sums of the reward's rows."""
        cells = slice(int(tables.start[-1]))
        rows = slice(int(tables.start[reward]), int(tables.start[reward + 1]))
        return np.concatenate([own.weight[:, cells], own.reward[:, rows], own.squares[:, rows]], axis=1)

    def counts_of_states(self, own: Tally, tables: Families) -> Floats:  # float[L, told]
        """How often each state was counted, and its sums."""
        return self.counts(own, tables, 0)

    def means(self, tables: Floats, law: Floats) -> Floats:  # float[L, A]
        """By the means of the states."""
        return np.asarray(tables.reshape(len(tables), -1, 1) @ self.payoff @ law.T)

    def rounds_seen(self, rounds: Floats, counted: Floats) -> Floats:  # float[L, A]
        """At most those that were counted: a variance drawn for each row makes draws narrower than single rounds."""
        return np.minimum(rounds, counted)


_KINDS: dict[type, type[SuccessRows | WorthRows | NumberRows]] = {
    SuccessReward: SuccessRows,
    WorthReward: WorthRows,
    NumberReward: NumberRows,
}


def reward_rows(graph: Graph) -> RewardRows:
    """The rows of the table of a graph's reward."""
    return _KINDS[type(graph.rewarded)](graph)
