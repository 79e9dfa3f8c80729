"""Top-two Thompson sampling: classical best-arm identification with a fixed number of rounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.rounds import Plan
from bestdo.learners.count_state import Counts, added, begin, counted_estimates, play_once, played
from bestdo.learners.thompson import best_posterior, draw_posterior

__all__ = ["TopTwo"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class TopTwo:
    """Top-two Thompson sampling (Russo 2016): with probability 1/2 the best of a draw, otherwise its challenger.

    The challenger is the best of a further draw that is another action; after `tries` draws without one, the second
    best of the last draw (a deviation from the paper, which draws for ever).
    """

    block: int = 1
    share: float = 0.5
    """β: how often the leader is played."""
    tries: int = 20

    statistic = staticmethod(played)
    start = staticmethod(begin)
    tell = staticmethod(added)
    best = staticmethod(best_posterior)
    estimates = staticmethod(counted_estimates)

    def ask(self, state: Counts, rng: np.random.Generator) -> Plan | None:
        """The next rounds."""
        if not state.left.any():
            return None
        return play_once([self._choose(state, rng) for _ in range(self.block)], state)

    def _choose(self, state: Counts, rng: np.random.Generator) -> Ints:  # int[L]
        leader = draw_posterior(state, rng).argmax(axis=1)
        chosen = leader.copy()
        todo = np.flatnonzero(rng.random(len(leader)) >= self.share)
        s, n = state.tally.reward, state.tally.weight
        for k in range(self.tries if s.shape[1] > 1 else 0):
            draw = rng.beta(1 + s[todo], 1 + n[todo] - s[todo])
            if k == self.tries - 1:
                draw[np.arange(len(todo)), leader[todo]] = -1
            chosen[todo] = draw.argmax(axis=1)
            todo = todo[chosen[todo] == leader[todo]]
            if not todo.size:
                break
        return np.asarray(chosen)
