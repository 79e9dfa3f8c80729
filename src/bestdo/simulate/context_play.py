"""Simulations of problems with contexts: what is seen first is drawn and shown, then the action is chosen and played."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.rounds import Plan, Rounds, limited_numbers
from bestdo.bandit.statistic import Statistic
from bestdo.learners.contextual import ContextState, Contextual
from bestdo.simulate.world import World, seen_rounds
from bestdo.simulate.world_batch import Worlds

__all__ = ["before_acting", "play_by_context", "rounds_after"]


def play_by_context(
    world: World | Worlds,
    learner: Contextual,
    statistic: Statistic,
    state: ContextState,
    rng: np.random.Generator,
    played: Callable[[Plan, NDArray[np.int64] | None], None] | None = None,
) -> ContextState:
    """The state after all rounds, each in a context that is drawn before its action is chosen.

    `played` is called with the plan of each round and the context of each lane.
    """
    problem, lanes = world.problem, len(state.seen)
    while True:
        before = before_acting(world, lanes, rng)
        contexts = problem.contexts.numbers(before)
        plan = learner.ask_in(state, contexts, rng)
        if plan is None:
            return state
        some = np.flatnonzero(plan.counts.any(axis=1))
        rounds = rounds_after(world, some, plan.counts[some].argmax(axis=1), before[some], rng)
        state = learner.tell(state, plan, statistic.tally(rounds, lanes))
        if played is not None:
            played(plan, contexts)


def before_acting(world: World | Worlds, lanes: int, rng: np.random.Generator) -> NDArray[np.integer]:  # int[L, V]
    """The values of what is seen first and of all its causes in one round of each lane; -1 for other variables."""
    graph = world.problem.graph
    nothing = np.full((lanes, len(graph.names)), -1, np.int16)
    x, _ = world.sample_given(nothing, np.arange(lanes), rng)
    causes = graph.ancestors(world.problem.first)
    return np.where([name in causes for name in graph.names], x, -1)


def rounds_after(
    world: World | Worlds,
    lane: NDArray[np.int64],
    action: NDArray[np.int64],
    before: NDArray[np.integer],
    rng: np.random.Generator,
) -> Rounds:
    """One round of each of some lanes, with these actions, after what is seen first and its causes have their values."""
    codes = world.problem.actions.codes[action]
    x, numbers = world.sample_given(np.where(codes >= 0, codes, before), lane, rng)
    found = seen_rounds(world.problem.graph, lane, action, x, numbers)
    return found._replace(limited=limited_numbers(world.problem.limits, numbers, len(lane)))
