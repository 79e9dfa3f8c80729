"""Top-two Thompson sampling: best-arm identification with a fixed number of rounds, from plays alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Ints
from bestdo.bandit.request import Request, within
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import Counts, add_block, beside, play_once, played_statistic, start_counts
from bestdo.learners.thompson import best_posterior, joint_draws, posterior_draws, posterior_estimates, posterior_means

__all__ = ["TopTwo"]


@dataclass(frozen=True)
class TopTwo:
    """Top-two Thompson sampling (Russo 2016): with probability 1/2 the best of a draw, otherwise its challenger.

    The challenger is the best of a further draw in which another action is best; after `tries` draws without one, it is
    the second best of the last draw (a deviation from the paper, which goes on drawing).
    """

    block: int = 1
    """The number of rounds planned at once, each by its own draws."""
    share: float = 0.5
    """β: the probability with which the leader is played; 1/2 as in the paper."""
    tries: int = 20
    """The number of draws of a challenger: more follow the paper for longer, and take longer once one action is almost surely
    the best. 20 was not measured against other values."""

    statistic = staticmethod(played_statistic)
    start = staticmethod(start_counts)
    tell = staticmethod(add_block)
    means = staticmethod(posterior_means)
    draws = staticmethod(joint_draws)
    best = staticmethod(best_posterior)
    estimates = staticmethod(posterior_estimates)

    @property
    def traits(self) -> Traits:
        """Draws among the actions that are allowed and in the race."""
        return Traits(any_time=True, chooses=True, races=True, reasons=True, block=self.block)

    def ask(self, state: Counts, request: Request, rng: np.random.Generator) -> Plan | None:
        """The plan of the next rounds, each draw among the actions that are allowed and in the race."""
        state = beside(state, request.out)
        if not state.left.any():
            return None
        return play_once([self._choose(state, request, rng) for _ in range(self.block)], state)

    def reason(self, state: Counts, action: int) -> str:
        """The action was the best of a draw, or of one in which the leader was not."""
        return "the best in a draw from what the plays say of each action, or its challenger"

    def _choose(self, state: Counts, request: Request, rng: np.random.Generator) -> Ints:  # int[L]
        """The action of one round of TTTS: the leader of a draw, or its challenger."""
        mask = None if request.open else np.broadcast_to(request.mask, state.played.shape)
        draws = posterior_draws(state, mask)
        draw = draws(rng, slice(None))
        leader = within(request.race(), draw).argmax(axis=1)
        chosen = leader.copy()
        todo = np.flatnonzero(rng.random(len(leader)) >= self.share)
        if mask is not None:
            todo = todo[mask[todo].sum(axis=1) > 1]
        for k in range(self.tries if np.count_nonzero(state.problem.contenders) > 1 else 0):
            draw = draws(rng, todo)
            if k < self.tries - 1:
                draw = within(request.race(), draw, todo)
            else:
                draw[np.arange(len(todo)), leader[todo]] = -np.inf
            chosen[todo] = draw.argmax(axis=1)
            todo = todo[chosen[todo] == leader[todo]]
            if not todo.size:
                break
        return np.asarray(chosen)
