"""Writes lines and tables to the terminal."""

from __future__ import annotations

from collections.abc import Sequence

import click

__all__ = ["say", "table"]


def _plain(text: str) -> str:
    """The text with control and direction characters escaped, so that names in it cannot control the terminal."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def say(text: str) -> None:
    """Prints a line of text without breaking it."""
    click.echo(_plain(text))


def table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints a table, its first column aligned on the left, the others on the right; nothing is cut off."""
    from rich.cells import cell_len

    lines = [[_plain(cell) for cell in row] for row in (heading, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        spaces = [" " * (w - cell_len(c)) for c, w in zip(line, widths, strict=True)]
        cells = [line[0] + spaces[0], *(s + c for s, c in zip(spaces[1:], line[1:], strict=True))]
        say("  ".join(cells).rstrip())
