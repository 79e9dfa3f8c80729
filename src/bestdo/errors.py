"""The exceptions of the library; each message says what was seen, what is allowed and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

__all__ = [
    "ActionError",
    "BestdoError",
    "Conflict",
    "Deviates",
    "DoubtError",
    "FileError",
    "Finished",
    "GraphError",
    "NoAim",
    "NoAimInFile",
    "NoReward",
    "NoSuccess",
    "NoSuccessInFile",
    "NotKnown",
    "NotValid",
    "StorageError",
    "TableError",
    "TooLarge",
    "Unusual",
    "Waiting",
    "did_you_mean",
    "shown",
    "unknown",
]

# How many characters of an unknown name, and how many allowed names, difflib compares to find the most similar one. They
# bound the time of a message: 0.14 s for 2,000 names of 12 characters, 2 s for 2,000 random names of 100 (a busy machine).
_CHARACTERS_COMPARED = 100
_NAMES_COMPARED = 2000


class BestdoError(Exception):
    """An error that a person can correct; the command line prints it without a traceback.

    >>> import bestdo
    >>> try:
    ...     bestdo.learner("ubc")
    ... except bestdo.BestdoError as error:
    ...     print(str(error)[:43])
    unknown learner 'ubc' (did you mean 'ucb'?)
    """


class GraphError(BestdoError):
    """A graph, a variable or a value is invalid or unknown."""


class DoubtError(GraphError):
    """A doubtful arrow cannot be: the message, and its place among the doubtful arrows."""

    def __init__(self, message: str, place: int) -> None:
        super().__init__(message)
        self.place = place

    def __reduce__(self) -> tuple[object, ...]:
        return DoubtError, (str(self), self.place)


class NoReward(GraphError):
    """A graph has no reward, and one is needed."""


class NoSuccess(GraphError):
    """The value of the reward that is success is not stated."""

    value: str = ""
    """A value of the reward that could be success."""


class NoAim(GraphError):
    """The aim of a reward that is a number is not stated: to maximise or to minimise."""


class ActionError(BestdoError):
    """An intervention is malformed, impossible or not allowed."""


class TableError(BestdoError):
    """A table of probabilities has the wrong shape, or a row that is not a distribution."""


class TooLarge(BestdoError):
    """A request was refused, before anything was allocated, because it would need too much memory or time."""


class NotValid(BestdoError):
    """A statistic, a learner or a design was asked for on a problem for which it is not valid."""


class NotKnown(NotValid):
    """Something was asked for that needs to know how often the reward's causes take their values, and nobody said."""


class Conflict(BestdoError):
    """A result contradicts an earlier one, or the action that was chosen; nothing was changed."""


class Deviates(BestdoError):
    """A result differs from the values that the action set, and is not marked as what really happened."""


class Unusual(BestdoError):
    """A number is far outside what was told before, and is not marked as right."""


class Waiting(BestdoError):
    """No action can be handed out until results of open rounds have been told."""


class Finished(BestdoError):
    """The study is closed or has no rounds left."""


class StorageError(BestdoError):
    """The database cannot be read or written; no change was written in part."""


class FileError(BestdoError):
    """A file cannot be read, with the line and column of the first error."""

    def __init__(self, message: str, file: str, line: int, column: int) -> None:
        super().__init__(message, file, line, column)
        self.message = message
        self.file = file
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


class NoSuccessInFile(FileError, NoSuccess):
    """The value of the reward that is success is not stated, with the place where a file names the reward."""


class NoAimInFile(FileError, NoAim):
    """The aim of a reward that is a number is not stated, with the place where a file names the reward."""


def shown(text: object, most: int = 60) -> str:
    """The text in quotes for a message: control characters escaped, cut after `most` characters."""
    quoted = repr(str(text)[: most + 1])
    return quoted if len(str(text)) <= most else f"{quoted[:-2]}…{quoted[-1]}"


def did_you_mean(seen: object, names: Sequence[str]) -> str:
    """The question whether the most similar of the names was meant, in brackets; empty where none is similar."""
    near = difflib.get_close_matches(str(seen)[:_CHARACTERS_COMPARED], names[:_NAMES_COMPARED], n=1)
    near = near or [name for name in names[:_NAMES_COMPARED] if _begins(name, str(seen))]
    return f" (did you mean {shown(near[0])}?)" if near else ""


def unknown(what: str, seen: object, allowed: Iterable[str], most: int = 12, of: str = "") -> str:
    """The message for a name that is not among the allowed ones, with the most similar of them where there is one."""
    names = list(allowed)
    hint = did_you_mean(seen, names)
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    listed = ", ".join(shown(name) for name in names[:most]) or "none"
    return f"unknown {what} {shown(seen)}{of}{hint}; allowed: {listed}{rest}"


def _begins(name: str, seen: str) -> bool:
    """Whether a text is the beginning of a name, up to the next character that is no letter, in whatever case."""
    rest = name[len(seen) :]
    return bool(seen and rest) and name.casefold().startswith(seen.casefold()) and not rest[0].isalnum()
