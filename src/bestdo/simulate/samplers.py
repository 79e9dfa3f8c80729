"""Tallies of simulated rounds: drawn directly where the law of the sums is known, otherwise summed over drawn rounds.

A sampler of sums is registered for a kind of statistic. It returns None for worlds whose law it does not know; then the
rounds are drawn. `bestdo.testing.check_sampler` tests that both have the same distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Summing
from bestdo.bandit.sums import each_sum
from bestdo.bandit.tally import Tally
from bestdo.simulate.binomial_sums import played_sums
from bestdo.simulate.parallel_sums import importance_sums, seen_sums
from bestdo.simulate.same_chance import SameChance
from bestdo.simulate.world import World
from bestdo.simulate.world_batch import Worlds, tally_of_worlds
from bestdo.statistics.importance import Importance
from bestdo.statistics.played import Played
from bestdo.statistics.seen import Seen

__all__ = ["SAMPLERS", "tally", "tally_of_rows"]

_ROWS_AT_ONCE = 2**20
"""About how many rounds are drawn and summed at once. Limits memory; fewer are slower where blocks are short. Not measured.
Another number draws other random numbers."""

Sampler = Callable[[World, Any, Plan, np.random.Generator], "Tally | None"]

SAMPLERS: dict[type, Sampler] = {Played: played_sums, Seen: seen_sums, Importance: importance_sums}
"""The sampler of sums for each kind of statistic that has one."""


def tally(world: World | Worlds | SameChance, statistic: Summing, plan: Plan, rng: np.random.Generator) -> Any:
    """Plays a plan: the statistic's sums over its rounds."""
    if isinstance(world, SameChance):
        return world.tally(statistic, plan)
    if isinstance(world, Worlds):
        return tally_of_worlds(world, statistic, plan, rng)
    sampler = world.problem.graph.rewarded.drawn_by(SAMPLERS).get(type(statistic))
    sums = sampler(world, statistic, plan, rng) if sampler else None
    return tally_of_rows(world, statistic, plan, rng) if sums is None else sums


def tally_of_rows(world: World, statistic: Summing, plan: Plan, rng: np.random.Generator) -> Any:
    """Plays a plan round by round: the statistic's sums over its rounds, for every world and statistic."""
    lanes = len(plan.counts)
    most = max(1, int(plan.counts.sum(axis=1).max(initial=0)))
    step = max(1, _ROWS_AT_ONCE // most)
    parts = []
    for first in range(0, lanes, step):
        part = Plan(plan.counts[first : first + step])
        parts.append(statistic.tally(world.rounds(part, rng), len(part.counts)))
    if len(parts) == 1:
        return parts[0]
    return each_sum(lambda *sums: np.concatenate(sums), *parts)
