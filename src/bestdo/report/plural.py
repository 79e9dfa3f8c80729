"""Small words for people."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """How many of something: 1 round, 1,000 rounds."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
