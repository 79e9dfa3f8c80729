"""The rounds of a study that a person looks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bestdo.study import Study

__all__ = ["STATUSES", "RoundList", "find_rounds"]

_PAGE = 100
"""Rounds on one page of the list. Chosen, not measured."""

_LONGEST = 200
"""Characters of a search that are read. Chosen, not measured."""

STATUSES = {"open": "out", "told": "told", "lost": "lost", "unplayed": "never played", "expired": "expired"}
"""The states of a round, with the words for them."""


@dataclass(frozen=True)
class RoundList:
    """The rounds that a search found, one page of them, newest first."""

    rounds: tuple[dict[str, Any], ...]
    found: int
    find: str
    status: str
    page: int
    pages: int


def find_rounds(study: Study, find: str = "", status: str = "", page: int = 1) -> RoundList:
    """The rounds that have all words of the search: a number, a person, a part of the action, a value, or name=value."""
    words = find[:_LONGEST].casefold().split()
    found = [
        row
        for row in reversed(study.rounds())
        if (not status or row["status"] == status) and all(_has(row, word) for word in words)
    ]
    pages = max(1, -(-len(found) // _PAGE))
    page = min(max(page, 1), pages)
    return RoundList(tuple(found[_PAGE * (page - 1) : _PAGE * page]), len(found), find[:_LONGEST], status, page, pages)


def _has(row: dict[str, Any], word: str) -> bool:
    """Whether a round has a word of a search; name=value is what was told or seen first, or a part of the action."""
    seen = {**row.get("context", {}), **row.get("values", {})}
    pairs = [f"{name}={value}".casefold() for name, value in seen.items()]
    if "=" in word:
        return word in pairs or word in str(row["action"]).casefold()
    texts = (row["action"], row["worker"], *seen.values())
    return word == str(row["number"]) or any(word in str(text).casefold() for text in texts)
