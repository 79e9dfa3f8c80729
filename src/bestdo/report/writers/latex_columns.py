"""The widths of the columns of a LaTeX table: which are broken into lines, and whether the table lies on its side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from bestdo.report.document_blocks import Table, Words, written

__all__ = ["column_shape"]

_LINE, _TURNED = 472.0, 718.0
"""The width in points of a line on A4 paper with margins of 22 mm, and on the same page turned."""
_GAP = 8.0
"""The room between two columns in points: twice \\tabcolsep."""
_SIZES = {"footnotesize": 8.0, "scriptsize": 7.0}
"""The sizes of letters that tables are set in, in points."""
_SENTENCE = 90.0
"""A column of sentences is at least so wide, in points."""
_NAME = 60.0
"""A column of names that must be broken into lines is at least so wide, in points."""
_NARROW, _WIDE = frozenset("iljftrI.,;:'!|()[]- "), frozenset("mwMW")
_BOLD = 1.16
"""Bold letters are wider by this factor."""


class _ColumnShape(NamedTuple):
    """The shape of the columns of a table."""

    size: str
    """The size of its letters, as a command of LaTeX."""
    turned: bool
    """Whether the table's pages lie on their side."""
    shares: Mapping[int, float]
    """The columns that are broken into lines, with their shares of the line's width."""
    heads: Sequence[Sequence[str]]
    """The head of each column, in one line or two."""


def column_shape(table: Table) -> _ColumnShape:
    """The shape of the columns with which a table is no wider than the line.

    Heads are broken into two lines before letters become smaller, which they do before the page lies on its side;
    where even that is too narrow, the widest columns of names are broken into lines.
    """
    for turned, room in ((False, _LINE), (True, _TURNED)):
        for size, points in _SIZES.items():
            for lines in (1, 2):
                widths, heads = _widths(table, points, lines)
                shares = _shares(widths, table.wraps, room)
                if shares is not None:
                    return _ColumnShape(size, turned, shares, heads)
    broken = set(table.wraps)
    names = sorted((k for k in range(len(widths)) if k in table.words and k not in broken), key=lambda k: -widths[k])
    for k in names:
        broken.add(k)
        shares = _shares(widths, broken, _TURNED, _NAME)
        if shares is not None:
            return _ColumnShape(size, True, shares, heads)
    return _ColumnShape(size, True, dict.fromkeys(sorted(broken), _NAME / _TURNED), heads)


def _widths(table: Table, size: float, lines: int) -> tuple[list[float], list[list[str]]]:
    """The width of every column in points, and its head in at most so many lines, as few as the cells allow."""
    widths, heads = [], []
    for k, head in enumerate(table.heads):
        cells = [_width(row[k], size) * (_BOLD if i in table.marked else 1) for i, row in enumerate(table.rows)]
        widest = max(cells, default=0.0)
        parts = [head] if lines == 1 or k in table.wraps or _width(head, size) <= widest else _halves(head)
        heads.append(parts)
        widths.append(max(widest, *(_width(part, size) for part in parts)))
    return widths, heads


def _halves(head: str) -> list[str]:
    """A head in two lines of about the same length; in one where it is one word."""
    words = head.split()
    ways = [[" ".join(words[:k]), " ".join(words[k:])] for k in range(1, len(words))]
    return min(ways, key=lambda way: max(map(len, way)), default=[head])


def _shares(
    widths: list[float], broken: Iterable[int], room: float, least: float = _SENTENCE
) -> dict[int, float] | None:
    """The shares of the line that columns broken into lines have beside the others; None where there is no room for them."""
    broken = sorted(broken, key=lambda k: widths[k])
    left = room - _GAP * (len(widths) - 1) - sum(width for k, width in enumerate(widths) if k not in broken)
    if left < sum(min(widths[k], least) for k in broken):
        return None
    shares = {}
    for i, k in enumerate(broken):  # those that need little leave their room to the others
        width = min(widths[k], left / (len(broken) - i))
        shares[k] = int(1000 * width / room) / 1000
        left -= width
    return shares


def _width(words: Words, size: float) -> float:
    """About how wide a text is in points, in letters of this size: rather more than less."""
    text = written(words, str, str, str)
    return size * sum(_share_of_size(sign) for sign in text)


def _share_of_size(sign: str) -> float:
    """About how wide a sign is, as a share of the size of letters; signs of formulas are wide."""
    if sign in _NARROW:
        return 0.36
    if sign in _WIDE or not sign.isalnum():
        return 0.86
    return 0.74 if sign.isupper() else 0.54
