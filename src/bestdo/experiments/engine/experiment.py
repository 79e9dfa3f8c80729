"""The description of an experiment: settings, learners, the labels of its picture, and its division into chunks."""

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

from bestdo.arrays import Floats
from bestdo.bandit.learner import Learner
from bestdo.causal.law import Law
from bestdo.simulate import Prior, World
from bestdo.simulate.world_class import WorldClass

__all__ = [
    "CHUNK",
    "SAME_MEAN",
    "Experiment",
    "Measure",
    "Row",
    "Setting",
    "Task",
    "fingerprint",
    "tasks",
    "times",
    "world_digest",
]

CHUNK = 1000
"""Lanes in a chunk, the unit of work that is sent to a worker and written down. Larger chunks have less overhead; smaller
ones share the work better and lose less in an interruption. Not measured. Another number draws other random numbers."""
SAME_MEAN = 1e-12
"""Means that differ by less than this are equal: such differences are rounding errors."""

_ROOMS_OF_RESULTS = ("bandit", "causal", "design", "evidence", "experiments", "learners", "simulate", "statistics")
_SOURCES = "*.py", "*.pyx", "*.pxi", "*.pxd"  # kernels as well; an installed package holds them compiled only

Row = dict[str, Any]
"""A row of a table: values by column."""

Measure = Callable[[Any, Learner[Any], float, int, np.random.Generator], Mapping[str, Floats]]
"""A function that plays lanes of a world with a learner for a horizon and returns what it measured, by name.

The world is a `World`, or `Worlds` where the setting has a distribution. Each value is float[L], with NaN for lanes in which
there is nothing to measure.
"""


def _python_number(number: Any) -> Any:
    """A NumPy number as Python's own; other values as they are."""
    return number.item() if isinstance(number, np.generic) else number


@dataclass(frozen=True, eq=False)
class Setting:
    """A point of the picture: a world and a horizon."""

    x: float | str
    """The setting's position on the picture's x axis."""
    world: World | Prior | WorldClass
    """The world that is played, or a distribution from which every simulation draws its own.

    A `WorldClass` needs an experiment with a `measure`.
    """
    horizon: float
    """A number of rounds; where the world has costs, what may be spent."""
    panel: str = ""
    """The heading of the panel that it belongs to."""
    given: Mapping[str, float] = field(default_factory=dict)
    """Parameters of the setting that get a column in the table."""
    left_out: frozenset[str] = frozenset()
    """Labels of learners that do not play here."""
    in_flight: int = 1
    """The number of rounds that are out at any time; experiments with a `measure` do not use it."""
    waits_beside: bool = False
    """Whether each study is also played with every result known before the next round, in the same world and with the same
    chance: `waited` is its regret then, `delay_cost` what the regret is above that."""

    def __post_init__(self) -> None:
        """Turns NumPy numbers into Python's own, so that x may come from `np.arange`; checks the horizon."""
        object.__setattr__(self, "x", _python_number(self.x))
        object.__setattr__(self, "given", {str(name): _python_number(value) for name, value in self.given.items()})
        object.__setattr__(self, "horizon", self.world.problem.price_list.amount_of(self.horizon))

    @cached_property
    def key(self) -> int:
        """A part of the seed: depends on panel, x, horizon and parameters, not on the setting's place in the experiment."""
        x = self.x if isinstance(self.x, str) else float(self.x)
        given = sorted((name, float(value)) for name, value in self.given.items())
        return zlib.crc32(json.dumps([self.panel, x, self.horizon, given], ensure_ascii=False).encode())


@dataclass(frozen=True, eq=False)
class Experiment:
    """The settings and learners to simulate, and the texts and columns of the picture."""

    name: str
    """A part of the seed, and of the names of files."""
    title: str
    x_label: str
    settings: tuple[Setting, ...]
    learners: Mapping[str, Learner[Any]]
    """Learners by their labels in tables and pictures."""
    caption: str = ""
    y: str = "regret"
    """The column that is drawn."""
    y_error: str = "standard_error"
    """The column with its standard error; error bars are three of them long."""
    y_label: str = "regret of the action kept"
    log_x: bool = False
    beside: Mapping[str, str] = field(default_factory=dict)
    """Further columns to draw, each in its own panel beside the first, with their labels."""
    summary: Callable[[list[Row]], list[Row]] | None = None
    """Computes the rows that are drawn from those that were simulated; None where they are the same."""
    measure: Measure | None = None
    """The function that measures something in place of the regret: each NAME becomes the columns NAME and NAME_error."""
    over_time: int = 0
    """The number of times up to the horizon at which the regret summed over rounds is drawn; 0: the regret of the action kept
    is drawn. x is the time, in rounds or money. All learners meet the same worlds."""
    same_chance: bool = True
    """Whether learners meet the same chance (`SameChance`) where regrets are summed over rounds. Without it, sums over rounds
    are drawn directly where their law is known, which is faster."""
    band: float = 0.0
    """The width of the band around each line to both sides, in standard errors; 0: error bars of three."""
    judged: str = ""
    """The learner that the picture compares with the best of all others, by a ratio; empty where it has a line for each."""


def times(experiment: Experiment, setting: Setting) -> tuple[float, ...]:
    """The times at which the summed regret is noted, whole rounds where nothing has costs; none unless it is over time."""
    if not experiment.over_time:
        return ()
    even = np.linspace(0, setting.horizon, experiment.over_time + 1)[1:]
    return tuple(np.unique(setting.world.problem.unit.times(even)).tolist())


class Task(NamedTuple):
    """The work on one chunk: so many lanes of one learner in one setting."""

    setting: int
    """The index of the setting."""
    learner: str
    """The label of the learner."""
    chunk: int
    """The number of the chunk among those of the same setting and learner."""
    lanes: int


def tasks(experiment: Experiment, sims: int) -> Iterator[Task]:
    """All chunks of an experiment with so many simulations of each learner and setting, in a fixed order."""
    for i, setting in enumerate(experiment.settings):
        for label in experiment.learners:
            if label not in setting.left_out:
                for chunk in range(-(-sims // CHUNK)):
                    yield Task(i, label, chunk, min(CHUNK, sims - chunk * CHUNK))


def fingerprint(experiment: Experiment, sims: int, seed: int, code: str | None = None) -> str:
    """A digest of all that can change the numbers: settings, worlds, learners, seed, versions and code.

    `code` is a digest of the code that decides results; that of all learners when not given.
    """
    parts = [
        experiment.name,
        sims,
        seed,
        CHUNK,
        _own_version(),
        np.__version__,
        code or _code_digest(),
        _contents(experiment.measure),
        *([experiment.over_time] if experiment.over_time else []),
        *([] if experiment.same_chance else ["own chance"]),
        {label: _learner_contents(learner) for label, learner in experiment.learners.items()},
        [
            [s.x, s.horizon, s.panel, dict(s.given), sorted(s.left_out), s.in_flight, *_world_contents(s.world)]
            for s in experiment.settings
        ],
    ]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def world_digest(world: World | Prior | WorldClass) -> str:
    """A digest of all numbers and names of a world and its problem."""
    return hashlib.sha256(json.dumps(_world_contents(world), ensure_ascii=False).encode()).hexdigest()


@lru_cache(maxsize=256)
def _world_contents(world: World | Prior | WorldClass) -> list[object]:
    """All numbers and names of a world and its problem, for JSON."""
    if not isinstance(world, World):
        return [_contents(world)]
    problem, model = world.problem, world.model
    return [
        list(map(str, problem.actions)),
        problem.graph.edges,
        model.graph.edges,
        [_contents(model.tables[n]) for n in model.graph.names],
        _contents(model.numbers),
        _law_contents(problem.law),
        problem.cost,
        [problem.goal, problem.first, problem.all_compete, _contents(problem.limits), _contents(problem.doubts)],
        world.means.tolist(),
    ]


def _law_contents(law: Law | None) -> list[object]:
    """The kind, the parents and the numbers of a law, for JSON."""
    if law is None:
        return []
    numbers: object = law.explicit if law.explicit is not None else law.tables()
    return [type(law).__qualname__, law.parents, _contents(numbers)]


def _learner_contents(learner: Learner[Any]) -> list[object]:
    """The learner's parameters, and the source code of one that comes from another package, for JSON."""
    cls = type(learner)
    if cls.__module__.startswith("bestdo."):
        return [_contents(learner)]
    return [_contents(learner), cls.__module__, _source(cls)]


def _source(thing: Any) -> str:
    """The source code of a class or function, or nothing where it cannot be found."""
    try:
        return inspect.getsource(thing)
    except (OSError, TypeError):  # typed into a session, or compiled
        return ""


def _contents(value: Any, parents: tuple[int, ...] = ()) -> Any:
    """All that a value holds, for JSON: arrays as digests of their numbers, objects by their fields.

    `parents` are the ids of the values that hold it, to stop at one that holds itself.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if id(value) in parents:
        return "…"
    parents = (*parents, id(value))
    if isinstance(value, np.ndarray) and value.dtype != object:
        return [str(value.dtype), value.shape, hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, Mapping):
        return [type(value).__name__, *sorted(([str(k), _contents(v, parents)] for k, v in value.items()), key=repr)]
    if isinstance(value, Set):
        return [type(value).__name__, *sorted((_contents(v, parents) for v in value), key=repr)]
    if isinstance(value, np.ndarray | Sequence) and not isinstance(value, bytes):
        return [type(value).__name__, *(_contents(v, parents) for v in value)]
    name = type(value).__qualname__
    if is_dataclass(value) and not isinstance(value, type):
        return [name, *([f.name, _contents(getattr(value, f.name), parents)] for f in fields(value))]
    if callable(value) and hasattr(value, "__qualname__"):
        return [value.__qualname__, _source(value)]
    text = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    if getattr(type(value), "__repr__", None) is object.__repr__ and hasattr(
        value, "__dict__"
    ):  # repr() hides the fields
        return [text, _contents(vars(value), parents)]
    return text


@lru_cache(maxsize=1)
def _own_version() -> str:
    """The version of this library, which takes milliseconds to find."""
    return version("bestdo")


@lru_cache(maxsize=1)
def _code_digest() -> str:
    """A digest of the code that decides results, so that chunks of an older version are not mixed with new ones."""
    root = Path(__file__).parents[2]
    files = sorted(f for room in _ROOMS_OF_RESULTS for ending in _SOURCES for f in (root / room).rglob(ending))
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()
