"""Reads CSV as spreadsheets save it: several separators, byte-order marks, UTF-16, decimal commas, outer spaces."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection

from bestdo.causal.variable import Variable
from bestdo.errors import BestdoError, shown
from bestdo.text import place

__all__ = ["ZERO_BYTE", "clean", "code_of", "escape_formula", "heading_of", "is_missing", "lines_of", "wrong_quotes"]

_SEPARATORS = ",;\t|"
ZERO_BYTE = "a zero byte, which no text has; the file is damaged, or no CSV"
"""The error where a byte is zero."""
_MISSING = {"", "na", "n/a", "#n/a", "nan"}
_FORMULA = ("=", "+", "-", "@")
_ENOUGH_TO_GUESS = 200
"""The number of bytes that are looked at for the zeros of UTF-16."""
_BYTE_ORDER_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


def lines_of(name: str, data: bytes, known: Collection[str]) -> list[tuple[int, list[str]]]:
    """The cells of the lines that are not empty, each with its line number in the file.

    They are split by the separator that gives most of the known columns in the first line, or else most columns.
    """
    text = _decode(data).lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        line, column = place(text, text.index("\0"))
        raise BestdoError(f"{shown(name, 300)}, line {line}, column {column}: {ZERO_BYTE}")
    separator, last, heading = heading_of(text, known)
    if not any(map(clean, heading)):
        raise BestdoError(f"{shown(name, 300)} is empty: a heading and at least one line are needed")
    rest = io.StringIO(text)
    for _ in range(last):
        rest.readline()
    reader = csv.reader(rest, delimiter=separator, strict=True)
    lines = [(last, heading)]
    first = last + 1
    try:
        for cells in reader:
            if any(map(clean, cells)):
                lines.append((first, cells))
            first = last + reader.line_num + 1
    except csv.Error as error:
        raise BestdoError(wrong_quotes(name, first, error)) from None
    return lines


def heading_of(text: str, wanted: Collection[str]) -> tuple[str, int, list[str]]:
    """The separator of a CSV text, the number of the line on which its heading ends, and the cells of the heading.

    The heading is the first line with anything in it; the separator is that which gives most of the wanted columns in it, or
    else most columns.
    """
    lines = text.split("\n")
    skip = 1 if lines[0].lower().startswith("sep=") and len(lines) > 1 else 0  # a line that tells Excel the separator
    while skip < len(lines) - 1 and not clean(lines[skip]).strip(_SEPARATORS):
        skip += 1
    lowered = {clean(name).casefold() for name in wanted}
    best = (-1, -1)
    heading: tuple[str, int, list[str]] = (",", skip + 1, [])
    for separator in _SEPARATORS:
        reader = csv.reader((f"{line}\n" for line in lines[skip:]), delimiter=separator)
        try:
            cells = next(reader, [])
        except csv.Error:
            continue
        score = len({clean(c).removeprefix("'").casefold() for c in cells} & lowered), len(cells)
        if score > best:
            best, heading = score, (separator, skip + reader.line_num, cells)
    return heading


def wrong_quotes(name: str, line: int, error: csv.Error) -> str:
    """The message for quotes that are wrong, in the line or lines of cells that begin there."""
    if "expected after" in str(error):
        what = "a cell goes on after its closing quotes; write quotes inside a cell twice"
    else:
        what = "the quotes that open in this line are never closed"
    return f"{shown(name, 300)}, line {line}: {what}"


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
    codes = [i for i, value in enumerate(variable.values) if value.casefold() == cell.casefold()]
    if not codes and (wanted := _number(cell)) is not None:
        codes = [i for i, value in enumerate(variable.values) if _number(value) == wanted]
    return codes[0] if len(codes) == 1 else None


def _number(cell: str) -> float | None:
    """The number that a cell shows, with a decimal point or a decimal comma."""
    try:
        return float(cell.replace(",", ".")) if cell[-1:].isdecimal() else None
    except ValueError:
        return None


def escape_formula(text: str) -> str:
    """The text, with an apostrophe in front if a spreadsheet would run it as a formula; `code_of` ignores it."""
    return f"'{text}" if text.startswith(_FORMULA) and _number(text) is None else text
