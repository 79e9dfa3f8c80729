"""Simulations of problems with contexts: what is seen first is drawn and shown, then the action is chosen and played."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.rounds import Rounds
from bestdo.bandit.statistic import Statistic
from bestdo.learners.contextual import ContextState, Contextual
from bestdo.simulate.world import World, seen_rounds
from bestdo.simulate.world_batch import Worlds

__all__ = ["play_by_context"]


def play_by_context(
    world: World | Worlds, learner: Contextual, statistic: Statistic, state: ContextState, rng: np.random.Generator
) -> ContextState:
    """The state after all rounds, each in a context that is drawn before its action is chosen."""
    problem, lanes = world.problem, len(state.seen)
    while True:
        before = _before(world, lanes, rng)
        plan = learner.ask_in(state, problem.contexts.numbers(before), rng)
        if plan is None:
            return state
        played = np.flatnonzero(plan.counts.any(axis=1))
        rounds = _rounds(world, played, plan.counts[played].argmax(axis=1), before[played], rng)
        state = learner.tell(state, plan, statistic.tally(rounds, lanes))


def _before(world: World | Worlds, lanes: int, rng: np.random.Generator) -> NDArray[np.integer]:  # int[L, V]
    """The values of what is seen first and of all its causes in one round of each lane; -1 for other variables."""
    graph = world.problem.graph
    nothing = np.full((lanes, len(graph.names)), -1, np.int16)
    x, _ = world.sample_given(nothing, np.arange(lanes), rng)
    causes = graph.ancestors(world.problem.first)
    return np.where([name in causes for name in graph.names], x, -1)


def _rounds(
    world: World | Worlds,
    lane: NDArray[np.int64],
    action: NDArray[np.int64],
    before: NDArray[np.integer],
    rng: np.random.Generator,
) -> Rounds:
    """One round of each of some lanes, with these actions, after what is seen first and its causes have their values."""
    codes = world.problem.actions.codes[action]
    x, numbers = world.sample_given(np.where(codes >= 0, codes, before), lane, rng)
    return seen_rounds(world.problem.graph, lane, action, x, numbers)
