"""The learners that can be asked for by name."""

from __future__ import annotations

from bestdo.errors import BestdoError, unknown
from bestdo.learners import descriptions, names

__all__ = ["descriptions", "names", "registered"]


def registered(name: str) -> str:
    """The name itself, if it is a learner's; `module:Class` is refused, so that nothing is loaded at a stranger's word."""
    if name not in names():
        raise BestdoError(unknown("learner", name, names()))
    return name
