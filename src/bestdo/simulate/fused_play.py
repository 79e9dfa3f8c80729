"""Whole simulations by compiled loops without arrays between, for learners and worlds that have such a loop.

They draw the same random numbers in the same order as the driver in `play.py` does with `ask`, `tally` and `tell`, so the
states are the same to the last bit (`tests/simulate/test_fused_play.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import SLACK
from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate.parallel_sums import seen_round
from bestdo.simulate.world import World
from bestdo.statistics.seen import Seen

__all__ = ["fused_final"]

Played = Callable[[Plan, "NDArray[np.int64] | None"], None]


def fused_final(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator, played: Played | None
) -> Any | None:
    """The learner's state after all its rounds; None where there is no compiled loop for learner and world.

    `played` is called with the rounds of each block, as the driver does.
    """
    if world.problem.graph.success is None:
        return None
    if type(learner) is CausalTopTwo:
        return _top_two(world, learner, horizon, lanes, rng, played)
    return None


def _top_two(
    world: World, learner: CausalTopTwo, horizon: float, lanes: int, rng: np.random.Generator, played: Played | None
) -> Any | None:
    """The state of causal top-two that believes counts, on worlds whose variables are independent of each other."""
    statistic = learner.statistic(world.problem, horizon)
    if type(statistic) is not Seen or (plays := learner.plays_of_lanes(world.problem, horizon)) is None:
        return None
    if (play := seen_round(world, statistic)) is None:
        return None
    state = learner.start(world.problem, horizon, lanes, rng)
    weight, reward, count = (np.zeros(state.played.shape) for _ in range(3))
    sums, block, money = Tally.from_counts(weight, reward), 0, float(horizon)
    while money + SLACK >= 1:
        chosen = plays(sums, count, state.ties, block, rng)
        play(chosen, weight, reward, count, rng)
        block, money = block + 1, money - 1
        if played is not None:
            plan = np.zeros(count.shape, np.int64)
            plan[np.arange(lanes), chosen] = 1
            played(Plan(plan), None)
    return state._replace(block=block, tally=sums, played=count, money=np.full(lanes, money))
