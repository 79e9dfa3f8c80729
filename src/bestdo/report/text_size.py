"""Measures text in pictures and breaks it into lines, before anything is drawn."""

from __future__ import annotations

__all__ = ["text_width", "wrap"]

_PIXELS = 1.06
"""Text in pixels is wider than its outlines by up to this factor: each letter is rounded up to whole pixels. That nothing
overlaps is checked in tests/report/test_figure.py."""


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a text in inches, in a font of so many points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(family="DejaVu Sans", size=size, weight="bold" if bold else "normal")
    return float(TextToPath().get_text_width_height_descent(text, font, ismath=False)[0]) * _PIXELS / 72


def wrap(text: str, room: float, size: float, *, bold: bool = False) -> list[str]:
    """The text in lines of at most so many inches; a single word may be longer."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
