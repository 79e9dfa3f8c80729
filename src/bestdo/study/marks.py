"""The marks of a study: yes or no, set by verbs, kept in its book, shown in its status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

__all__ = ["MARKS", "MARKS_AT_FIRST", "UNMARKED", "Marks", "marks_in"]


@dataclass(frozen=True)
class Marks:
    """The marks of a study. One that is added here is False by default: logs and servers of older versions lack it."""

    closed: bool
    archived: bool


MARKS = tuple(field.name for field in fields(Marks))
"""The names of all marks."""
MARKS_AT_FIRST = tuple(field.name for field in fields(Marks) if field.default is MISSING)
"""The names of the marks of the first version, which every server answers."""

UNMARKED = Marks(closed=False, archived=False)
"""The marks of a study that has just begun."""


def marks_in(data: Mapping[str, Any]) -> Marks:
    """The marks in data, among other parts."""
    return Marks(**{name: bool(data[name]) for name in MARKS if name in data})
