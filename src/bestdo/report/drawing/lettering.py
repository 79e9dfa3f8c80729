"""How wide text is, without a font at hand, and how to shorten it."""

from __future__ import annotations

import unicodedata

__all__ = ["elided", "listed", "measured"]

_EM = {  # parts of the font's size, on the generous side of the usual system fonts
    **dict.fromkeys("ijl.,:;|!'`", 0.32),
    **dict.fromkeys('ftr()[]{}/\\-" ', 0.43),
    **dict.fromkeys("mwMW@%—…", 0.94),
    **dict.fromkeys("0123456789", 0.65),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&<>=+~", 0.74),
    "I": 0.36,
    "·": 0.36,
}


def _em(char: str) -> float:
    if char in _EM:
        return _EM[char]
    if unicodedata.combining(char):
        return 0.0
    return 1.05 if ord(char) > 0x2E7F or unicodedata.east_asian_width(char) in "WF" else 0.63


def measured(text: str, size: float) -> float:
    """The width of a line of text in a font of this size."""
    return size * sum(map(_em, text))


def elided(text: str, room: float, size: float) -> str:
    """The text, cut and ended by … when it is wider than there is room for."""
    if measured(text, size) <= room:
        return text
    used = measured("…", size)
    for end, char in enumerate(text):
        used += measured(char, size)
        if used > room:
            return text[:end].rstrip() + "…"
    return text


def listed(items: tuple[str, ...], room: float, size: float) -> str:
    """As many items as there is room for; then … and how many there are."""
    whole = " · ".join(items[:64])
    if len(items) <= 64 and measured(whole, size) <= room:
        return whole
    ending = f" … ({len(items)})"
    for keep in range(min(len(items) - 1, 12), 0, -1):
        short = " · ".join(items[:keep]) + ending
        if measured(short, size) <= room:
            return short
    if len(items) == 1:
        return elided(items[0], room, size)
    return elided(items[0], room - measured(ending, size), size) + ending
