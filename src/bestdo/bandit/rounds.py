"""Rounds that were played, plans of what to play next, and the progress of an experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.causal.graph import Graph
from bestdo.text import counted

__all__ = ["UNKNOWN", "Plan", "Progress", "Rounds", "concatenate", "rewards"]


_NO_NUMBERS: Mapping[str, Floats] = MappingProxyType({})


UNKNOWN = -2
"""In `Rounds.x`: nothing is known of a variable, though the action says that it is set. So are rounds in a context of which
only a part is known: their action is a pair with any context that agrees. Statistics with `takes_unknown` count them."""


class Plan(NamedTuple):
    """The number of plays of each action in the next block.

    A plan of zeros is told with the sums of old rounds: they cost nothing, count as known, and end no phase.
    """

    counts: NDArray[np.int64]
    """int[L, A]; a lane that has finished is a row of zeros."""


class Rounds(NamedTuple):
    """Rounds that were played, of one or of many lanes, in any order."""

    lane: NDArray[np.int64]
    """int[R]"""
    action: NDArray[np.int64]
    """int[R]: the number of the action, as in `Actions.index`."""
    x: NDArray[np.integer]
    """int[R, V]: the value of each variable in the order of `graph.names`; -1 where it was not observed."""
    y: NDArray[np.bool_] | NDArray[np.float64]
    """bool[R]: whether the reward was a success; or float[R], the number that it was or was worth, as learners have it: from
    0 for the worst to 1 for the best where it has bounds (`Graph.span`)."""
    times: NDArray[np.integer | np.floating] | None = None
    """int[R]: how often the same round occurred; None when each occurred once. (Rows that a policy chose with known
    probabilities may be worth parts of a round, and only statistics get these.)"""
    numbers: Mapping[str, Floats] = _NO_NUMBERS
    """float[R] for each variable that is a number and limited, or that the reward is per unit of (`Problem.numbers`): that
    number in its own unit, NaN where it is not known."""

    def __repr__(self) -> str:
        return f"Rounds({counted(len(self.lane), 'row')} of {counted(self.x.shape[1], 'variable')})"

    def pick(self, which: slice | NDArray[np.integer]) -> Rounds:
        """Some of the rounds."""
        times = None if self.times is None else self.times[which]
        numbers = {name: column[which] for name, column in self.numbers.items()}
        return Rounds(self.lane[which], self.action[which], self.x[which], self.y[which], times, numbers)


class Progress(NamedTuple):
    """The progress of an experiment: what has been played so far, all in one lane."""

    blocks: tuple[Rounds, ...] = ()
    """The blocks that are complete, in their order."""
    open: Rounds | None = None
    """The rounds of the open block whose results have come back."""
    left: NDArray[np.int64] | None = None
    """int[A]: how often each action is still to be played in the open block."""
    old: Rounds | None = None
    """Old data: rounds of do() before the first round, which cost nothing."""

    @property
    def rounds(self) -> tuple[Rounds, ...]:
        """The rounds so far, in parts."""
        return tuple(part for part in (self.old, *self.blocks, self.open) if part is not None)


def concatenate(parts: Sequence[Rounds]) -> Rounds:
    """The rounds of all parts, of which there must be at least one."""
    times = [np.ones(len(r.lane), np.int64) if r.times is None else r.times for r in parts]
    lane, action, x, y = (np.concatenate(columns) for columns in zip(*(r[:4] for r in parts), strict=True))
    names = dict.fromkeys(name for r in parts for name in r.numbers)
    numbers = {n: np.concatenate([r.numbers.get(n, np.full(len(r.lane), np.nan)) for r in parts]) for n in names}
    return Rounds(lane, action, x, y, np.concatenate(times), numbers)


def rewards(
    graph: Graph, x: NDArray[np.integer], numbers: Mapping[str, Floats] = _NO_NUMBERS
) -> NDArray[np.bool_] | NDArray[np.float64]:  # [R]
    """The rewards in rows of values (int[R, V]), as `Rounds.y`: nothing else makes a reward of what was seen.

    `numbers` (float[R] each) are those of variables that are numbers, in their own unit.
    """
    assert graph.reward is not None
    value = x[:, graph.names.index(graph.reward)]
    return graph.rewarded.of(value, graph.rewarded.per_unit(numbers))
