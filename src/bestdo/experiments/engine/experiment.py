"""What is to be simulated: settings, learners, and how the picture of the results is labelled."""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import Learner
from bestdo.causal.law import Law
from bestdo.errors import BestdoError
from bestdo.simulate import Prior, World

__all__ = ["CHUNK", "Experiment", "Measure", "Row", "Setting", "Task", "fingerprint", "tasks"]

CHUNK = 1000
"""Lanes in a chunk. Fixed, so that results do not depend on who computes them; another number gives other results."""

_DECIDING = ("bandit", "causal", "design", "evidence", "experiments", "learners", "simulate", "statistics")

Row = dict[str, Any]
"""One line of a table."""

Measure = Callable[[World, Learner[Any], float, int, np.random.Generator], Mapping[str, NDArray[np.float64]]]
"""Plays lanes of a world with a learner for a horizon, and says by name what came out of each (float[L]; NaN: nothing)."""


def _plain(number: Any) -> Any:
    return number.item() if isinstance(number, np.generic) else number


@dataclass(frozen=True, eq=False)
class Setting:
    """One point of the picture: a world, or a prior that every simulation draws a world of its own from, and a horizon."""

    x: float | str
    """Where it stands on the picture's x axis."""
    world: World | Prior
    horizon: float
    """A number of rounds; where the world has costs, what may be spent."""
    panel: str = ""
    """The heading of the panel that it belongs to."""
    given: Mapping[str, float] = field(default_factory=dict)
    """What else is worth a column in the table."""
    left_out: frozenset[str] = frozenset()
    """Labels of learners that do not play here."""

    def __post_init__(self) -> None:
        """Numbers of numpy become Python's own, so that `np.arange` serves."""
        object.__setattr__(self, "x", _plain(self.x))
        object.__setattr__(self, "given", {str(name): _plain(value) for name, value in self.given.items()})
        if self.world.problem.cost is not None:
            object.__setattr__(self, "horizon", float(self.horizon))
            return
        if self.horizon != int(self.horizon):
            raise BestdoError(f"a horizon of {self.horizon} rounds: it must be a whole number")
        object.__setattr__(self, "horizon", int(self.horizon))

    @cached_property
    def key(self) -> int:
        """A number for what the setting is, wherever it stands in the experiment: its rounds are drawn from it."""
        x = self.x if isinstance(self.x, str) else float(self.x)
        given = sorted((name, float(value)) for name, value in self.given.items())
        return zlib.crc32(json.dumps([self.panel, x, self.horizon, given], ensure_ascii=False).encode())


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
    beside: Mapping[str, str] = field(default_factory=dict)
    """More columns to draw, each in a panel of its own beside the first, with their labels."""
    summary: Callable[[list[Row]], list[Row]] | None = None
    """Makes the rows that are drawn of the rows that were simulated; None where they are the same."""
    measure: Measure | None = None
    """What is measured, where it is not the regret of the action kept: each NAME becomes the columns NAME and NAME_error."""


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
        _inside(experiment.measure),
        {label: _described(learner) for label, learner in experiment.learners.items()},
        [[s.x, s.horizon, s.panel, dict(s.given), sorted(s.left_out), *_truth(s.world)] for s in experiment.settings],
    ]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def _truth(world: World | Prior) -> list[object]:
    """What the world is, and what its learners know."""
    if isinstance(world, Prior):
        return [_inside(world)]
    problem, model = world.problem, world.model
    return [
        list(map(str, problem.actions)),
        problem.graph.edges,
        model.graph.edges,
        [_inside(model.tables[n]) for n in model.graph.names],
        _known(problem.law),
        problem.cost,
        world.means.tolist(),
    ]


def _known(law: Law | None) -> list[object]:
    """The numbers of a law."""
    if law is None:
        return []
    numbers: object = law.explicit if law.explicit is not None else law.tables()
    return [type(law).__qualname__, law.parents, _inside(numbers)]


def _described(learner: Learner[Any]) -> list[object]:
    """The learner's parameters, and the code of one that comes from another package."""
    cls = type(learner)
    if cls.__module__.startswith("bestdo."):
        return [_inside(learner)]
    return [_inside(learner), cls.__module__, _source(cls)]


def _source(made: Any) -> str:
    try:
        return inspect.getsource(made)
    except (OSError, TypeError):  # typed into a session, or compiled
        return ""


def _inside(value: Any, around: tuple[int, ...] = ()) -> Any:
    """All that a value holds, for JSON: arrays as digests of their numbers, objects by what they are made of."""
    if value is None or isinstance(value, str | int | float):
        return value
    if id(value) in around:  # it holds itself
        return "…"
    around = (*around, id(value))
    if isinstance(value, np.ndarray) and value.dtype != object:
        return [str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, Mapping):
        return [type(value).__name__, *sorted(([str(k), _inside(v, around)] for k, v in value.items()), key=repr)]
    if isinstance(value, Set):
        return [type(value).__name__, *sorted((_inside(v, around) for v in value), key=repr)]
    if isinstance(value, np.ndarray | Sequence) and not isinstance(value, bytes):
        return [type(value).__name__, *(_inside(v, around) for v in value)]
    name = type(value).__qualname__
    if is_dataclass(value) and not isinstance(value, type):
        return [name, *([f.name, _inside(getattr(value, f.name), around)] for f in fields(value))]
    if callable(value) and hasattr(value, "__qualname__"):
        return [value.__qualname__, _source(value)]
    text = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    if getattr(type(value), "__repr__", None) is object.__repr__ and hasattr(value, "__dict__"):  # it says nothing
        return [text, _inside(vars(value), around)]
    return text


@lru_cache(maxsize=1)
def _code() -> str:
    """A digest of the files that decide results, so that what an older version left behind is not carried on with."""
    root = Path(__file__).parents[2]
    files = sorted(f for room in _DECIDING for f in (root / room).rglob("*.py"))
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()
