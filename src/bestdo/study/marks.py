"""The marks of a study: yes or no, set by verbs, kept in its book, shown in its status."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any

from bestdo.errors import Finished, Waiting

__all__ = ["MARKS", "MARKS_AT_FIRST", "STOPPING", "UNMARKED", "Marks", "marks_in", "standing", "stopped"]


@dataclass(frozen=True)
class Marks:
    """The marks of a study. One that is added here is False by default: logs and servers of older versions lack it."""

    closed: bool
    archived: bool

    @property
    def stopped(self) -> str:
        """The mark with which no more rounds are handed out; empty where there is none."""
        return stopped(vars(self))


STOPPING: Mapping[str, type[Finished] | type[Waiting]] = {"closed": Finished}
"""The marks with which no more rounds are handed out, each with the error for somebody who asks for one: the study is over,
or one has to wait."""


MARKS = tuple(field.name for field in fields(Marks))
"""The names of all marks."""
MARKS_AT_FIRST = tuple(field.name for field in fields(Marks) if field.default is MISSING)
"""The names of the marks of the first version, which every server answers."""

UNMARKED = Marks(closed=False, archived=False)
"""The marks of a study that has just begun."""


def marks_in(data: Mapping[str, Any]) -> Marks:
    """The marks in data, among other parts."""
    return Marks(**{name: bool(data[name]) for name in MARKS if name in data})


def stopped(status: Mapping[str, Any]) -> str:
    """The mark in a status with which no more rounds are handed out; empty where there is none."""
    return next((mark for mark in STOPPING if status.get(mark)), "")


def standing(status: Mapping[str, Any]) -> str:
    """The standing of a study in a word: archived, a mark that stops it, finished or running."""
    if status["archived"]:
        return "archived"
    return stopped(status) or ("finished" if status["finished"] else "running")
