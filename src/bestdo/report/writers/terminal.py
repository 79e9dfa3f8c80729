"""Writes lines, tables and the blocks of sections to the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from bestdo.report.document_blocks import Bullets, Line, Remark, Table, plain

__all__ = ["say", "show", "table"]


def _plain(text: str) -> str:
    """The text with control and direction characters escaped, so that names in it cannot control the terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def say(text: str) -> None:
    """Prints a line of text without breaking it."""
    click.echo(_plain(text))


def show(blocks: Iterable[Line]) -> None:
    """Prints the blocks of a section, one below the other: remarks are moved to the right, points have a dot."""
    for block in blocks:
        if isinstance(block, Table):
            table(block.heads, [list(map(plain, row)) for row in block.rows])
        elif isinstance(block, Bullets):
            for item in block.items:
                say(f"• {plain(item)}")
        else:
            say(f"  {block.text}" if isinstance(block, Remark) else plain(block.words))


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table, its first column aligned on the left, the others on the right; nothing is cut off."""
    from rich.cells import cell_len

    lines = [[_plain(cell) for cell in row] for row in (heading, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        spaces = [" " * (w - cell_len(c)) for c, w in zip(line, widths, strict=True)]
        cells = [line[0] + spaces[0], *(s + c for s, c in zip(spaces[1:], line[1:], strict=True))]
        say("  ".join(cells).rstrip())
