"""The request to a learner: among which actions the next rounds are, what they are to tell, and which rounds are out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from bestdo.arrays import Bools, Floats, Ints

__all__ = ["Race", "Request", "everything", "within"]

Race = Callable[[], Bools]
"""Draws anew which actions keep all limits: bool[L or 1, K or 1]."""

_ALL = np.ones((1, 1), bool)
_NONE = np.zeros((1, 1), np.int64)


def everything() -> Bools:
    """The race where there are no limits: every action is in it, and nothing is drawn."""
    return _ALL


def within(race: Bools, values: Floats, lanes: Ints | slice = slice(None)) -> Floats:  # float[L, K]
    """Values of all actions in some lanes, with -inf for those that are not in a race (bool[L or 1, K or 1])."""
    return values if race is _ALL else np.where(race[lanes], values, -np.inf)


class Request(NamedTuple):
    """A request for the next rounds; K is the number of actions, with contexts that of pairs of a context and an action.

    The neutral request, `Request()`, allows every action, is about all of them, and nothing is out. An axis of length 1
    stands for all lanes, or all actions.
    """

    allowed: Bools = _ALL
    """bool[L, K]: which actions may be played. If these are not all, the plan is of one round."""
    about: tuple[Bools, ...] = (_ALL,)
    """bool[L, K] each: sets of actions of which the best is looked for, first of all that of the first set."""
    out: Ints = _NONE
    """int[L, K]: rounds of each action whose results are still to come."""
    race: Race = everything
    """Draws anew which actions keep all limits, for each draw of means."""
    doubt: Race = everything
    """Draws anew which actions keep all limits, for learners that play what may break one to learn whether it does."""

    @property
    def open(self) -> bool:
        """Whether every action may be played."""
        return self.allowed is _ALL or bool(self.allowed.all())

    @property
    def limited(self) -> bool:
        """Whether there are limits to keep."""
        return self.doubt is not everything

    @property
    def mask(self) -> Bools:  # bool[L or 1, K or 1]
        """The actions that may be played and are in the first set."""
        first = self.about[0]
        return _ALL if self.allowed is first is _ALL else self.allowed & first

    def masked(self, values: Floats) -> Floats:  # float[L, K]
        """Values of all actions, with -inf for those that may not be played or are not in the first set."""
        mask = self.mask
        return values if mask is _ALL else np.where(mask, values, -np.inf)

    def of_allowed(self, counts: Floats) -> Floats:  # float[L, K]
        """Counts of all actions, with 0 for those that may not be played."""
        return counts if self.allowed is _ALL else np.where(self.allowed, counts, 0)

    def nothing_out(self) -> Request:
        """The request as if no round were out."""
        return self._replace(out=_NONE)
