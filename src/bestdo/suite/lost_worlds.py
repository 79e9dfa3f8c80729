"""Why this library's learner is not among the first on some worlds of the suite: written by hand, in this one place."""

from __future__ import annotations

__all__ = ["REASONS"]

REASONS: dict[str, str] = {}
"""By the world's name; a world that is not here and is lost has no explanation yet, and the report says so."""
