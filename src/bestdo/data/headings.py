"""The headings of tables: which row it is, and the name of each column."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bestdo.causal.number import is_number
from bestdo.data.spreadsheet import clean
from bestdo.errors import BestdoError, shown

__all__ = ["UNNAMED", "column_names", "find_heading"]

UNNAMED = "\0"
"""The beginning of the names given to columns without one; no name in a file can begin so."""


def find_heading(rows: Sequence[Sequence[str]], wanted: Collection[str]) -> int | None:
    """The index of the row that is the heading: that with most of the wanted names, or the first that is well filled."""
    lowered = {clean(name).casefold() for name in wanted}
    known = [len({clean(cell).casefold() for cell in row} & lowered) for row in rows]
    most = max(known, default=0)
    if most:
        return known.index(most)
    filled = [sum(bool(clean(cell)) for cell in row) for row in rows]
    enough = max(1, max(filled, default=0) / 2)
    at = next((i for i, count in enumerate(filled) if count >= enough), None)
    return at + 1 if at is not None and at + 1 < len(rows) and _goes_on(rows[at], rows[at + 1]) else at


def _goes_on(row: Sequence[str], below: Sequence[str]) -> bool:
    """Whether a heading goes on below a row: that has gaps, other than its first cell, where texts without numbers stand."""
    gaps = any(clean(two) and not clean(one) for one, two in zip(row[1:], below[1:], strict=True))
    return gaps and not any(is_number(clean(cell)) for cell in below)


def column_names(
    name: str, line: int, cells: Sequence[str], ignore: Collection[str] = ()
) -> tuple[list[str], list[str]]:
    """The names of the columns in a heading, different ones, and notes on columns that have none.

    A name that is there twice is an error, unless it is ignored.
    """
    names: list[str] = []
    notes = []
    for i, cell in enumerate(map(clean, cells), 1):
        if not cell:
            names.append(f"{UNNAMED}{i}")
            notes.append(i)
        elif cell in names and cell in ignore:
            names.append(f"{UNNAMED}{i}")
        elif cell in names:
            raise BestdoError(
                f"{shown(name, 300)}, line {line}, column {i}: {shown(cell)} is also the name of column "
                f"{names.index(cell) + 1}; rename one of them, or leave both out (--ignore {cell})"
            )
        else:
            names.append(cell)
    if len(notes) == len(names):
        raise BestdoError(f"{shown(name, 300)}, line {line}: the heading is empty; it needs the names of the columns")
    listed = ", ".join(map(str, notes[:8])) + (f" and {len(notes) - 8} more" if len(notes) > 8 else "")
    plural = "" if len(notes) == 1 else "s"
    said = [f"column{plural} {listed} without a name in line {line}: left out"] if notes else []
    return names, said
