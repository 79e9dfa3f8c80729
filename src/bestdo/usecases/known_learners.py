"""The learners that can be asked for by name."""

from __future__ import annotations

from bestdo.errors import BestdoError, unknown
from bestdo.learners import descriptions, names, title

__all__ = ["descriptions", "names", "names_by_title", "registered"]


def names_by_title() -> dict[str, str]:
    """The name of each learner, by its full name in tables."""
    return {title(name): name for name in names()}


def registered(name: str) -> str:
    """The name, if it is that of a learner; `module:Class` is refused, so that a request cannot import code."""
    if name not in names():
        raise BestdoError(unknown("learner", name, names()))
    return name
