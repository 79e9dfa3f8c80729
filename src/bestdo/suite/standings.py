"""The rank of every learner in every world of the suite, at the longest horizon."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

from bestdo.suite.suite_rows import SuiteRow

__all__ = ["Standing", "standings"]

_ERRORS = 2.0
"""Standard errors of the difference up to which a learner counts as not worse than the first: about 95 per cent."""
_SAME = 1e-12
"""Regrets that differ by less are equal: such differences are rounding errors."""


class Standing(NamedTuple):
    """How a learner stands in a world."""

    world: str
    kind: str
    learner: str
    rank: int
    """1 for the least regret; learners with the same regret share the better rank."""
    of: int
    """How many learners play there."""
    not_worse: bool
    """Whether it is the first, or its regret exceeds that of the first by at most two standard errors of the difference."""


def standings(rows: Iterable[SuiteRow]) -> list[Standing]:
    """The standing of every learner that plays, by world in the order of the rows, the best first."""
    by_world: dict[str, list[SuiteRow]] = {}
    for row in rows:
        by_world.setdefault(row.world, []).append(row)
    found = []
    for world, group in by_world.items():
        last = max(row.horizon for row in group)
        playing = sorted(
            ((row.regret, row) for row in group if row.horizon == last and row.regret is not None),
            key=lambda pair: pair[0],
        )
        for regret, row in playing:
            first, best = playing[0]
            rank = 1 + sum(other < regret - _SAME for other, _ in playing)
            error = math.hypot(*(each.standard_error or 0.0 for each in (row, best)))
            same = regret - first <= max(_SAME, _ERRORS * error)
            found.append(Standing(world, row.kind, row.learner, rank, len(playing), same))
    return found
