"""The options of a problem: one list for Python, the command line and the JSON interface."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict, cast

from bestdo.errors import did_you_mean

__all__ = ["NAMES", "DraftOptions", "ProblemOptions", "check_names", "problem_options"]


class DraftOptions(TypedDict, total=False):
    """The reward and the actions, where the source of a problem does not say them or others are wanted."""

    reward: str | None
    success: str | None
    worth: Mapping[str, float] | None
    """Instead of a success: a number for each value of the reward."""
    aim: str | None
    """The aim for a reward that is a number, or a worth: "maximise" or "minimise"."""
    set: str | Iterable[str] | Mapping[str, Any] | None
    """The variables that may be set, as in `bestdo.Problem`."""
    at_most: int | None
    """The most variables set at once."""
    first: str | Iterable[str] | None
    """The variables that are seen before the action is chosen."""


class ProblemOptions(DraftOptions, total=False):
    """The statements of a person about a problem beside its source; see `bestdo.compose`."""

    goal: str | None
    """"find" or "earn"."""
    graph_only: bool
    """Whether the tables that the source gives stay unused."""


NAMES = tuple(ProblemOptions.__annotations__)
"""The names of all options of a problem."""


def problem_options(options: Mapping[str, Any]) -> ProblemOptions:
    """The options of a problem among others."""
    return cast("ProblemOptions", {name: options[name] for name in NAMES if name in options})


def check_names(function: Callable[..., object], options: Mapping[str, Any], known: Iterable[str] = NAMES) -> None:
    """Raises TypeError, as Python does, for an option that a function does not have; it names the most similar one."""
    for name in options:
        if name not in known:
            own = [p.name for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_KEYWORD]
            near = did_you_mean(name, [*own, *known])
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{near}")
