"""A study, a real experiment: ask for the next round, tell its result, get the best action."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Self, TypeVar

import sqlalchemy as sa

import bestdo.display as display
from bestdo.arguments import of_type
from bestdo.bandit.answer import Answer
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.errors import BestdoError, shown, unknown
from bestdo.learners.game import Game
from bestdo.learners.known_so_far import Found
from bestdo.study import arrow_chances, creation, queries, rule_file
from bestdo.study import old_data as old
from bestdo.study.asked import Asked, AskedRounds
from bestdo.study.book import Book
from bestdo.study.journal import DatabaseJournal, Journal, names
from bestdo.study.log import Log
from bestdo.study.remote_server import Server
from bestdo.study.schema import studies
from bestdo.study.storage import Storage, is_remote
from bestdo.study.verbs import (
    actions_and_cuts,
    ask,
    corrections,
    ends,
    horizon_and_learner,
    note,
    observe,
    retire,
    tell,
)
from bestdo.study.verbs.verb import Verb

__all__ = ["VERBS", "Asked", "AskedRounds", "Study", "names", "statuses", "version", "versions"]

_A = TypeVar("_A")


class Study:
    """A real experiment; every method is one transaction, and threads can share an object.

    `Study.create` begins one, `Study.open` opens it again. Its journal is in a database, or on a server of `bestdo serve`.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="whole")
    >>> (asked,) = study.ask("Ann")
    >>> seen = {"temperature": "low", "nutrient": "rich", "moisture": "dry", "yield": "good"}
    >>> study.tell(asked.number, {**seen, **asked.action})
    >>> study.status()["told"]
    1
    """

    def __init__(self, storage: Storage | Server, name: str) -> None:
        """Opens a study; see `create` and `open`."""
        of_type("the storage of a study", storage, (Storage, Server), "Study.open('farm', 'sqlite:///farm.db')")
        self.storage = storage
        self.name = name
        self.why_learner = ""
        self.journal = _journal(storage, name)
        """The log and the book."""
        self.kept_answer: tuple[int, Answer] | None = None
        """The answer as last worked out, and the position that it stands for."""

    def __repr__(self) -> str:
        return f"Study({shown(self.name)}: {self.problem!r}, {type(self.learner).__name__})"

    _repr_html_ = display.html
    plot = display.plot
    to_frame = display.to_frame

    create = classmethod(creation.create)
    open = classmethod(creation.open_study)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the connections to the database, unless other studies of this process use them."""
        self.storage.close()

    # verbs: each a value that the journal carries out, or sends

    def do(self, verb: Verb[_A]) -> _A:
        """Changes the study by a verb as a value, as the methods do that are named like verbs.

        >>> import bestdo
        >>> from bestdo.study.verbs.ends import Close
        >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="done")
        >>> study.do(Close(why="enough", who="Ann"))
        >>> study.status()["closed"]
        True
        """
        return self.journal.do(verb)

    ask = ask.ask
    tell = tell.tell
    withdraw = corrections.withdraw
    amend = corrections.amend
    undo = corrections.undo
    note = note.note
    extend = horizon_and_learner.extend
    change_learner = horizon_and_learner.change_learner
    add_action = actions_and_cuts.add_action
    recut = actions_and_cuts.recut
    unretire = retire.unretire
    retire = retire.retire
    close = ends.close
    reopen = ends.reopen
    archive = ends.archive
    unarchive = ends.unarchive
    unobserve = observe.unobserve
    observe = observe.observe

    def delete(self) -> None:
        """Deletes the study with its log and all its rounds from the database.

        Raises StorageError where the database cannot be written.

        >>> import bestdo
        >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="deleted")
        >>> study.delete()
        >>> bestdo.Study.create("examples/farm.toml", rounds=60, name="deleted").status()["told"]
        0
        """
        self.journal.delete()

    # queries: see queries.py

    findings = queries.findings
    best = queries.best
    rule = queries.rule
    save_rule = rule_file.save_rule
    estimates = queries.estimates
    reason = queries.reason
    alarms = queries.alarms
    arrows = arrow_chances.arrows
    settling = arrow_chances.settling
    history = queries.history
    status = queries.status
    rounds = queries.rounds
    progress = queries.progress
    old_data = old.old_data
    answered = old.answered

    @property
    def problem(self) -> Problem:
        """The study's problem, as this object read or amended it last."""
        return self.journal.game.problem

    @property
    def learner(self) -> Learner[Any]:
        """The study's learner, as this object read or amended it last."""
        return self.journal.game.learner

    # inside a transaction

    def reading(self) -> AbstractContextManager[Log]:
        """The log in a transaction that only reads."""
        return self.journal.reading()

    def book(self, log: Log) -> Book:
        """The current book."""
        return self.journal.book(log)

    def found(self, game: Game, state: Any) -> Found:
        """The estimates in a state and the number of the recommended action, computed once for as long as nothing is told."""
        return self.journal.found(game, state)


VERBS: tuple[type[Verb[Any]], ...] = (
    ask.Ask,
    tell.Tell,
    corrections.Amend,
    corrections.Undo,
    corrections.Withdraw,
    note.Note,
    horizon_and_learner.Extend,
    horizon_and_learner.ChangeLearner,
    actions_and_cuts.AddAction,
    actions_and_cuts.Recut,
    retire.Retire,
    retire.Unretire,
    ends.Close,
    ends.Reopen,
    ends.Archive,
    ends.Unarchive,
    observe.Unobserve,
    observe.Observe,
)
"""The verbs of a study: a server has a route for each."""


def _journal(storage: Storage | Server, name: str) -> Journal:
    """The journal of the study of this name."""
    if isinstance(storage, Storage):
        return DatabaseJournal(storage, name)
    from bestdo.study.remote_journal import ServerJournal

    return ServerJournal(storage, name)


def statuses(url: str) -> list[dict[str, Any]]:
    """The status of every study of a database or of a server, in the order in which they were begun."""
    if is_remote(url):
        from bestdo.study import remote

        return remote.statuses(url)
    database = Storage(url)
    return [Study(database, name).status() for name in names(database)]


def version(storage: Storage, name: str) -> tuple[int, int]:
    """The id of a study and the number of its last event, which tell whether anything has changed."""
    with storage.reading() as connection:
        found = connection.execute(sa.select(studies.c.id, studies.c.position).where(studies.c.name == name)).first()
    if found is None:
        raise BestdoError(unknown("study", name, names(storage)))
    return int(found.id), int(found.position)


def versions(storage: Storage) -> dict[str, tuple[int, int]]:
    """The `version` of every study by its name."""
    with storage.reading() as connection:
        found = connection.execute(sa.select(studies.c.name, studies.c.id, studies.c.position)).all()
    return {row.name: (int(row.id), int(row.position)) for row in found}
