"""The number of simulations of each cell of the suite: fixed by the world, the horizon and the learner, never by a clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bestdo.simulate import Prior, World

__all__ = ["EFFORTS", "MOST_ROUNDS", "SLOW", "Effort", "simulations", "too_long"]


class Effort(NamedTuple):
    """The amount of simulation."""

    work: float
    """The most simulations × rounds × actions × contexts of a cell, a product about proportional to its cost."""
    least: int
    most: int
    """The least and the most simulations of a cell."""


EFFORTS: dict[str, Effort] = {"quick": Effort(4e6, 20, 200), "full": Effort(1e7, 20, 500)}
"""The efforts by the options of `bestdo suite run`. Thompson sampling takes about 1e-7 s for a simulation's round and action,
so a cell of "full" takes it at most some 2 s, and all of its cells about a minute (two shared cores of an AMD EPYC)."""

SLOW: Mapping[str, float] = {
    "bbb": 1000.0,
    "track-and-stop": 50.0,
    "npts": 20.0,
    "regression-thompson": 10.0,
    "regression-top-two": 10.0,
    "kl-ucb": 2.0,
    "linear-thompson": 2.0,
}
"""Learners that take longer than Thompson sampling, and by what their simulations are divided. About the ratio of processor
times with 10 to 1,000 simulations on a dozen worlds; track-and-stop takes 0.7 s for one simulation of 800 rounds, where the
ratio is above 1,000, and the regressions about 50 times as long. This library's own are not among them, though slower: too
few simulations would hide where they are worse."""

_VERY_SLOW = 100.0
"""Learners that are slower than that have at least `_FEWEST` simulations, in place of the least of an effort."""
_FEWEST = 5
MOST_ROUNDS: Mapping[str, int] = {"bbb": 1000}
"""Rounds beyond which a learner is not played: BBB takes up to 0.03 s of CPU for each (docs/explanation/learners.md)."""


def too_long(world: World | Prior, horizon: float, learner: str) -> str:
    """The reason why a learner is not played for a horizon: its simulations would take too long; empty where it is played."""
    most = MOST_ROUNDS.get(learner)
    if most is None or horizon / float(world.problem.prices.mean()) <= most:
        return ""
    return f"not played: more than {most:,} rounds of it take too long"


def simulations(world: World | Prior, horizon: float, learner: str, effort: str) -> int:
    """The number of simulations of a learner in a world for a horizon: 1, 2 or 5 times a power of ten."""
    problem, limits = world.problem, EFFORTS[effort]
    rounds = horizon / float(problem.prices.mean())
    size = rounds * len(problem.actions) * len(problem.contexts)
    slow = SLOW.get(learner, 1.0)
    least = _FEWEST if slow > _VERY_SLOW else limits.least
    return round_number(max(least, min(limits.most, limits.work / size) / slow))


def round_number(number: float) -> int:
    """The largest of 1, 2, 5, 10, 20, 50, … that is not above a number of at least 1."""
    power: int = 10 ** (len(str(int(number))) - 1)
    return max(k * power for k in (1, 2, 5) if k * power <= number)
