"""What is to be simulated: settings, learners, and how the picture of the results is labelled."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bestdo.bandit.learner import Learner
from bestdo.simulate import World

__all__ = ["CHUNK", "Experiment", "Row", "Setting", "Task", "fingerprint", "tasks"]

CHUNK = 1000
"""Lanes in a chunk. Fixed, so that results do not depend on who computes them; another number gives other results."""

_DECIDING = ("bandit", "causal", "design", "experiments", "learners", "simulate")

Row = dict[str, Any]
"""One line of a table."""


@dataclass(frozen=True, eq=False)
class Setting:
    """One point of the picture: a world and a horizon."""

    x: float | str
    """Where it stands on the picture's x axis."""
    world: World
    horizon: int
    panel: str = ""
    """The heading of the panel that it belongs to."""
    given: Mapping[str, float] = field(default_factory=dict)
    """What else is worth a column in the table."""
    left_out: frozenset[str] = frozenset()
    """Labels of learners that do not play here."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """Settings × learners, and the words for the picture."""

    name: str
    title: str
    x_label: str
    settings: tuple[Setting, ...]
    learners: Mapping[str, Learner[Any]]
    """By the label that stands in tables and pictures."""
    caption: str = ""
    y: str = "regret"
    """The column that is drawn, with bars of three times the column `y_error`."""
    y_error: str = "standard_error"
    y_label: str = "regret of the action kept"
    log_x: bool = False
    summary: Callable[[list[Row]], list[Row]] | None = None
    """Makes the rows that are drawn of the rows that were simulated; None where they are the same."""


class Task(NamedTuple):
    """A chunk of lanes of one learner in one setting."""

    setting: int
    learner: str
    chunk: int
    lanes: int


def tasks(experiment: Experiment, sims: int) -> Iterator[Task]:
    """All chunks, in their fixed order."""
    for i, setting in enumerate(experiment.settings):
        for label in experiment.learners:
            if label not in setting.left_out:
                for chunk in range(-(-sims // CHUNK)):
                    yield Task(i, label, chunk, min(CHUNK, sims - chunk * CHUNK))


def fingerprint(experiment: Experiment, sims: int, seed: int) -> str:
    """Another one for everything that can change the numbers: settings, truths, learners, seed, versions, code."""
    parts = [
        experiment.name,
        sims,
        seed,
        CHUNK,
        version("bestdo"),
        np.__version__,
        _code(),
        {label: _described(learner) for label, learner in experiment.learners.items()},
        [[s.x, s.horizon, s.panel, dict(s.given), sorted(s.left_out), *_truth(s.world)] for s in experiment.settings],
    ]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def _truth(world: World) -> list[object]:
    problem, model = world.problem, world.model
    tables = hashlib.sha256(b"".join(model.tables[n].tobytes() for n in model.graph.names)).hexdigest()
    law = type(problem.law).__name__
    return [list(map(str, problem.actions)), problem.graph.edges, model.graph.edges, tables, law, world.means.tolist()]


def _described(learner: Learner[Any]) -> list[str]:
    """The learner's parameters, and the code of one that comes from another package."""
    cls = type(learner)
    text = re.sub(r" at 0x[0-9a-f]+", "", repr(learner))
    if cls.__module__.startswith("bestdo."):
        return [text]
    try:
        source = inspect.getsource(cls)
    except (OSError, TypeError):  # typed into a session, or compiled
        source = ""
    return [text, cls.__module__, source]


@lru_cache(maxsize=1)
def _code() -> str:
    """A digest of the files that decide results, so that what an older version left behind is not carried on with."""
    root = Path(__file__).parent.parent
    files = sorted(f for room in _DECIDING for f in (root / room).rglob("*.py"))
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()
