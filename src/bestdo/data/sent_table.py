"""A table of old data as text, for a server that reads it there."""

from __future__ import annotations

import os
from collections.abc import Sequence

from bestdo.bandit.reading import Reading
from bestdo.data.frames import open_frame
from bestdo.errors import BestdoError

__all__ = ["MOST_BYTES", "as_csv"]

MOST_BYTES = 15 * 2**20
"""The longest table that a server takes."""
_PLAIN = (".csv", ".tsv", ".txt", ".tab")


def as_csv(source: object, reading: Reading, columns: Sequence[str]) -> str:
    """A file (by its path) or a data frame as CSV; a file of CSV in UTF-8 as it is.

    `columns` are names that the table probably has: by them its heading and separator are found.
    """
    text = _own_text(source)
    if text is None:
        frame, _ = open_frame(source, columns, reading.sheet)
        text = (frame.collect() if hasattr(frame, "collect") else frame).write_csv()
    if len(text.encode()) > MOST_BYTES:
        raise BestdoError(
            f"the table has more than {MOST_BYTES // 2**20} MB, and a server takes no more: observe it where the database is "
            "(--storage sqlite:///FILE), or leave out columns that are no variables"
        )
    return text


def _own_text(source: object) -> str | None:
    """The text of a file of CSV in UTF-8; None of anything else."""
    if not isinstance(source, str | os.PathLike) or not os.fsdecode(source).lower().endswith(_PLAIN):
        return None
    try:
        with open(source, "rb") as file:
            start = file.read(MOST_BYTES + 1)
        text = start.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    return None if "\0" in text or not text else text
