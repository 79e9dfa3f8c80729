"""The earnings of the rounds of a study, and those that the best action as known now would have brought."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import bestdo.display as display
from bestdo.bandit.problem import Problem

__all__ = ["Earned"]


class Earned(NamedTuple):
    """The sum of the rewards of all rounds that were told, and what the best action would be expected to have brought."""

    problem: Problem
    rounds: int
    total: float
    """The sum in the unit of the reward; the number of successes where one value is success."""
    best: str
    """The best action as known now that keeps all limits, per money where rounds have costs; or the rule in contexts."""
    expected: float
    """The earnings of as many rounds of `best`, or as many as the same money pays for, by its mean; NaN where unknown."""
    low: float
    """The expected earnings at the lower end of the 95 % interval of the mean."""
    high: float

    @classmethod
    def nothing(cls, problem: Problem) -> Earned:
        """No earnings: before the first round, and where the goal is to find the best action."""
        return cls(problem, 0, 0.0, "", math.nan, math.nan, math.nan)

    @property
    def in_words(self) -> str:
        """In one or two sentences."""
        return display.earned_in_words(self)

    def as_data(self) -> dict[str, Any]:
        """The earnings as data for JSON; null where nothing is known."""
        numbers = {"expected": self.expected, "low": self.low, "high": self.high}
        finite = {name: value if math.isfinite(value) else None for name, value in numbers.items()}
        return {"rounds": self.rounds, "total": self.total, "best": self.best, **finite, "in_words": self.in_words}

    def fields(self) -> dict[str, Any]:
        """The earnings as data under their name; nothing where the goal is to find the best action."""
        return dict(self.problem.goal.columns(("earned", self.as_data())))

    @classmethod
    def of_data(cls, problem: Problem, data: dict[str, Any]) -> Earned:
        """The earnings from the data that `as_data` made."""
        numbers = (math.nan if data[name] is None else float(data[name]) for name in ("expected", "low", "high"))
        return cls(problem, int(data["rounds"]), float(data["total"]), str(data["best"]), *numbers)
