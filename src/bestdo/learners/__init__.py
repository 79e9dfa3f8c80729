"""One published algorithm per file, and their registry."""

from __future__ import annotations

from bestdo.learners.registry import (
    LEARNERS,
    Entry,
    by_title,
    descriptions,
    entry,
    learner,
    name_and_parameters,
    names,
    title,
)

__all__ = ["LEARNERS", "Entry", "by_title", "descriptions", "entry", "learner", "name_and_parameters", "names", "title"]
