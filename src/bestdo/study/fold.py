"""From the log to a state: the same learners as in simulations, told block by block.

The state is a fold over blocks: a plan in the log is a fact, the rounds that came back for it are summed by the learner's
statistic, and `tell` does the rest. What is kept between two commands is a checkpoint of it, as JSON.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from bestdo.bandit.learner import Learner, Ties, in_study, with_old
from bestdo.bandit.old_rounds import OldData
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.rounds import Plan, Rounds
from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError, unknown
from bestdo.evidence.alarm import LEVEL
from bestdo.files.declarations import Source
from bestdo.files.toml import read as read_toml
from bestdo.learners import learner as learner_by_name
from bestdo.learners.until_sure import UntilSure

__all__ = [
    "Book",
    "Players",
    "Row",
    "Settings",
    "begun",
    "horizon",
    "lease",
    "made",
    "planned",
    "price",
    "problem_of",
    "rounds_of",
    "told",
    "told_old",
    "told_rounds",
]


Array = np.ndarray[Any, Any]

_SUMS = 2  # raised when the sums of a learner change: checkpoints with others are folded anew


class Players(NamedTuple):
    """The problem and the learner of a study, which belong together: the state is that of this learner on this problem."""

    problem: Problem
    learner: Learner[Any]


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
    until_sure: float | None = None
    """The confidence at which the study stops because one action is the best; None: when its rounds are used up."""
    alarm: float = LEVEL
    """How often the rounds may seem to contradict a graph that is right, in the whole study; 0: they are never compared."""
    contradicted: list[str] = field(default_factory=list)
    """What in the graph they contradicted, in words: since then nothing rests on it."""
    watched: float = 0
    """Rows of old data in which the reward and all its parents are known: some learners have to know how many."""

    @cached_property
    def players(self) -> Players:
        """The problem and the learner that these settings say."""
        return Players(problem_of(self), made(self))

    @cached_property
    def as_json(self) -> str:
        """All of it."""
        return json.dumps({f.name: getattr(self, f.name) for f in fields(self)})


@dataclass(frozen=True)
class Row:
    """What came back of one round."""

    action: str
    values: dict[str, str]
    deviated: bool
    """Whether what was set is not what happened: then the round supports nothing."""


@dataclass
class Book:
    """The state of a study between two events; its parts are replaced, never changed in place."""

    settings: Settings
    unit: str = "rounds"
    """What the horizon counts: rounds, or cost (where actions have one)."""
    blocks: int = 0
    """How many blocks have been planned."""
    folded: int = 0
    """How many of them the learner has been told."""
    plan: list[str] = field(default_factory=list)
    """Actions of the last block in their shuffled order, and at its end those that were handed out and expired."""
    state: Any = None
    given: int = 0
    """How many actions of the plan have been handed out."""
    used: float = 0
    """How much of the horizon is used up or out."""
    next: int = 1
    """The number of the next round."""
    closed: bool = False
    archived: bool = False

    @property
    def players(self) -> Players:
        """The problem and the learner, as amended."""
        return self.settings.players

    @property
    def left(self) -> int:
        """How many actions of the plan are not yet handed out."""
        return len(self.plan) - self.given

    def slow(self) -> tuple[object, ...]:
        """What changes only from block to block."""
        return self.settings, self.blocks, self.folded, self.plan, self.state

    def checkpoint(self) -> str:
        """What changes from block to block, as JSON; the state with its arrays."""
        rest = {"unit": self.unit, "blocks": self.blocks, "folded": self.folded, "plan": self.plan}
        data = {**rest, "state": _dumped(self.state, []), "version": _version(self.settings)}
        return f'{{"settings":{self.settings.as_json},{json.dumps(data, separators=(",", ":"))[1:]}'

    def cursor(self) -> str:
        """What changes with every round, as JSON."""
        return json.dumps({name: getattr(self, name) for name in ("given", "used", "next", "closed", "archived")})

    @classmethod
    def from_data(cls, data: dict[str, Any], again: Callable[[Book], Any]) -> Book:
        """The book of checkpoint and cursor; `again` folds the state anew when another version of the learner wrote it."""
        state, version = data.pop("state"), data.pop("version")
        book = cls(**{**data, "settings": Settings(**data["settings"])})
        if state is None or version != _version(book.settings):
            book.state = again(book)
        else:
            book.state = _loaded(begun(book.settings), state, [])
        return book


@lru_cache(maxsize=1)
def _bestdo() -> str:
    from importlib.metadata import version

    return version("bestdo")


def _version(settings: Settings) -> str:
    stop = f"{settings.until_sure} {not settings.contradicted}"
    return f"{_bestdo()}/{_SUMS} {settings.learner} {settings.parameters} {settings.horizon} {settings.watched} {stop}"


def made(settings: Settings) -> Learner[Any]:
    """The study's learner with its parameters; stopped when it is sure, where that is wanted."""
    if settings.until_sure is None:
        return in_study(_plain(settings))
    learner = in_study(_plain(settings), until_sure=True)
    return UntilSure(learner, settings.until_sure, trusting=not settings.contradicted)


def _plain(settings: Settings) -> Learner[Any]:
    found = learner_by_name(settings.learner)
    names = [f.name for f in fields(found)]  # type: ignore[arg-type]
    for name in settings.parameters:
        if name not in names:
            raise BestdoError(f"{unknown('parameter', name, names)} of the learner {settings.learner}")
    found = replace(found, **settings.parameters)  # type: ignore[type-var]
    return with_old(found, settings.watched) if settings.watched else found


def problem_of(settings: Settings) -> Problem:
    """The study's problem."""
    return _problem(settings.problem)


@lru_cache(maxsize=32)
def _problem(text: str) -> Problem:
    """The same object for the same text: what is worked out once for a problem is found at once."""
    problem = read_toml(Source("the study's problem", text), None, None).problem
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


def lease(seconds: float) -> float:
    """How long a round may be out: at most a hundred years, so that there is a date for its end."""
    if not 0 <= seconds <= 36_500 * 86_400:
        raise BestdoError(f"a lease of {seconds / 86_400:g} days cannot be: 0 to 36,500 are allowed")
    return seconds


def price(problem: Problem, action: str) -> float:
    """How much of the horizon one round of an action takes."""
    return 1 if problem.cost is None else float(problem.prices[problem.actions.index(Intervention.parse(action))])


@lru_cache(maxsize=16)
def _begun(problem: Problem, learner: Learner[Any], horizon: float, seed: int) -> Any:
    return learner.start(problem, horizon, 1, np.random.default_rng([seed, 0]))


def begun(settings: Settings) -> Any:
    """The learner's state before the first round: the same whenever it is asked for."""
    return _begun(*settings.players, settings.horizon, settings.seed)  # type: ignore[arg-type]


def planned(book: Book) -> list[str] | None:
    """The next block as actions in a random order, no more than the horizon allows; None when it has finished."""
    problem, learner = book.players
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
    return told_rounds(state, learner, problem, horizon, rounds_of(rows, problem))


def told_rounds(state: Any, learner: Learner[Any], problem: Problem, horizon: float, rounds: Rounds) -> Any:
    """The same of rounds that are arrays already."""
    counts = np.bincount(rounds.action, minlength=len(problem.actions))[None, :]
    statistic = learner.statistic(problem, horizon)
    return learner.tell(state, Plan(counts), statistic.tally(rounds, 1))


def told_old(state: Any, learner: Learner[Any], problem: Problem, horizon: float, old: OldData) -> Any:
    """The state after old data, which use up nothing; to be told before the first block."""
    sums = old.sums
    if sums is None:
        sums = learner.statistic(problem, horizon).tally(old.rounds(problem), 1)
    nothing = Plan(np.zeros((1, len(problem.actions)), np.int64))
    return learner.tell(state, nothing, sums) if sums.rounds.any() else state


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
    number = {text: problem.actions.index(Intervention.parse(text)) for text in {row.action for row in rows}}
    action = np.array([number[row.action] for row in rows], np.int64)
    y = x[:, place[graph.reward]] == graph.variable(graph.reward).code(graph.success)
    return Rounds(np.zeros(len(rows), np.int64), action, x, y)


def _dumped(value: Any, seen: list[Array]) -> Any:
    """A state as JSON: arrays as base64, each once; what `start` makes again is left out."""
    if isinstance(value, np.ndarray):
        for place, other in enumerate(seen):
            if other is value:
                return {"same": place}
        seen.append(value)
        return {"array": value.dtype.str, "shape": value.shape, "base64": b64encode(value.tobytes()).decode()}
    if isinstance(value, tuple):
        return [_dumped(part, seen) for part in value]
    return value if isinstance(value, int | float | str | bool) else None


def _loaded(begun_: Any, data: Any, seen: list[Array]) -> Any:
    """The state again: what `start` made, with the arrays and numbers of the checkpoint."""
    if isinstance(data, dict):
        if "same" in data:
            return seen[data["same"]]
        seen.append(np.frombuffer(b64decode(data["base64"]), data["array"]).reshape(data["shape"]).copy())
        return seen[-1]
    if isinstance(begun_, Problem | Ties) or data is None:
        return begun_
    if isinstance(begun_, tuple):
        same = len(begun_) == len(data)
        parts = [_loaded(b if same else None, d, seen) for b, d in zip(begun_ if same else data, data, strict=True)]
        return type(begun_)(*parts) if hasattr(begun_, "_fields") else tuple(parts)
    return tuple(_loaded(None, d, seen) for d in data) if isinstance(data, list) else data
