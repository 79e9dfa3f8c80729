"""The table of actions as a person wants it: searched, sorted, the first few or all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bestdo.bandit.estimate import Estimate
from bestdo.web.study_snapshot import StudySnapshot

__all__ = ["SORTS", "ActionList", "list_actions"]

_FEW = 12
"""Actions that are shown before somebody asks for all of them. Chosen, not measured."""

_MOST = 2_000
"""Actions that are shown when somebody asks for all: more make the page slow. Chosen, not measured."""

_LONGEST = 200
"""Characters of a search that are read. Chosen, not measured."""

SORTS = {"mean": "best mean", "chance": "P(best)", "played": "plays", "seen": "sightings", "name": "name"}
"""The columns by which the table can be sorted, with the words for them."""

_KEYS: dict[str, Callable[[Estimate], Any]] = {
    "chance": lambda line: -line.p_best,
    "played": lambda line: -line.played,
    "seen": lambda line: -line.seen,
    "name": lambda line: str(line.action),
}


@dataclass(frozen=True)
class ActionList:
    """The lines of the table of actions, and how they were chosen."""

    lines: tuple[Estimate, ...]
    found: int
    """The number of actions that the search matched."""
    find: str
    sort: str
    whole: bool
    """Whether all that were found are wanted."""

    @property
    def is_usual(self) -> bool:
        """Whether this is the table that everybody sees at first."""
        return not self.find and self.sort == "mean" and not self.whole


def list_actions(snapshot: StudySnapshot, find: str = "", sort: str = "mean", whole: bool = False) -> ActionList:
    """The actions whose text has all words of the search, sorted; those that come first, or all."""
    sort = sort if sort in SORTS else "mean"
    words = find[:_LONGEST].casefold().split()
    found = [line for line in snapshot.lines if all(word in str(line.action).casefold() for word in words)]
    if sort in _KEYS:  # the lines of a snapshot are sorted by their means
        found.sort(key=_KEYS[sort])
    return ActionList(tuple(found[: _MOST if whole else _FEW]), len(found), find[:_LONGEST], sort, whole)
