"""The size of an error of the graph that the alarm would have detected by now, about each action."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.evidence.alarm import compared
from bestdo.evidence.homogeneity import expected_against_same
from bestdo.text import counted

__all__ = ["reach_of"]


_POWER = 0.84
"""The 80 % quantile of the normal distribution: an error of the size named is found in four of five studies."""
_STEPS = 10
"""The number of times that the range of errors is halved: to a thousandth."""


@dataclass(frozen=True)
class _Reach:
    """The least error in the chance of the reward under an action that the alarm would have found by now."""

    action: Intervention
    error: float
    """A difference between the rounds in which the action was played and those in which its values were seen; infinite where
    no difference would have been found."""
    played: int
    seen: int
    """The rounds in which its values were seen, and nobody set them."""

    @property
    def in_words(self) -> str:
        """A sentence for people."""
        if self.error <= 1:
            return (
                f"if the graph were wrong about {self.action} by {100 * self.error:.0f} points or more, the alarm would "
                "probably have noticed by now"
            )
        plays = f"played {counted(self.played, 'time')} and seen {counted(self.seen, 'time')}"
        return f"the alarm cannot have noticed yet if the graph is wrong about {self.action}: it was {plays}"

    def as_data(self) -> dict[str, object]:
        """The reach as data for JSON."""
        error = self.error if self.error <= 1 else None
        return {"action": str(self.action), "error": error, "played": self.played, "seen": self.seen}


def reach_of(problem: Problem, level: float, action: Intervention, played: Floats, seen: Floats, mean: float) -> _Reach:
    """The reach for one action, with its plays and sightings in each context (float[C]), and this chance of the reward.

    What was seen of an action is compared with its plays in each context apart. Where nothing is, no error would be found.
    """
    error = math.inf
    claims, alpha = compared(problem, level)
    place = next((i for i, claim in enumerate(claims) if claim.action == action), None)
    n = np.stack([seen, played], axis=1)  # float[C, 2]
    n = n[(n > 0).all(axis=1)]
    if place is not None and len(n):
        error = _least(n, min(max(mean, 0.0), 1.0), -math.log(alpha[place]))
    return _Reach(action, error, int(played.sum()), int(seen.sum()))


def _least(n: Floats, mean: float, needed: float) -> float:
    """The least difference between two groups of rounds (float[C, 2]) that is found; infinite where none is."""
    sign = 1 if mean < 0.5 else -1
    part = n[:, ::-1] / n.sum(axis=1, keepdims=True) * [-sign, sign]

    def is_found(difference: float) -> bool:
        evidence = expected_against_same(n, np.clip(mean + difference * part, 0.0, 1.0))
        return evidence >= needed + _POWER * math.sqrt(2 * max(evidence, 0.0))

    if not is_found(1.0):
        return math.inf
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if is_found(middle) else (middle, high)
    return high
