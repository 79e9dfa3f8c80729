"""The settings of a study, and what follows from them: its problem, its learner, and the limits of horizon and lease."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field, fields, replace
from datetime import timedelta
from functools import cached_property
from typing import Any

from bestdo.arguments import real_number, whole_number
from bestdo.bandit.combinations import FIRST_AND_WAIT
from bestdo.bandit.learner import Learner, in_study, with_old
from bestdo.bandit.problem import Problem
from bestdo.bandit.statistic import weighs_by_design
from bestdo.errors import BestdoError, NotValid, unknown
from bestdo.evidence.alarm import LEVEL
from bestdo.files.declarations import Source, Wanted
from bestdo.files.toml import read as read_toml
from bestdo.learners import learner as learner_by_name
from bestdo.learners.game import Game, game_of
from bestdo.learners.older_learners import current
from bestdo.learners.until_sure import UntilSure
from bestdo.memory_cache import memory_cache
from bestdo.study.pace import ANY_TIME, Pace, Phases

__all__ = [
    "DAY",
    "LEASE",
    "Settings",
    "check_at_once",
    "check_lease",
    "lease_in_seconds",
    "make_learner",
    "problem_of",
]

DAY = 86_400.0
"""Seconds of a day."""
LEASE = 7.0
"""Days until an open round is handed out again, unless a study says otherwise: a week, for people who report once a week.
It delays a study if a round is forgotten, and a result that comes later counts all the same. Not measured."""
_LONGEST_LEASE = 36_500 * DAY
"""A hundred years: the end of a lease must be a date that `datetime` can hold."""


@dataclass(frozen=True)
class Settings:
    """The settings that a study was created with, and the changes since."""

    problem: str
    """The text of the problem as a TOML file."""
    learner: str
    """The name of the learner, as in the registry."""
    parameters: dict[str, Any]
    """Parameters of the learner that differ from their defaults."""
    horizon: float
    """The number of rounds; where actions have costs, the budget of all rounds together."""
    seed: int
    lease: float
    """Seconds until an open round is handed out again."""
    until_sure: float | None = None
    """The confidence at which the study stops because one action is the best; None: it stops at the horizon."""
    alarm: float = LEVEL
    """The probability of a false alarm about the graph in the whole study; 0: rounds and graph are not compared."""
    contradicted: list[str] = field(default_factory=list)
    """The claims of the graph that rounds contradicted, in words; if there are any, nothing rests on the graph any more."""
    repairs: list[dict[str, Any]] = field(default_factory=list)
    """The additions to the graph after rounds contradicted it: `added`, arrows in words, and the `evidence`."""
    watched: float = 0
    """The number of rows of old data with the reward and all its parents known, which some learners need."""
    at_once: int | None = None
    """The most rounds that may be out at once; None: as many as the horizon allows."""
    wait: bool = False
    """Whether a new block is planned only when all results of the last one are known."""

    @cached_property
    def game(self) -> Game:
        """The game that a study with these settings plays: its problem and its learner."""
        problem, made = problem_of(self), make_learner(self)
        if self.wait:
            problem.contexts.only(NotValid(FIRST_AND_WAIT.why(problem.contexts.listed)))
        game = game_of(made, problem)
        if problem.retired and weighs_by_design(game.statistic(self.horizon)):
            raise NotValid("it weighs rounds by a design of all actions, of which none can be retired")
        return game

    @cached_property
    def pace(self) -> Pace:
        """The pace of a study with these settings: at any time where the learner can, unless people wait for each other."""
        return ANY_TIME if not self.wait and self.game.any_time else Phases(self.wait)

    @property
    def most_out(self) -> int:
        """The most rounds that may be out at once; no study has as many where `at_once` says nothing."""
        return self.at_once or sys.maxsize

    @cached_property
    def as_json(self) -> str:
        """The settings as JSON."""
        return json.dumps({f.name: getattr(self, f.name) for f in fields(self)})


def make_learner(settings: Settings) -> Learner[Any]:
    """The learner of a study with its parameters, as studies play it; with `until_sure`, inside `UntilSure`."""
    if settings.until_sure is None:
        return in_study(_by_name(settings))
    learner = in_study(_by_name(settings), until_sure=True)
    return UntilSure(learner, settings.until_sure, trusting=not (settings.contradicted or settings.repairs))


def _by_name(settings: Settings) -> Learner[Any]:
    """The learner by its name, with the parameters and the number of old rounds of the settings."""
    found = learner_by_name(settings.learner)
    names = [f.name for f in fields(found)]  # type: ignore[arg-type]
    for name in settings.parameters:
        if name not in names:
            raise BestdoError(f"{unknown('parameter', name, names)} of the learner {settings.learner}")
    found = replace(found, **settings.parameters)  # type: ignore[type-var]
    return with_old(current(found), settings.watched) if settings.watched else current(found)


def problem_of(settings: Settings) -> Problem:
    """The problem of a study, read from its text; once rounds have contradicted the graph, all actions compete."""
    return _problem(settings.problem, bool(settings.contradicted))


@memory_cache
def _problem(text: str, all_compete: bool) -> Problem:
    """The problem in a text; the same object for the same text, because much is cached by problem."""
    problem = read_toml(Source("the study's problem", text), Wanted()).problem
    assert problem is not None
    return replace(problem, all_compete=True) if all_compete else problem


def check_at_once(rounds: Any) -> int | None:
    """The most rounds that may be out at once, checked: at least one."""
    return None if rounds is None else whole_number("the number of rounds out at once", rounds)


def lease_in_seconds(lease: Any) -> float:
    """A lease in days, or as a timedelta, in seconds; checked."""
    if isinstance(lease, timedelta):
        return check_lease(lease.total_seconds())
    return check_lease(real_number("a lease", lease) * DAY)


def check_lease(seconds: float) -> float:
    """The lease in seconds, checked: from 0 to a hundred years."""
    if not 0 <= seconds <= _LONGEST_LEASE:
        raise BestdoError(
            f"a lease of {seconds / DAY:g} days is not possible: 0 to {_LONGEST_LEASE / DAY:,.0f} are allowed"
        )
    return seconds
