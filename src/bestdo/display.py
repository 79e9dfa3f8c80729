"""The ways in which objects show themselves: as HTML in notebooks, as data frames and as pictures.

Rooms below `report` know no pictures and no tables. Their classes take the three functions below as methods, as in
`plot = display.plot`; what an object looks like is in the module of `report.views` that the table names, which is imported
when a method is called for the first time (docs/decisions/0020-objects-show-themselves.md).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any

__all__ = ["Told", "about_limits", "advice", "earned_in_words", "html", "in_words", "plot", "progress_bar", "to_frame"]

Told = Callable[[int, int], None]
"""A function that is called with how many parts are done, and of how many."""
_VIEWS = {
    "Answer": "answer_view",
    "Compared": "comparison_view",
    "Composed": "problem_view",
    "Contents": "problem_view",
    "Design": "design_view",
    "Doubts": "graph_view",
    "Estimates": "estimates_view",
    "FixedPlan": "plan_view",
    "Graph": "graph_view",
    "Outlook": "check_view",
    "Problem": "problem_view",
    "Rehearsal": "comparison_view",
    "Rule": "rule_view",
    "SheetEstimate": "estimates_view",
    "Study": "study_view",
    "World": "world_view",
}
"""The module of `report.views` for each class that shows itself."""


def _view(shown: object) -> ModuleType:
    """The module that shows an object, by the name of its class or of one that it is derived from."""
    name = next(cls.__name__ for cls in type(shown).__mro__ if cls.__name__ in _VIEWS)
    return importlib.import_module(f"bestdo.report.views.{_VIEWS[name]}")


def html(self: Any) -> str:
    """The HTML that a notebook shows, in light and in dark themes."""
    return str(_view(self).html(self))


def plot(self: Any) -> Any:
    """A matplotlib figure, as in ``estimates.plot().savefig("estimates.png")``; an error of ours without matplotlib."""
    return _view(self).figure(self)


def to_frame(self: Any, library: str | None = None) -> Any:
    """A data frame of pandas, or of Polars where pandas is not installed; `library` says which: "pandas" or "polars".

    It is tidy: one row for each action, round or cell, columns named as in exports, and null where nothing is known.
    It is an error of ours if neither library is installed, or the one that is asked for is not.
    """
    return importlib.import_module("bestdo.report.views.rows_frame").frame_of(_view(self).rows(self), library)


def in_words(self: Any) -> str:
    """A recommendation in one line, in the words of `bestdo.report.sections.recommendation`."""
    return _section("recommendation", "one_line", self)


def about_limits(self: Any) -> str:
    """Whether a recommended action, or rule, keeps all limits, in the words of `bestdo.report.sections.limits`."""
    return _section("limits", "about", self)


def earned_in_words(self: Any) -> str:
    """The earnings of a study in one or two sentences, in the words of `bestdo.report.sections.earned`."""
    return _section("earned", "in_sentences", self)


def advice(rows: Any) -> str:
    """The advice of a rehearsal in a few sentences, in the words of `bestdo.report.sections.rehearsal`."""
    return _section("rehearsal", "advice", rows)


def _section(noun: str, function: str, shown: Any) -> str:
    """The text that a function of `bestdo.report.sections` makes of an object."""
    return str(getattr(importlib.import_module(f"bestdo.report.sections.{noun}"), function)(shown))


def progress_bar(name: str, progress: bool | Told) -> AbstractContextManager[Told]:
    """The progress bar of `bestdo.usecases.progress_bar`, for rooms below it."""
    made: AbstractContextManager[Told]
    made = importlib.import_module("bestdo.usecases.progress_bar").progress_bar(name, progress)
    return made
