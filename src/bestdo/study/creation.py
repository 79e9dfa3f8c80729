"""Begins a study, or opens one that exists; what is not said is the same in Python and on the command line."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import sqlalchemy as sa

from bestdo.arguments import mapping, probability, seed_number, shown_value, text_of
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.data.compose import compose
from bestdo.data.problem_options import ProblemOptions, check_names, problem_options
from bestdo.errors import BestdoError, Conflict, shown
from bestdo.evidence.alarm import LEVEL
from bestdo.files import Contents
from bestdo.files.toml import write as write_toml
from bestdo.learners import name_and_parameters, reservations
from bestdo.study.book import Book
from bestdo.study.default_learner import choose
from bestdo.study.fold import start_state
from bestdo.study.log import Log
from bestdo.study.round import label
from bestdo.study.schema import NAME_LENGTH, studies
from bestdo.study.settings import DAY, LEASE, Settings, check_at_once, lease_in_seconds
from bestdo.study.storage import Storage, is_remote, must_exist, storage_url

if TYPE_CHECKING:
    from bestdo.study.remote import RemoteStudy
    from bestdo.study.study import Study

__all__ = ["StudyOptions", "create", "open_study", "usual_name"]

_MOST_NAMED = 12
"""Studies that a message names. Chosen, not measured."""


class StudyOptions(ProblemOptions, total=False):
    """The options of a study beside its problem, its horizon, its learner, its name and its place."""

    parameters: Mapping[str, Any] | None
    """Parameters of the learner that differ from its own."""
    at_once: int | None
    """The most rounds that may be out at once."""
    wait: bool
    """Whether a new block begins only when all results of the last one are known."""
    until_sure: float | None
    """The confidence at which the study stops because one action is the best."""
    alarm: float
    """The probability of a false alarm about the graph in the whole study; 0: no alarm."""
    seed: int
    lease: float | timedelta
    """Days after which a round that nobody told is handed out again."""


def create(
    cls: type[Study],
    problem: object,
    rounds: int | None = None,
    *others: Any,
    budget: float | None = None,
    learner: str | Learner[Any] | None = None,
    name: str | None = None,
    storage: str | None = None,
    load_if_exists: bool = False,
    who: str = "",
    **options: Unpack[StudyOptions],
) -> Study:
    """Begins a study of a problem.

    problem: a Problem, the path of a file, or anything else that `bestdo.compose` takes. rounds: how many the whole study may
    have; with costs, say `budget` instead, what all rounds together may cost. learner: a name or an object; the one that
    suits the problem when not given, and `study.why_learner` says why. name: the file's when not given, or "study".
    storage: the address of the database, sqlite:///FILE or postgresql://…, or of a server, as `bestdo serve` prints it;
    BESTDO_STORAGE in the environment when not given, or bestdo.db in the current folder. load_if_exists: open the study of
    that name if there is one. who: kept in the log.

    options, of the problem: `reward`, `success`, `worth`, `aim`, `set`, `at_most`, `first`, `goal` and `graph_only`, as in
    `bestdo.compose`. Of the study: `parameters` of the learner that differ from its own. `at_once`: the most rounds that may
    be out at once. `wait`: begin a new block only when all results of the last one are known. `until_sure`: stop earlier if
    one action is the best with this confidence. `alarm` (0.05): the probability of a false alarm about the graph in the whole
    study; 0 for no alarm. `seed` (0): of all random numbers. `lease` (7): days, or a timedelta, after which a round that
    nobody told is handed out again.

    Raises Conflict where there is a study of that name, NotValid where the learner is not for the problem, StorageError
    where the database cannot be written, and BestdoError for arguments that make no sense.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="begun")
    >>> study.status()["learner"], study.status()["horizon"]
    ('causal-top-two', 60)
    """
    if others:
        raise BestdoError(
            f"say by its name what {', '.join(map(shown_value, (rounds, *others)))} are: Study.create(problem, rounds=60, "
            "learner='ucb', name='farm', storage='sqlite:///farm.db')"
        )
    check_names(create, options, StudyOptions.__annotations__)
    composed = compose(problem, **problem_options(options))
    horizon = composed.problem.horizon(rounds, budget)
    why, own = "", dict[str, Any]()
    if learner is None:
        chosen, why = choose(composed.problem, horizon.amount)
    else:
        chosen, own = name_and_parameters(learner)
        why = reservations(chosen, composed.problem.goal)
    settings = _settings(composed.problem, horizon.amount, chosen, own, options)
    called = usual_name(problem) if name is None else text_of("a study's name", name)
    if is_remote(url := storage_url(storage)):
        return _on_a_server(url, called, composed.problem, settings, load_if_exists, why, who)
    study = _created(cls, Storage(url), called, composed.problem, settings, load_if_exists, who)
    study.why_learner = why if study.status()["learner"] == chosen else ""
    return study


def _settings(
    problem: Problem, horizon: float, learner: str, own: Mapping[str, Any], options: StudyOptions
) -> Settings:
    """The settings of a new study; `own` are parameters of the learner that was given as an object."""
    sure, parameters = options.get("until_sure"), options.get("parameters") or {}
    return Settings(
        write_toml(Contents(problem.graph, problem)),
        learner,
        {**own, **mapping("parameters", parameters, "{'alpha': 1.0}")},
        horizon,
        seed_number(options.get("seed", 0)),
        lease_in_seconds(options.get("lease", LEASE)),
        None if sure is None else probability("until_sure", sure),
        probability("alarm, the probability of a false alarm,", options.get("alarm", LEVEL), zero=True),
        at_once=check_at_once(options.get("at_once")),
        wait=bool(options.get("wait", False)),
    )


def usual_name(problem: object) -> str:
    """The name of a study when none is given: that of the file, or "study"."""
    if isinstance(problem, str | os.PathLike):
        return Path(os.fsdecode(problem)).name.removesuffix(".gz").partition(".")[0]
    return "study"


def _created(
    cls: type[Study],
    storage: Storage,
    name: str,
    problem: Problem,
    settings: Settings,
    load_if_exists: bool,
    who: str,
) -> Study:
    """The study with these settings, written into the database."""
    if not name or len(name) > NAME_LENGTH or not name.isprintable():
        raise BestdoError(f"{shown(name)} cannot be a study's name: 1 to {NAME_LENGTH} printable characters")
    book = Book(settings)
    try:
        book.state = start_state(settings)  # refuses problems that it is not valid for
        if settings.parameters:
            settings.game.ask(book.state, Request(), np.random.default_rng(0))
    except (TypeError, ValueError, ArithmeticError) as error:
        if not settings.parameters:
            raise
        given = ", ".join(f"{name}={shown_value(value)}" for name, value in settings.parameters.items())
        raise BestdoError(f"the learner {settings.learner} fails with {given}: {error}") from error
    with storage.writing() as connection:
        if connection.execute(sa.select(studies.c.id).where(studies.c.name == name)).first():
            if not load_if_exists:
                raise Conflict(f"there is a study {shown(name)} already: open it, or choose another name")
        else:
            values = {"name": name, "position": 0, "checkpoint": book.checkpoint(), "cursor": book.cursor()}
            made = connection.execute(studies.insert().returning(studies.c.id), values).scalar_one()
            log = Log(connection, int(made), who=label(who, "anybody's name"))
            log.add("created", json.loads(settings.as_json))
            log.keep(book, checkpoint=False)
    return cls(storage, name)


def _on_a_server(
    url: str, name: str, problem: Problem, settings: Settings, load_if_exists: bool, why: str, who: str
) -> RemoteStudy:
    """The study with these settings, begun on a server."""
    from bestdo.study import remote

    if load_if_exists and name in remote.names(url):
        return remote.opened(url, name)
    said: dict[str, Any] = {k: getattr(settings, k) for k in ("learner", "parameters", "seed", "until_sure", "alarm")}
    said |= {"at_once": settings.at_once, "wait": settings.wait, "lease": settings.lease / DAY, "who": who}
    said[problem.unit.argument] = settings.horizon
    study = remote.begun(url, name, problem, said)
    study.why_learner = why
    return study


def open_study(cls: type[Study], name: str | None = None, storage: str | None = None) -> Study:
    """Opens a study that exists; without a name, the only one in the database.

    storage: the address of the database, as in `create`. Raises BestdoError where there is no such study.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="again")
    >>> bestdo.Study.open("again").name
    'again'
    """
    from bestdo.study.study import names

    url = storage_url(storage)
    if name is not None and not isinstance(name, str):
        raise BestdoError(f"a study is opened by its name, not by {shown_value(name)}: Study.open('farm')")
    must_exist(url)
    if is_remote(url):
        from bestdo.study import remote

        return remote.opened(url, _only(remote.names(url)) if name is None else name)
    database = Storage(url)
    return cls(database, _only(names(database)) if name is None else name)


def _only(found: Sequence[str]) -> str:
    """The only one of these names; an error where there is none, or more than one."""
    if not found:
        raise BestdoError(
            "there is no study in this database yet: bestdo new FILE --rounds N or Study.create makes one"
        )
    if len(found) > 1:
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        listed = ", ".join(map(shown, found[:_MOST_NAMED])) + more
        raise BestdoError(f"there are {len(found)} studies: say which (--study NAME), one of {listed}")
    return found[0]
