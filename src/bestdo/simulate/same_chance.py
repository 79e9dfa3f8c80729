"""Common random numbers: what happens in round t of a lane depends on a seed, t, the lane and the action, not on the learner.

Learners that are compared with the same seed then meet the same worlds and the same chance, so that the difference of what
they earn has a smaller error than the difference of two independent runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan, Rounds, concatenate
from bestdo.bandit.statistic import Summing
from bestdo.bandit.sums import added
from bestdo.bandit.tally import Tally
from bestdo.simulate.world import World, seen_rounds
from bestdo.simulate.world_batch import Worlds

__all__ = ["SameChance"]


_ROWS_AT_ONCE = 2**20
"""About how many rounds are drawn before they are summed. Limits memory. Not measured."""


@dataclass
class SameChance:
    """A world, or one for each lane, whose draws are the same for all learners that play it with the same seed.

    In each round the values of all variables come from one uniform number each: the same number for all actions, of which the
    lower part stands for the first value. Numbers come from the same normal numbers; where they follow another law than the
    normal, what one lane draws can shift what the others draw.
    """

    world: World | Worlds
    lanes: int
    seed: int
    step: int = 0
    """The number of rounds begun, where all lanes play them together, because their contexts are drawn first."""
    time: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """int[L]: how many rounds each lane has played, where there are no contexts."""

    def __post_init__(self) -> None:
        self.time = np.zeros(self.lanes, np.int64)

    @property
    def problem(self) -> Problem:
        """The problem of the world."""
        return self.world.problem

    def _generator(self, time: int) -> np.random.Generator:
        """The generator of the rounds of all lanes at this time."""
        return np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, 0, time]))

    def sample_given(
        self, codes: NDArray[np.integer], lane: Ints, rng: np.random.Generator
    ) -> tuple[NDArray[np.integer], Mapping[str, Floats]]:  # int[R, V], and float[R] each
        """A row as of a world, at most one for each lane; the generator is not used. To set nothing begins the next round."""
        self.step += bool((codes < 0).all())
        return self._row_of_lanes(codes, lane, self.step)

    def _row_of_lanes(
        self, codes: NDArray[np.integer], lane: Ints, time: int
    ) -> tuple[NDArray[np.integer], Mapping[str, Floats]]:
        """A row of each of some lanes, of which each has its own random numbers, however many the others are."""
        every = np.full((self.lanes, codes.shape[1]), -1, np.int16)
        every[lane] = codes
        x, numbers = self.world.sample_given(every, np.arange(self.lanes), self._generator(time))
        return x[lane], {name: drawn[lane] for name, drawn in numbers.items()}

    def tally(self, statistic: Summing, plan: Plan) -> Tally:
        """Plays a plan: the statistic's sums over its rounds."""
        lanes, actions = plan.counts.shape
        lane, action = np.divmod(np.repeat(np.arange(lanes * actions), plan.counts.reshape(-1)), actions)
        each = plan.counts.sum(axis=1)
        time = self.time[lane] + np.arange(len(lane)) - (np.cumsum(each) - each)[lane]
        order = np.argsort(time, kind="stable")
        ends = np.flatnonzero(np.diff(time[order], append=-1))
        parts, first, rows, sums = list[Rounds](), 0, 0, list[Tally]()
        for end in ends.tolist():
            now = order[first : end + 1]
            first, rows = end + 1, rows + len(now)
            parts.append(self._rounds(lane[now], action[now], int(time[now[0]])))
            if rows >= _ROWS_AT_ONCE or end == ends[-1]:
                sums.append(statistic.tally(_together(parts), lanes))
                parts, rows = [], 0
        self.time = self.time + each
        total = sums[0] if sums else statistic.tally(self._rounds(lane, action, 0), lanes)
        for more in sums[1:]:
            total = added(total, more)
        return total

    def _rounds(self, lane: Ints, action: Ints, time: int) -> Rounds:
        """A round of each of some lanes."""
        problem = self.problem
        x, numbers = self._row_of_lanes(problem.actions.codes[action], lane, time)
        rounds = seen_rounds(problem.graph, lane, action, x, numbers)
        return rounds._replace(numbers=problem.numbers(numbers))


def _together(parts: list[Rounds]) -> Rounds:
    """The rounds of some parts together."""
    return parts[0] if len(parts) == 1 else concatenate(parts)._replace(times=None)
