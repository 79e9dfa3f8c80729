"""From the log to a state: the same learners as in simulations, told block by block.

The state is a fold over blocks: a plan in the log is a fact, the rounds that came back for it are summed by the learner's
statistic, and `tell` does the rest. What is kept between two commands is a checkpoint of it, as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from bestdo.bandit.learner import Learner, Ties
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError, unknown
from bestdo.files.declared import Source
from bestdo.files.toml import read as read_toml
from bestdo.learners import learner as learner_by_name

__all__ = ["Book", "Row", "Settings", "begun", "horizon", "made", "planned", "price", "problem_of", "rounds_of", "told"]


@dataclass(frozen=True)
class Settings:
    """What a study was created with, as amended since."""

    problem: str
    """The problem as a TOML file."""
    learner: str
    parameters: dict[str, Any]
    horizon: float
    """Rounds; where actions have costs, what all rounds together may cost."""
    seed: int
    lease: float
    """Seconds until an open round is handed out again."""


@dataclass(frozen=True)
class Row:
    """What came back of one round."""

    action: str
    values: dict[str, str]
    deviated: bool
    """Whether what was set is not what happened: then the round supports nothing."""


@dataclass
class Book:
    """The state of a study between two events."""

    settings: Settings
    blocks: int = 0
    """How many blocks have been planned."""
    folded: int = 0
    """How many of them the learner has been told."""
    left: list[str] = field(default_factory=list)
    """Actions of the last plan that are not yet handed out, in their shuffled order."""
    used: float = 0
    """How much of the horizon is used up or out."""
    next: int = 1
    """The number of the next round."""
    closed: bool = False
    archived: bool = False
    unit: str = "rounds"
    """What the horizon counts: rounds, or cost (where actions have one)."""
    state: Any = None

    def checkpoint(self) -> str:
        """The book as JSON; the state with its arrays."""
        data = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("settings", "state")}
        data["settings"] = {f.name: getattr(self.settings, f.name) for f in fields(self.settings)}
        data["state"] = _dumped(self.state)
        data["version"] = _version(self.settings)
        return json.dumps(data, separators=(",", ":"))

    @classmethod
    def from_data(
        cls, data: dict[str, Any], problem: Problem, learner: Learner[Any], again: Callable[[Book], Any]
    ) -> Book:
        """The book of a checkpoint; `again` folds the state anew when it was written by another version of the learner."""
        state, version = data.pop("state"), data.pop("version")
        book = cls(**{**data, "settings": Settings(**data["settings"])})
        if state is None or version != _version(book.settings):
            book.state = again(book)
        else:
            book.state = _loaded(begun(problem, learner, book.settings), state)
        return book


@lru_cache(maxsize=1)
def _bestdo() -> str:
    from importlib.metadata import version

    return version("bestdo")


def _version(settings: Settings) -> str:
    return f"{_bestdo()} {settings.learner} {settings.parameters} {settings.horizon}"


def made(settings: Settings) -> Learner[Any]:
    """The study's learner with its parameters."""
    found = learner_by_name(settings.learner)
    names = [f.name for f in fields(found)]  # type: ignore[arg-type]
    for name in settings.parameters:
        if name not in names:
            raise BestdoError(f"{unknown('parameter', name, names)} of the learner {settings.learner}")
    return replace(found, **settings.parameters)  # type: ignore[type-var]


def problem_of(settings: Settings) -> Problem:
    """The study's problem."""
    problem = read_toml(Source("the study's problem", settings.problem), None, None).problem
    assert problem is not None
    return problem


def horizon(problem: Problem, value: float) -> float:
    """The horizon, checked: a whole number of rounds, or a budget for at least one round where actions have costs."""
    if problem.cost is not None:
        if not (np.isfinite(value) and value >= min(problem.cost)):
            raise BestdoError(
                f"a budget of {value:g} pays for no round: the cheapest action costs {min(problem.cost):g}"
            )
        return float(value)
    if value != int(value) or value < 1:
        raise BestdoError(f"a study needs a whole number of rounds, at least one, not {value:g}")
    return int(value)


def price(problem: Problem, action: str) -> float:
    """How much of the horizon one round of an action takes."""
    return 1 if problem.cost is None else float(problem.prices[problem.actions.index(Intervention.parse(action))])


@lru_cache(maxsize=16)
def _begun(problem: Problem, learner: Learner[Any], horizon: float, seed: int) -> Any:
    return learner.start(problem, horizon, 1, np.random.default_rng([seed, 0]))


def begun(problem: Problem, learner: Learner[Any], settings: Settings) -> Any:
    """The learner's state before the first round: the same whenever it is asked for."""
    return _begun(problem, learner, settings.horizon, settings.seed)  # type: ignore[arg-type]


def planned(book: Book, learner: Learner[Any], problem: Problem) -> list[str] | None:
    """The next block as actions in a random order, no more than the horizon allows; None when it has finished."""
    left = book.settings.horizon - book.used
    if left <= 0 or book.closed:
        return None
    rng = np.random.default_rng([book.settings.seed, 1 + book.blocks])
    plan = learner.ask(book.state, rng)
    if plan is None or not plan.counts.any():
        return None
    order = rng.permutation(np.repeat(np.arange(len(problem.actions)), plan.counts[0]))
    affordable = order[: int(np.searchsorted(np.cumsum(problem.prices[order]), left + SLACK, side="right"))]
    return [str(problem.actions[int(i)]) for i in affordable] or None


def told(state: Any, learner: Learner[Any], problem: Problem, horizon: float, rows: Sequence[Row]) -> Any:
    """The state after a block, or a part of one, has come back."""
    rounds = rounds_of(rows, problem)
    counts = np.bincount(rounds.action, minlength=len(problem.actions))[None, :]
    statistic = learner.statistic(problem, horizon)
    return learner.tell(state, Plan(counts), statistic.tally(rounds, 1))


def rounds_of(rows: Sequence[Row], problem: Problem) -> Rounds:
    """What came back as arrays; -1 where a value is missing."""
    graph = problem.graph
    rows = [row for row in rows if not row.deviated]
    x = np.full((len(rows), len(graph.names)), -1, np.int16)
    place = {n: i for i, n in enumerate(graph.names)}
    for r, row in enumerate(rows):
        for name, value in row.values.items():
            x[r, place[name]] = graph.variable(name).code(value)
    assert graph.reward is not None
    action = np.array([problem.actions.index(Intervention.parse(row.action)) for row in rows], np.int64)
    y = x[:, place[graph.reward]] == graph.variable(graph.reward).code(graph.success)
    return Rounds(np.zeros(len(rows), np.int64), action, x, y)


def _dumped(value: Any) -> Any:
    """A state as JSON: arrays as lists; what `start` makes again is left out."""
    if isinstance(value, np.ndarray):
        return {"array": str(value.dtype), "shape": value.shape, "values": value.reshape(-1).tolist()}
    if isinstance(value, tuple):
        return [_dumped(part) for part in value]
    return value if isinstance(value, int | float | str | bool) else None


def _loaded(begun_: Any, data: Any) -> Any:
    """The state again: what `start` made, with the arrays and numbers of the checkpoint."""
    if isinstance(data, dict) and "array" in data:
        return np.array(data["values"], data["array"]).reshape(data["shape"])
    if isinstance(begun_, Problem | Ties) or data is None:
        return begun_
    if isinstance(begun_, tuple):
        same = len(begun_) == len(data)
        parts = [_loaded(b if same else None, d) for b, d in zip(begun_ if same else data, data, strict=True)]
        return type(begun_)(*parts) if hasattr(begun_, "_fields") else tuple(parts)
    return tuple(_loaded(None, d) for d in data) if isinstance(data, list) else data
