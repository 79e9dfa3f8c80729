"""Reads CSV as spreadsheets save it: several separators, byte-order marks, UTF-16, decimal commas, outer spaces."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection

from bestdo.causal.variable import Variable
from bestdo.errors import BestdoError, shown

__all__ = ["clean", "code_of", "escape_formula", "is_missing", "lines_of"]

_SEPARATORS = ",;\t"
_MISSING = {"", "na", "n/a", "#n/a", "nan"}
_FORMULA = ("=", "+", "-", "@")
_ENOUGH_TO_GUESS = 200
"""How many bytes are looked at for the zeros of UTF-16."""
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def lines_of(name: str, data: bytes, known: Collection[str]) -> list[tuple[int, list[str]]]:
    """The cells of the lines that are not empty, each with its line number in the file.

    They are split by the separator that gives most of the known columns in the first line, or most columns.
    """
    text = _decode(data).lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lowered = {column.casefold() for column in known}
    skip = 1 if text.lower().startswith("sep=") else 0  # a line that tells Excel the separator
    best: list[tuple[int, list[str]]] = []
    most = -1, -1
    for separator in _SEPARATORS:
        reader = csv.reader(io.StringIO(text), delimiter=separator)
        try:
            lines = [(reader.line_num, cells) for cells in reader if any(map(clean, cells))][skip:]
        except csv.Error as error:
            raise BestdoError(f"{shown(name, 300)}, line {reader.line_num}: {error}") from None
        heading = lines[0][1] if lines else []
        score = len({clean(c).removeprefix("'").casefold() for c in heading} & lowered), len(heading)
        if score > most:
            best, most = lines, score
    if not best:
        raise BestdoError(f"{shown(name, 300)} is empty: a heading and at least one line are needed")
    return best


def _decode(data: bytes) -> str:
    """The text of the bytes, decoded by their byte-order mark, or as UTF-16 if many are zero, as UTF-8 or Windows-1252."""
    mark = next((m for m in _BYTE_ORDER_MARKS if data.startswith(m)), None)
    if mark is not None:
        return data.decode(_BYTE_ORDER_MARKS[mark], errors="replace")
    start = data[:_ENOUGH_TO_GUESS]
    if start.count(0) >= max(1, len(start) // 3):
        little = start[1::2].count(0) >= start[::2].count(0)
        return data.decode("utf-16-le" if little else "utf-16-be", errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def clean(cell: str) -> str:
    """The cell without outer spaces."""
    return cell.replace("\u00a0", " ").strip()


def is_missing(variable: Variable, cell: str) -> bool:
    """Whether a cell is empty or says NA, unless that is one of the variable's values."""
    return cell.casefold() in _MISSING and cell not in variable.values


def code_of(variable: Variable, cell: str) -> int | None:
    """The code of the value in a cell: the same text, or the only value equal but for case, or equal as a number."""
    for text in (cell, cell.removeprefix("'")):
        if text in variable.values:
            return variable.code(text)
    found = [i for i, value in enumerate(variable.values) if value.casefold() == cell.casefold()]
    if not found and (wanted := _number(cell)) is not None:
        found = [i for i, value in enumerate(variable.values) if _number(value) == wanted]
    return found[0] if len(found) == 1 else None


def _number(cell: str) -> float | None:
    """The number that a cell shows, with a decimal point or a decimal comma."""
    try:
        return float(cell.replace(",", ".")) if cell[-1:].isdecimal() else None
    except ValueError:
        return None


def escape_formula(text: str) -> str:
    """The text, with an apostrophe in front if a spreadsheet would run it as a formula; `code_of` ignores it."""
    return f"'{text}" if text.startswith(_FORMULA) and _number(text) is None else text
