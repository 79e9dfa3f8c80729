"""Thompson sampling with a posterior for each action, which top-two Thompson sampling uses as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Bools, Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import argmax
from bestdo.bandit.request import Request, within
from bestdo.bandit.rounds import Plan
from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import Counts, add_block, beside, play_once, played_statistic, start_counts
from bestdo.learners.families import CellPosterior, cell_posterior

__all__ = [
    "Thompson",
    "best_posterior",
    "draw_posterior",
    "joint_draws",
    "posterior_draws",
    "posterior_estimates",
    "posterior_means",
]


def _posterior(state: Counts) -> CellPosterior:
    """The posterior of each action's mean by its own rounds."""
    return cell_posterior(state.tally, state.problem.graph)


def posterior_draws(
    state: Counts, allowed: Bools | None = None
) -> Callable[[np.random.Generator, Ints | slice], Floats]:
    """A function that draws the means of all actions in some lanes from their posteriors (float[L, A]).

    The posterior of an action is Beta(1 + successes, 1 + failures). Where the reward is a number it is Student's, with a
    spread that is learned from all actions together. What cannot be best, or is not allowed (bool[L, A]), is -inf.
    """
    if allowed is not None:
        drawn = posterior_draws(state)
        return lambda rng, which: np.where(allowed[which], drawn(rng, which), -np.inf)
    contenders, posterior = state.problem.contenders, _posterior(state)
    return lambda rng, which: np.where(contenders, posterior.draw(rng, which), -np.inf)


def draw_posterior(state: Counts, rng: np.random.Generator) -> Floats:  # float[L, A]
    """Means drawn from the posterior of each action; -inf for those that cannot be best."""
    return posterior_draws(state)(rng, slice(None))


def joint_draws(state: Counts, lane: int, draws: int) -> Floats:  # float[D, A]
    """Draws of all means in one lane, the same for the same sums."""
    return posterior_draws(state)(np.random.default_rng(0), np.full(draws, lane))


def posterior_means(state: Counts) -> Floats:  # float[L, A]
    """The posterior mean of each action."""
    return _posterior(state).mean


def best_posterior(state: Counts) -> Ints:  # int[L]
    """The action with the best posterior mean, ties at random."""
    return argmax(posterior_means(state), state.ties, state.block)


def posterior_estimates(state: Counts) -> Estimates:
    """The posterior mean of each action with the 95 % interval of its posterior.

    Where the reward is a number the interval is that of the action's own rounds, without the prior.
    """
    return _posterior(state).estimates(state.played, state.problem.contenders)


@dataclass(frozen=True)
class Thompson:
    """Plays the best action of a draw from the posterior (Thompson 1933); recommends the best posterior mean."""

    block: int = 1
    """The number of rounds planned at once, each by its own draw."""

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
        """The plan of the next rounds, each the best of a draw among the actions that are allowed and in the race."""
        state = beside(state, request.out)
        if not state.left.any():
            return None
        draws = (within(request.race(), request.masked(draw_posterior(state, rng))) for _ in range(self.block))
        return play_once([draw.argmax(axis=1) for draw in draws], state)

    def reason(self, state: Counts, action: int) -> str:
        """The action was the best of a draw."""
        return "the best in a draw from what the plays say of each action"
