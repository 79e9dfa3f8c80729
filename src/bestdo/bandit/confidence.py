"""The level of the intervals that people are shown, and its words."""

from __future__ import annotations

__all__ = ["LEVEL", "TAIL", "Z", "interval_name", "level_name"]

LEVEL = 95
"""Percent of the intervals that hold what they are about. `Z` follows from it."""
TAIL = (100 - LEVEL) / 200
"""The probability on each side of an interval."""
Z = 1.959963984540054
"""The quantile of the normal distribution at the upper end of an interval; a test works it out from the level."""


def level_name() -> str:
    """The level in words, for the heading of a narrow column: 95 %."""
    return f"{LEVEL} %"


def interval_name() -> str:
    """An interval of this level, as people read it: 95 % interval."""
    return f"{level_name()} interval"
