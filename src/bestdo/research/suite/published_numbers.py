"""Published numbers beside ours, for the worlds of the suite that have some."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bestdo.research.suite.suite_rows import SuiteRow
from bestdo.research.suite.suite_world import Published, SuiteWorld

__all__ = ["BesideOurs", "beside_ours"]


class BesideOurs(NamedTuple):
    """A published number and ours for the same learner, world and horizon."""

    world: str
    published: Published
    ours: float | None
    """Our number; None where this library has no result of this learner, world and horizon."""
    error: float | None
    """Our standard error."""
    missing: str
    """The reason why there is no number of ours; empty where there is one."""

    @property
    def difference(self) -> float | None:
        """Ours less theirs in standard errors; where theirs has none stated, in ours alone. None where it has no meaning."""
        if self.ours is None or self.error is None:
            return None
        error = math.hypot(self.error, self.published.error or 0.0)
        return (self.ours - self.published.value) / error if error > 0 else None


def beside_ours(worlds: Mapping[str, SuiteWorld], rows: Iterable[SuiteRow]) -> list[BesideOurs]:
    """Each published number about the worlds, with ours from these rows."""
    by_cell = {(row.world, row.learner, row.horizon): row for row in rows}
    table = []
    for name, world in worlds.items():
        for number in world.published:
            row = by_cell.get((name, number.learner, float(number.horizon)))
            missing = (
                (row.refused if row is not None else "not in the archive") if not row or row.regret is None else ""
            )
            ours, error = (row.regret, row.standard_error) if row is not None else (None, None)
            table.append(BesideOurs(name, number, ours, error, missing))
    return table
