"""How many simulations each cell of the suite gets: fixed by the world, the horizon and the learner, never by a clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bestdo.simulate import Prior, World

__all__ = ["EFFORTS", "SLOW", "Effort", "simulations"]


class Effort(NamedTuple):
    """How much is simulated."""

    work: float
    """Simulations × rounds × actions × contexts of a cell, which is about proportional to its cost."""
    least: int
    most: int


EFFORTS: dict[str, Effort] = {"quick": Effort(2e7, 20, 200), "full": Effort(2e8, 50, 1000)}
"""The efforts by the options of `bestdo suite run`."""

SLOW: Mapping[str, float] = {}
"""Learners whose simulations cost much more than those of others, and by how much their work is divided."""


def simulations(world: World | Prior, horizon: float, learner: str, effort: str) -> int:
    """How often a learner is simulated in a world for a horizon: 1, 2 or 5 times a power of ten."""
    problem, limits = world.problem, EFFORTS[effort]
    rounds = horizon / float(problem.prices.mean())
    size = rounds * len(problem.actions) * len(problem.contexts)
    return round_number(max(limits.least, min(limits.most, limits.work / size / SLOW.get(learner, 1.0))))


def round_number(number: float) -> int:
    """The largest of 1, 2, 5, 10, 20, 50, … that is not above a number of at least 1."""
    power: int = 10 ** (len(str(int(number))) - 1)
    return max(k * power for k in (1, 2, 5) if k * power <= number)
