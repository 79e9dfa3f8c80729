"""The errors a person can meet: each says what was seen, what is allowed and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "ActionError",
    "BestdoError",
    "Conflict",
    "Deviates",
    "FileError",
    "Finished",
    "GraphError",
    "NotValid",
    "StorageError",
    "TableError",
    "TooLarge",
    "Waiting",
    "shown",
    "unknown",
]


class BestdoError(Exception):
    """Something that a person can put right; the command line prints it without a traceback."""


class GraphError(BestdoError):
    """A graph, a variable or a value that cannot be."""


class ActionError(BestdoError):
    """An intervention that cannot be made or is not allowed."""


class TableError(BestdoError):
    """A table of probabilities that is not one."""


class TooLarge(BestdoError):
    """A request that was refused, before anything was allocated, because its answer would not fit."""


class NotValid(BestdoError):
    """A statistic or a learner was asked to work on a problem on which it would be wrong."""


class Conflict(BestdoError):
    """What is told contradicts what was told before; nothing was changed."""


class Deviates(BestdoError):
    """What is told contradicts what was set, and nobody said that this is what happened."""


class Waiting(BestdoError):
    """There is nothing to hand out until open rounds come back."""


class Finished(BestdoError):
    """The study has no rounds left, or is closed."""


class StorageError(BestdoError):
    """The database cannot be read or written; nothing was half-written."""


class FileError(BestdoError):
    """A file that cannot be understood; says where."""

    def __init__(self, message: str, file: str, line: int, column: int) -> None:
        super().__init__(message, file, line, column)
        self.message = message
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


def shown(text: object, most: int = 60) -> str:
    """The text in quotes, control characters escaped, cut when long."""
    quoted = repr(str(text)[: most + 1])
    return quoted if len(str(text)) <= most else f"{quoted[:-2]}…{quoted[-1]}"


def unknown(what: str, seen: object, allowed: Iterable[str], most: int = 12, of: str = "") -> str:
    """A sentence for a name that is not among the allowed ones, with the nearest one when there is one."""
    names = list(allowed)
    near = difflib.get_close_matches(str(seen)[:100], names[:2000], n=1)
    hint = f" (did you mean {shown(near[0])}?)" if near else ""
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    listed = ", ".join(shown(name) for name in names[:most]) or "none"
    return f"unknown {what} {shown(seen)}{of}{hint}; allowed: {listed}{rest}"
