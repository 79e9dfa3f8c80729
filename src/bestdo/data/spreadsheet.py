"""CSV as spreadsheets really save it: separators, byte-order marks, UTF-16, decimal commas, stray spaces."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection

from bestdo.causal.variable import Variable
from bestdo.errors import BestdoError, shown

__all__ = ["clean", "code_of", "harmless", "lines_of", "nothing"]

_SEPARATORS = ",;\t"
_NOTHING = {"", "na", "n/a", "#n/a", "nan"}
_FORMULA = ("=", "+", "-", "@")
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def lines_of(name: str, data: bytes, known: Collection[str]) -> list[tuple[int, list[str]]]:
    """The lines that say something, each with its number in the file.

    Split by the separator that finds most of the known columns in the first of them.
    """
    text = _text(data).lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    folded = {column.casefold() for column in known}
    skip = 1 if text.lower().startswith("sep=") else 0  # what Excel is told
    best: list[tuple[int, list[str]]] = []
    most = -1
    for separator in _SEPARATORS:
        reader = csv.reader(io.StringIO(text), delimiter=separator)
        try:
            found = [(reader.line_num, cells) for cells in reader if any(map(clean, cells))][skip:]
        except csv.Error as error:
            raise BestdoError(f"{shown(name, 300)}, line {reader.line_num}: {error}") from None
        score = len({clean(c).removeprefix("'").casefold() for c in found[0][1]} & folded) if found else 0
        if score > most:
            best, most = found, score
    if not best:
        raise BestdoError(f"{shown(name, 300)} is empty: a heading and at least one line are needed")
    return best


def _text(data: bytes) -> str:
    """What the bytes say, by their mark, by the zeros of UTF-16, as UTF-8, or as Windows writes Western letters."""
    mark = next((m for m in _MARKS if data.startswith(m)), None)
    if mark is not None:
        return data.decode(_MARKS[mark], errors="replace")
    start = data[:200]
    if start.count(0) >= max(1, len(start) // 3):
        little = start[1::2].count(0) >= start[::2].count(0)
        return data.decode("utf-16-le" if little else "utf-16-be", errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def clean(cell: str) -> str:
    """The cell without the spaces around it."""
    return cell.replace("\u00a0", " ").strip()


def nothing(variable: Variable, cell: str) -> bool:
    """Whether a cell is empty, or says that there is nothing, where that is not one of the values."""
    return cell.casefold() in _NOTHING and cell not in variable.values


def code_of(variable: Variable, cell: str) -> int | None:
    """Which value a cell means: as it stands, in another case, or as the same number; None unless exactly one can be."""
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


def harmless(text: str) -> str:
    """The text, with an apostrophe before what a spreadsheet would run as a formula; `code_of` takes it off again."""
    return f"'{text}" if text.startswith(_FORMULA) and _number(text) is None else text
