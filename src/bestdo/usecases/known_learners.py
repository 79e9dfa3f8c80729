"""The learners that can be asked for by name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bestdo.errors import BestdoError
from bestdo.learners import descriptions, names, registered, reservations, title, warning

if TYPE_CHECKING:
    from bestdo.study import Study

__all__ = [
    "descriptions",
    "names",
    "names_by_title",
    "only_registered",
    "registered",
    "reservations",
    "taken_by",
    "warning",
]

_MOST_ACTIONS = 1_000
"""Actions up to which learners are tried: all of them took 1.5 s with 801 actions and known tables (two shared cores)."""


def names_by_title() -> dict[str, str]:
    """The name of each learner, by its full name in tables."""
    return {title(name): name for name in names()}


def only_registered(part: Any) -> None:
    """Refuses a study that names a learner of its own code: what comes from outside loads no module."""
    if isinstance(part, str) and part.lstrip().startswith("{"):
        part = json.loads(part)
    if isinstance(part, Mapping):
        if "learner" in part:
            registered(str(part["learner"]))
        part = part.values()
    elif not isinstance(part, list):
        return
    for each in part:
        only_registered(each)


def taken_by(study: Study) -> dict[str, str]:
    """A line about each learner that the study would take in place of its own; with very many actions, about all."""
    from bestdo.study.fold import start_state
    from bestdo.study.verbs.horizon_and_learner import with_learner

    found = descriptions()
    if len(study.problem.actions) > _MOST_ACTIONS:
        return found
    with study.reading() as log:
        book = study.book(log)
        for name in list(found):
            try:
                start_state(with_learner(log, book, name, {}))
            except BestdoError:
                del found[name]
    return found
