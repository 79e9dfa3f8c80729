"""Rounds and plans: what was played and seen, and what is to be played next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Begun", "Plan", "Rounds", "together"]


class Plan(NamedTuple):
    """How often to play each action in the next block.

    A plan of zeros, told with the sums of old rounds, says that these cost nothing: they count, and end no phase.
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
    y: NDArray[np.bool_]
    """bool[R]: whether the reward was a success."""
    times: NDArray[np.integer] | None = None
    """int[R]: how often the same round occurred; None when each occurred once."""

    def pick(self, which: slice | NDArray[np.integer]) -> Rounds:
        """Some of the rounds."""
        times = None if self.times is None else self.times[which]
        return Rounds(self.lane[which], self.action[which], self.x[which], self.y[which], times)


class Begun(NamedTuple):
    """What has been played of an experiment so far; everything of one lane."""

    blocks: tuple[Rounds, ...] = ()
    """The blocks that are complete, in their order."""
    open: Rounds | None = None
    """What has come back of the block that is not."""
    left: NDArray[np.int64] | None = None
    """int[A]: what of that block is still to be played."""
    old: Rounds | None = None
    """Rounds of do() that were seen before the first round, and cost nothing."""

    @property
    def rounds(self) -> tuple[Rounds, ...]:
        """All that has been seen."""
        return tuple(part for part in (self.old, *self.blocks, self.open) if part is not None)


def together(lots: Sequence[Rounds]) -> Rounds:
    """All rounds of some lots, at least one."""
    times = [np.ones(len(r.lane), np.int64) if r.times is None else r.times for r in lots]
    lane, action, x, y = (np.concatenate(parts) for parts in zip(*(r[:4] for r in lots), strict=True))
    return Rounds(lane, action, x, y, np.concatenate(times))
