"""Looks through a CSV file of any size, part by part, for what cannot be right, before anything is counted."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from typing import IO, NamedTuple

import numpy as np

from bestdo.data.spreadsheet import ZERO_BYTE, wrong_quotes
from bestdo.errors import BestdoError, shown
from bestdo.files.atomic_io import too_large
from bestdo.text import counted

__all__ = ["check_width", "scan"]

_PART = 2**22
"""Bytes that are looked at in one step. Limits memory. Chosen, not measured."""
_MOST_UNPACKED = 4 * 2**30
"""The most bytes of a CSV file once it is unpacked. Limits time and disk, not memory. Chosen, not measured."""
_LONGEST_CELL = 131_072
"""The most characters of a cell: what is longer comes from quotes that are never closed. The limit of Python's reader."""
_QUOTE, _NEWLINE = 34, 10


class _Scan(NamedTuple):
    """The result of the scan of a file."""

    utf8: bool
    """Whether all of it is UTF-8."""
    regular: bool
    """Whether every line has as many cells as the heading, so that any reader finds the same cells."""


def scan(name: str, lines: int, separator: str, width: int) -> _Scan:
    """Looks through a file below its heading, which ends after so many lines and has so many columns.

    Raises an error with line and column for a line with more or fewer cells, quotes that are never closed, and zero
    bytes. Lines that are empty, and empty cells after the last column, are no errors, but not regular.
    """
    try:
        with _opened(name) as file:
            result = _look(name, file, lines, separator.encode(), width)
        if result.utf8 and not result.regular:
            with _opened(name) as file:
                _read_exactly(name, file, lines, separator, width)
    except (OSError, EOFError, zlib.error) as error:
        raise BestdoError(f"cannot read {shown(name, 300)}: {error}") from None
    return result


def _opened(name: str) -> IO[bytes]:
    """The file, unpacked where it is packed with gzip."""
    with open(name, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.GzipFile(name) if packed else open(name, "rb")  # type: ignore[return-value]


def _look(name: str, file: IO[bytes], lines: int, separator: bytes, width: int) -> _Scan:
    """Whether separators and ends of lines alternate as they must; by whole arrays of bytes, as fast as reading."""
    for _ in range(lines):
        file.readline()
    mark = ord(separator)
    decoder = codecs.getincrementaldecoder("utf-8")()
    regular, quotes, cells, line, size = True, 0, 0, lines + 1, 0
    while part := file.read(_PART):
        part += file.readline(_LONGEST_CELL)
        size += len(part)
        if size > _MOST_UNPACKED and isinstance(file, gzip.GzipFile):
            raise too_large(f"{name}, once unpacked,", _MOST_UNPACKED)
        if b"\0" in part:
            _zero_byte(name, part, line)
        try:
            if not part.isascii():
                decoder.decode(part)
        except UnicodeDecodeError:
            return _Scan(utf8=False, regular=False)
        if regular:
            regular, quotes, cells = _regular(part, mark, width, quotes, cells)
        line += part.count(b"\n")
    ended = quotes == 0 and cells in (0, width - 1)
    return _Scan(utf8=True, regular=regular and ended)


def _regular(part: bytes, mark: int, width: int, quotes: int, cells: int) -> tuple[bool, int, int]:
    """Whether the cells of a part are regular, and whether the next part begins in quotes, and after how many cells."""
    if width == 1 and (b"\n\n" in part or part.startswith(b"\n") or b"\n\r" in part or part.startswith(b"\r")):
        return False, quotes, cells
    if not quotes and not cells and b'"' not in part:
        marks = part.translate(None, bytes({*range(256)} - {mark, _NEWLINE}))
        lines, rest = divmod(len(marks), width)
        pattern = bytes([mark] * (width - 1) + [_NEWLINE])
        return marks == pattern * lines + pattern[:rest], quotes, rest
    byte = np.frombuffer(part, np.uint8)
    inside = (np.cumsum(byte == _QUOTE, dtype=np.uint8) + np.uint8(quotes)) & 1
    where = np.flatnonzero(((byte == mark) | (byte == _NEWLINE)) & (inside == 0))
    last = (np.arange(cells, cells + len(where)) % width) == width - 1
    return bool(((byte[where] == _NEWLINE) == last).all()), int(inside[-1]), int((cells + len(where)) % width)


def _zero_byte(name: str, part: bytes, line: int) -> None:
    """Raises the error for a zero byte."""
    at = part.index(b"\0")
    line += part.count(b"\n", 0, at)
    column = at - part.rfind(b"\n", 0, at)
    raise BestdoError(f"{shown(name, 300)}, line {line}, column {column}: {ZERO_BYTE}")


def _read_exactly(name: str, file: IO[bytes], lines: int, separator: str, width: int) -> None:
    """Raises an error for the first line that cannot be right, cell by cell."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    for _ in range(lines):
        text.readline()
    reader = csv.reader(text, delimiter=separator, strict=True)
    first = lines + 1
    try:
        for cells in reader:
            check_width(name, first, cells, width)
            first = lines + reader.line_num + 1
    except csv.Error as error:
        raise BestdoError(wrong_quotes(name, first, error)) from None
    finally:
        text.detach()


def check_width(name: str, line: int, cells: list[str], width: int) -> None:
    """Raises an error for a line with another number of cells than the heading; empty ones after the last are allowed."""
    count = len(cells)
    if count == width or not any(cells[width:] if count > width else cells):
        return
    more = f"; the first too many is {shown(cells[width])}" if count > width else f"; the last is {shown(cells[-1])}"
    remedy = "put a cell that holds the separator into quotes" if count > width else "add the separators of empty cells"
    raise BestdoError(
        f"{shown(name, 300)}, line {line}, column {min(count, width) + 1}: the line has {counted(count, 'cell')}, the "
        f"heading {width}{more}: {remedy}"
    )
