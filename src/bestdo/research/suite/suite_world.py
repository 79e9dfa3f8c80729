"""A world of the suite: what is played, for how long, where it is from and what was published about it."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from bestdo.bandit.goal import Goal
from bestdo.errors import BestdoError, shown, unknown
from bestdo.simulate import Prior, World

__all__ = ["KINDS", "Published", "SuiteWorld"]

KINDS = (
    "parallel",
    "known graph",
    "hidden causes",
    "real network",
    "combinatorial",
    "numbers",
    "contexts",
    "costs",
    "delays",
    "doubtful graph",
    "unknown graph",
    "log",
)
"""Kinds of worlds, by what makes them hard; strengths of learners are reported by kind."""
_SOURCES = ("paper", "authors' code", "a rewrite of it")
"""The sources of a published number: the text, a run of the authors' program, or a run of a program after theirs."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


class Published(NamedTuple):
    """A number that was published about a learner in a world, or that its authors' program gives there."""

    learner: str
    """The learner's name in the registry."""
    horizon: float
    value: float
    """The regret, as the world measures it."""
    error: float | None
    """The number's standard error; None where it is not said."""
    what: str
    """The kind of source, one of `_SOURCES`."""
    source: str
    """The place of the number: paper and figure, or program and settings."""


@dataclass(frozen=True, eq=False)
class SuiteWorld:
    """A named, versioned world with known truth; the problem in it says the goal, the limits, the contexts and the costs."""

    name: str
    """Lower-case words joined by hyphens. It seeds random streams."""
    version: int
    """A world whose numbers change gets the next version."""
    kind: str
    """The kind of world, one of `KINDS`."""
    make: Callable[[], World | Prior]
    """Returns the world, or a distribution from which every simulation draws its own."""
    horizons: tuple[float, ...]
    """Numbers of rounds, or budgets where actions have costs, in rising order; learners are ranked at the last."""
    about: str
    """The world in one sentence."""
    source: str
    """The paper and the code that it is from."""
    published: tuple[Published, ...] = ()
    in_flight: int = 1
    """The number of rounds that are out: a result is known when so many rounds less one were handed out after it."""
    needs: str = ""
    """The package that it is read from, where it is not made by this library alone."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise BestdoError(f"a world of the suite is named in lower case, as 'front-door', not {shown(self.name)}")
        if self.kind not in KINDS:
            raise BestdoError(unknown(f"kind of the world {self.name}", self.kind, KINDS, most=len(KINDS)))
        if not self.horizons or list(self.horizons) != sorted(set(self.horizons)) or self.horizons[0] <= 0:
            raise BestdoError(
                f"the horizons of the world {self.name} are {self.horizons}: some numbers above 0 in rising order are needed"
            )
        for number in self.published:
            if number.what not in _SOURCES:
                raise BestdoError(unknown(f"source of a number for {self.name}", number.what, _SOURCES))

    @cached_property
    def world(self) -> World | Prior:
        """The world, made when it is first asked for."""
        return self.make()

    @property
    def available(self) -> bool:
        """Whether the package that the world needs is installed."""
        return not self.needs or importlib.util.find_spec(self.needs) is not None

    @property
    def goal(self) -> Goal:
        """The purpose of rounds: "find" the best action, or "earn" while learning which it is."""
        return self.world.problem.goal

    @property
    def measure(self) -> str:
        """The measure: the "regret" of the action kept, or the "summed regret" of all rounds where these earn."""
        return self.goal.measure.name
