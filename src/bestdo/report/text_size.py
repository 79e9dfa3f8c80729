"""How much room words take in pictures, measured before anything is drawn."""

from __future__ import annotations

__all__ = ["breadth", "wrapped"]

_ROUNDED = 1.06
"""Where letters are made of pixels, each is rounded up to whole ones."""


def breadth(text: str, size: float, *, bold: bool = False) -> float:
    """In inches, at so many points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(family="DejaVu Sans", size=size, weight="bold" if bold else "normal")
    return float(TextToPath().get_text_width_height_descent(text, font, ismath=False)[0]) * _ROUNDED / 72


def wrapped(text: str, room: float, size: float, *, bold: bool = False) -> list[str]:
    """Lines that are no longer than the room, in inches, where spaces allow."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and breadth(longer, size, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
