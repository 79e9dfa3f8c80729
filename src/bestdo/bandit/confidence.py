"""The level of the intervals that people are shown, and its words."""

from __future__ import annotations

__all__ = ["LEVEL", "QUANTILES", "TAIL", "Z", "interval_name", "level_name"]

LEVEL = 95
"""Percent of the intervals that hold what they are about. Intervals and words follow from it everywhere."""
TAIL = (100 - LEVEL) / 200
"""The probability on each side of an interval."""
QUANTILES = {90: 1.6448536269514722, 95: 1.959963984540054, 99: 2.5758293035489004}
"""The quantile of the normal distribution at the upper end of an interval of each level in percent, the same bits on every
machine; a test works them out."""
Z = QUANTILES[LEVEL]
"""The quantile of the normal distribution at the upper end of an interval."""


def level_name() -> str:
    """The level in words, for the heading of a narrow column: 95 %."""
    return f"{LEVEL} %"


def interval_name() -> str:
    """An interval of this level, as people read it: 95 % interval."""
    return f"{level_name()} interval"
