"""The rows of the reward's table in a belief in tables: what their cells are, and how they make up a mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.combinations import NUMBER_AND_DOUBTS_BELOW
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.causal.reward import NumberReward, SuccessReward, WorthReward
from bestdo.errors import NotValid, shown
from bestdo.learners.beliefs.families import Families, families
from bestdo.learners.beliefs.normal_posterior import within
from bestdo.learners.beliefs.passes import payoffs

__all__ = ["RewardRows", "reward_rows"]

Shapes = Sequence[tuple[tuple[int, ...], int]]
RoundsWorth = Callable[[Floats, Floats], Floats]


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

    @property
    def by_value(self) -> bool:
        """Whether sums by states of causes (`States`) have a cell for each value."""
        ...

    def check(self, tables: int) -> None:
        """Raises NotValid where the reward has so many tables, one for each set of its parents, and may not."""
        ...

    def rounds_seen(self, rounds: Floats, counted: Floats) -> Floats:  # float[L, A]
        """How many rounds draws of means are worth, where so many were counted (float[L, A])."""
        ...

    def rounds_before(self, actions: int, draw: Callable[[], Floats]) -> Floats:  # float[A]
        """The rounds of each action that the prior is worth, by draws of all means from it (float[D, A]) where needed."""
        ...

    def with_rounds(
        self, drawn: Floats, alone: Tally, lane: int, rounds_worth: RoundsWorth
    ) -> tuple[Floats, Floats, Floats]:
        """Draws by tables (float[D, A]) with rounds of each action alone; their worth in rounds without and with these.

        `alone` are the sums of these rounds, `rounds_worth` the rounds that leave means with their variances, in the lane.
        """
        ...

    def within(self, found: Estimates, seen: Tally) -> Estimates:
        """Estimates within the range of the reward; `seen` are the counts of each action."""
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

    by_value: ClassVar[bool] = False

    def check(self, tables: int) -> None:
        """Any number of tables is valid."""

    def rounds_seen(self, rounds: Floats, counted: Floats) -> Floats:  # float[L, A]
        """All of them."""
        return rounds

    def rounds_before(self, actions: int, draw: Callable[[], Floats]) -> Floats:  # float[A]
        """The rounds that have the variance of the draws."""
        drawn = draw()
        mean = drawn.mean(axis=0)
        return np.asarray(mean * (1 - mean) / np.maximum(drawn.var(axis=0), 1e-12) - 1)

    def with_rounds(
        self, drawn: Floats, alone: Tally, lane: int, rounds_worth: RoundsWorth
    ) -> tuple[Floats, Floats, Floats]:
        """Draws of a Beta with the expectation and variance of the draws, and these successes; ranks are kept."""
        from scipy.special import betaincinv

        centre = np.clip(drawn.mean(axis=0), 1e-6, 1 - 1e-6)
        worth = np.maximum(centre * (1 - centre) / np.maximum(drawn.var(axis=0), 1e-12) - 1, 1e-3)
        good, rounds = centre * worth + alone.reward[lane], worth + alone.weight[lane]
        for a in np.flatnonzero(alone.weight[lane]):
            rank = drawn[:, a].argsort().argsort()
            drawn[:, a] = betaincinv(good[a], rounds[a] - good[a], (rank + 0.5) / len(drawn))
        return drawn, worth, rounds

    def within(self, found: Estimates, seen: Tally) -> Estimates:
        """The estimates as they are."""
        return found


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
    by_value = True

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

    def check(self, tables: int) -> None:
        """Tables of a number have the same parents in all graphs."""
        if tables > 1:
            raise NotValid(NUMBER_AND_DOUBTS_BELOW.why(shown(str(self.graph.reward))))

    def rounds_before(self, actions: int, draw: Callable[[], Floats]) -> Floats:  # float[A]
        """One round."""
        return np.ones(actions)

    def with_rounds(
        self, drawn: Floats, alone: Tally, lane: int, rounds_worth: RoundsWorth
    ) -> tuple[Floats, Floats, Floats]:
        """Draws moved to the mean with these rounds, and closer to it."""
        centre, spread = drawn.mean(axis=0), drawn.var(axis=0)
        worth = np.maximum(rounds_worth(centre, spread)[lane], 1e-3)
        rounds = worth + alone.weight[lane]
        mean = (centre * worth + alone.reward[lane]) / rounds
        return mean + (drawn - centre) * np.sqrt(worth / rounds), worth, rounds

    def within(self, found: Estimates, seen: Tally) -> Estimates:
        """The estimates within the bounds of a number; without bounds, nothing is known before two rewards differ."""
        return within(found, self.graph, seen)


_KINDS: dict[type, type[SuccessRows | WorthRows | NumberRows]] = {
    SuccessReward: SuccessRows,
    WorthReward: WorthRows,
    NumberReward: NumberRows,
}


def reward_rows(graph: Graph) -> RewardRows:
    """The rows of the table of a graph's reward."""
    return _KINDS[type(graph.rewarded)](graph)
