"""The level of the intervals that people are shown, and its words."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LEVEL", "QUANTILES", "SHOWN", "TAIL", "Level", "Z", "interval_name", "level_name"]

LEVEL = 95
"""Percent of the intervals that hold what they are about. Intervals and words follow from it everywhere."""
QUANTILES = {90: 1.6448536269514722, 95: 1.959963984540054, 99: 2.5758293035489004}
"""The quantile of the normal distribution at the upper end of an interval of each level in percent, the same bits on every
machine; a test works them out."""


@dataclass(frozen=True)
class Level:
    """A level of intervals, in percent."""

    percent: int

    @property
    def tail(self) -> float:
        """The probability on each side of an interval."""
        return (100 - self.percent) / 200

    @property
    def z(self) -> float:
        """The quantile of the normal distribution at the upper end of an interval."""
        return QUANTILES[self.percent]


SHOWN = Level(LEVEL)
"""The level of the intervals that people are shown; a learner that plays by intervals has a level of its own."""
TAIL = SHOWN.tail
"""The probability on each side of an interval."""
Z = SHOWN.z
"""The quantile of the normal distribution at the upper end of an interval."""


def level_name() -> str:
    """The level in words, for the heading of a narrow column: 95 %."""
    return f"{LEVEL} %"


def interval_name() -> str:
    """An interval of this level, as people read it: 95 % interval."""
    return f"{level_name()} interval"
