"""Simulations of problems with contexts: what is seen first is drawn and shown, then the action is chosen and played."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.learners.contextual import ContextState, Contextual, pairs_in
from bestdo.simulate.same_chance import SameChance
from bestdo.simulate.world import World, seen_rounds
from bestdo.simulate.world_batch import Worlds

__all__ = ["before_acting", "play_by_context", "rounds_after"]


def play_by_context(
    world: World | Worlds | SameChance,
    learner: Contextual,
    statistic: Statistic,
    state: ContextState,
    rng: np.random.Generator,
    played: Callable[[Plan, NDArray[np.int64] | None], None] | None = None,
    in_flight: int = 1,
) -> ContextState:
    """The state after all rounds, each in a context that is drawn before its action is chosen.

    So many are in flight at any time, and results come back in order. `played` is called with the plan of each round and the
    context of each lane.
    """
    problem, lanes = world.problem, len(state.seen)
    nothing = np.zeros((1, 1), np.int64)
    out: deque[tuple[Plan, NDArray[np.int64], Tally]] = deque()  # with the pairs of context and action, int[L, C × A]
    while True:
        if len(out) == in_flight:
            plan, _, sums = out.popleft()
            state = learner.tell(state, plan, sums)
        before = before_acting(world, lanes, rng)
        contexts = problem.contexts.numbers(before)
        request = Request(pairs_in(problem, contexts), out=sum((one[1] for one in out), nothing))
        asked = learner.ask(state, request, rng)
        if asked is None and not out:
            return state
        if asked is None:  # the rest comes back
            plan, _, sums = out.popleft()
            state = learner.tell(state, plan, sums)
            continue
        some = np.flatnonzero(asked.counts.any(axis=1))
        rounds = rounds_after(world, some, asked.counts[some].argmax(axis=1), before[some], rng)
        pairs = np.zeros((lanes, len(problem.contexts), len(problem.actions)), np.int64)
        pairs[np.arange(lanes), contexts] = asked.counts
        out.append((asked, pairs.reshape(lanes, -1), statistic.tally(rounds, lanes)))
        if played is not None:
            played(asked, contexts)


def before_acting(
    world: World | Worlds | SameChance, lanes: int, rng: np.random.Generator
) -> NDArray[np.integer]:  # int[L, V]
    """The values of what is seen first and of all its causes in one round of each lane; -1 for other variables."""
    graph = world.problem.graph
    nothing = np.full((lanes, len(graph.names)), -1, np.int16)
    x, _ = world.sample_given(nothing, np.arange(lanes), rng)
    causes = graph.ancestors(world.problem.first)
    return np.where([name in causes for name in graph.names], x, -1)


def rounds_after(
    world: World | Worlds | SameChance,
    lane: NDArray[np.int64],
    action: NDArray[np.int64],
    before: NDArray[np.integer],
    rng: np.random.Generator,
) -> Rounds:
    """A round of each of some lanes, with these actions, after the variables seen first and their causes."""
    codes = world.problem.actions.codes[action]
    x, numbers = world.sample_given(np.where(codes >= 0, codes, before), lane, rng)
    found = seen_rounds(world.problem.graph, lane, action, x, numbers)
    return found._replace(numbers=world.problem.numbers(numbers))
