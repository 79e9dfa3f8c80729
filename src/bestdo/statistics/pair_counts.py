"""Counts of rounds that tell about two actions at once, for comparisons of the two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.bandit.tally import Tally
from bestdo.memory_cache import memory_cache
from bestdo.statistics.seen import Seen
from bestdo.statistics.summing import sum_by_lane

__all__ = ["Pairs"]

# How many numbers (rounds × pairs) are held at once: 32 MB. For 20,000 rounds of 101 actions the time was least at
# 2**20 (0.5 s), and 0.6 to 1.1 s from 2**16 to 2**24.
_CELLS_AT_ONCE = 2**22


@memory_cache
def _places(actions: int) -> Ints:  # int[A, A]
    """The number of the cell of every two of these actions."""
    place = np.zeros((actions, actions), np.int64)
    above = np.triu_indices(actions)
    place[above] = np.arange(len(above[0]))
    return np.maximum(place, place.T)


@dataclass(frozen=True)
class Pairs:
    """A round counts towards each pair of actions if it counts towards both by `Seen`; pairs of equal actions included."""

    problem: Problem
    trusting: bool = True
    """Whether seen values count where the graph says that seeing equals doing; otherwise only plays count."""

    @property
    def place(self) -> Ints:  # int[A, A]
        """The number of the cell of every two actions."""
        return _places(len(self.problem.actions))

    def tally(self, rounds: Rounds, lanes: int) -> Tally:
        """The number of rounds that count for both of every two actions, and the successes among them."""
        actions = len(self.problem.actions)
        first, second = np.triu_indices(actions)

        def of(part: Rounds) -> Tally:
            counts = Seen(self.problem).counts(part) if self.trusting else np.eye(actions, dtype=bool)[part.action]
            both = (counts[:, first] & counts[:, second]).astype(np.float64)  # float[R, C]
            if part.times is not None:
                both *= part.times[:, None]
            y = part.y[:, None]
            lots = (both, both * y) if y.dtype == np.bool_ else (both, both * y, both * y**2)
            return Tally.from_counts(*(sum_by_lane(part.lane, lot, lanes) for lot in lots))

        size = max(1, _CELLS_AT_ONCE // len(first))
        parts = (rounds.pick(slice(i, i + size)) for i in range(0, len(rounds.lane), size))
        return Tally.total(map(of, parts), lanes, len(first))
