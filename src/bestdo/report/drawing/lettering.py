"""Estimates the width of text without a font, and shortens text to fit."""

from __future__ import annotations

import unicodedata

__all__ = ["elide", "join_values", "text_width"]

_MOST_VALUES = 64
"""The most values that are listed at all."""
_MOST_OF_SHORTENED = 12
"""The most values that are listed when not all fit."""
_EM = {  # width in parts of the font's size: a little more than in the usual system fonts
    **dict.fromkeys("ijl.,:;|!'`", 0.32),
    **dict.fromkeys('ftr()[]{}/\\-" ', 0.43),
    **dict.fromkeys("mwMW@%—…", 0.94),
    **dict.fromkeys("0123456789", 0.65),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&<>=+~", 0.74),
    "I": 0.36,
    "·": 0.36,
}


def _em(char: str) -> float:
    """The width of a character in parts of the font's size."""
    if char in _EM:
        return _EM[char]
    if unicodedata.combining(char):
        return 0.0
    return 1.05 if ord(char) > 0x2E7F or unicodedata.east_asian_width(char) in "WF" else 0.63


def text_width(text: str, size: float) -> float:
    """The estimated width of a line of text in a font of this size."""
    return size * sum(map(_em, text))


def elide(text: str, room: float, size: float) -> str:
    """The text, shortened and ended by … where it is wider than the room."""
    if text_width(text, size) <= room:
        return text
    used = text_width("…", size)
    for end, char in enumerate(text):
        used += text_width(char, size)
        if used > room:
            return text[:end].rstrip() + "…"
    return text


def join_values(items: tuple[str, ...], room: float, size: float) -> str:
    """The items separated by dots; where they do not fit, the first of them, … and how many there are."""
    whole = " · ".join(items[:_MOST_VALUES])
    if len(items) <= _MOST_VALUES and text_width(whole, size) <= room:
        return whole
    ending = f" … ({len(items)})"
    for keep in range(min(len(items) - 1, _MOST_OF_SHORTENED), 0, -1):
        short = " · ".join(items[:keep]) + ending
        if text_width(short, size) <= room:
            return short
    if len(items) == 1:
        return elide(items[0], room, size)
    return elide(items[0], room - text_width(ending, size), size) + ending
