"""The values seen before an action is chosen, and the rounds that are played after them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.rounds import Rounds
from bestdo.simulate.same_chance import SameChance
from bestdo.simulate.world import World, seen_rounds
from bestdo.simulate.world_batch import Worlds

__all__ = ["before_acting", "rounds_after"]


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
    """One round of each of some lanes, with these actions, after what is seen first and its causes have their values."""
    codes = world.problem.actions.codes[action]
    x, numbers = world.sample_given(np.where(codes >= 0, codes, before), lane, rng)
    found = seen_rounds(world.problem.graph, lane, action, x, numbers)
    return found._replace(numbers=world.problem.numbers(numbers))
