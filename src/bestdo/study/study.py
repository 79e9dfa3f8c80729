"""A study, a real experiment in a database: ask for the next round, tell its result, get the best action."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator, Mapping
from copy import copy
from datetime import UTC, datetime
from functools import cache
from typing import Any, Self

import sqlalchemy as sa

import bestdo.display as display
from bestdo.arguments import of_type, shown_value, whole_number
from bestdo.bandit.answer import Answer
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError, Conflict, shown, unknown
from bestdo.study import (
    admin,
    arrow_chances,
    blocks,
    context_rounds,
    contradiction,
    corrections,
    creation,
    queries,
    rule_file,
)
from bestdo.study import old_data as old
from bestdo.study.asked import Asked, AskedRounds, number_of
from bestdo.study.book import Book
from bestdo.study.fold import Row
from bestdo.study.log import Log
from bestdo.study.round import Found, checked, label, reasons, same_values, understood, with_context
from bestdo.study.schema import studies
from bestdo.study.settings import Settings
from bestdo.study.storage import Storage

__all__ = ["Asked", "AskedRounds", "Study", "names", "version", "versions"]


class Study:
    """A real experiment in a database; every method is one transaction, and threads can share an object.

    `Study.create` begins one, `Study.open` opens it again.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="whole")
    >>> (asked,) = study.ask("Ann")
    >>> seen = {"temperature": "low", "nutrient": "rich", "moisture": "dry", "yield": "good"}
    >>> study.tell(asked.number, {**seen, **asked.action})
    >>> study.status()["told"]
    1
    """

    def __init__(self, storage: Storage, name: str) -> None:
        """Opens a study; see `create` and `open`."""
        of_type("the storage of a study", storage, Storage, "Study.open('farm', 'sqlite:///farm.db')")
        self.storage = storage
        self.name = name
        self.why_learner = ""
        with storage.reading() as connection:
            row = connection.execute(
                sa.select(studies.c.id, studies.c.position, studies.c.checkpoint).where(studies.c.name == name)
            ).first()
            settings = None if row is None else Settings(**json.loads(row.checkpoint)["settings"])
        if row is None or settings is None:
            raise BestdoError(unknown("study", name, names(storage)))
        self.id = int(row.id)
        self._setup = int(row.position), settings.setup  # as last read or written, and the position they stand for
        self._kept: tuple[int, Book] | None = None  # the book as last read or written, and the position it stands for
        self._lock = threading.Lock()
        self._found: tuple[object, Learner[Any], Found] | None = (
            None  # of a state, the estimates that were asked for last
        )
        self._finding = threading.Lock()
        self.kept_answer: tuple[int, Answer] | None = None
        """The answer as last worked out, and the position that it stands for."""

    def __repr__(self) -> str:
        return f"Study({shown(self.name)}: {self._setup[1].problem!r}, {type(self._setup[1].learner).__name__})"

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

    # one round

    def ask(
        self,
        worker: str = "",
        n: int = 1,
        *,
        context: object = None,
        key: str | None = None,
    ) -> AskedRounds:
        """The next n rounds for this worker: first those that the worker has open already, then new ones.

        Where there are fewer, `fewer` of the answer says why; where there is none, Waiting or Finished is raised.

        Where variables are seen first, `context` has their values, as {"device": "mobile"}; those not known are left out.
        It is for n new rounds, or a list or the rows of a data frame have one for each: what the worker has open is in
        contexts that have passed. key: a text of the caller's for such a request; asking again with it gives the same rounds.

        >>> import bestdo
        >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="asked")
        >>> (asked,) = study.ask("Ann")
        >>> asked.number, study.ask("Ann")[0].number  # the same round, as long as it is open
        (1, 1)
        """
        n = whole_number("the number of rounds to ask for", n)
        if not isinstance(worker, str):
            raise BestdoError(
                f"{shown_value(worker)} is no worker's name: study.ask('Ann'), or study.ask(n=5) for 5 rounds"
            )
        if context is not None or self.problem.first:
            return context_rounds.ask_in(self, worker, context_rounds.given_contexts(self.problem, context, n), key)
        if key is not None:
            raise BestdoError("a key is for rounds in a context; without one, asking again gives the same open round")
        with self.changing(worker) as (log, book):
            mine = [r for r in blocks.expire(log, book) if r.worker == worker]
            given = [(r.number, r.action, r.expires, r.block < 0) for r in mine[:n]]
            while len(given) < n and (following := blocks.next_round(log, book)):
                text, number, expires = following.action, book.next, time.time() + book.settings.lease
                asked = {"number": number, "action": text, "worker": worker, "expires": expires}
                log.add("asked", {**asked, "extra": True} if following.extra else asked)
                log.hand_out(number, text, worker, expires, -1 if following.extra else book.blocks - 1)
                book.given, book.next = book.given + (not following.extra), number + 1
                book.used += book.price(text)
                given.append((number, text, expires, following.extra))
            nothing = None if len(given) == n else blocks.why_nothing(log, book, self.name)
            (problem, learner), state = book.setup, book.state
        if nothing is not None and not given:
            raise nothing  # after the transaction: what expired has expired
        actions = [Intervention.parse(text) for _, text, _, _ in given]
        extra = [extra for *_, extra in given]
        said = cache(lambda: reasons(learner, state, problem, actions, extra, self.found(learner, state)))
        handed = AskedRounds(
            Asked(number, action, datetime.fromtimestamp(expires, UTC), lambda i=i: said()[i])  # type: ignore[misc]
            for i, (action, (number, _, expires, _)) in enumerate(zip(actions, given, strict=True))
        )
        handed.fewer = None if nothing is None else str(nothing)
        return handed

    def tell(
        self,
        number: int | Asked | AskedRounds,
        values: Mapping[str, str | float | bool | None],
        *,
        key: str | None = None,
        who: str = "",
        happened: bool = False,
    ) -> None:
        """Records the result of a round: the reward, and what else was observed; numbers as such or as text.

        number: of the round, or what `ask` returned for one. What was not seen is left out, or None, NaN or "".
        Names and values are read as in old data: capitals do not matter, and yes, true and 1 are the same, where only one
        value can be meant.

        The same result again changes nothing; another one is a Conflict. key: a text of the caller's, under which a result is
        told once, however often it is sent.

        A value that contradicts what was set is an error, unless `happened` confirms it: then the round counts for
        nothing. A result after the lease is accepted and marked late.

        >>> import bestdo
        >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="told")
        >>> (asked,) = study.ask("Ann")
        >>> seen = {"temperature": "low", "nutrient": "rich", "moisture": "dry", "yield": "good"}
        >>> study.tell(asked.number, {**seen, **asked.action})
        >>> study.rounds()[0]["status"]
        'told'
        """
        number = number_of(number)
        with self.changing(who) as (log, book):
            row = log.round(number)
            seen = context_rounds.context_of(row)
            values = with_context(seen, understood(book.setup.problem, values), book.setup.problem, happened)
            clean, deviated = checked(book.setup.problem, row.action, values, happened)
            late = row.status == "expired"
            body = {"values": clean, "deviated": deviated, "late": late}
            if row.status == "told":
                if same_values(book.setup.problem, json.loads(row.body)["values"], clean):
                    return
                raise Conflict(f"round {number} was told already, with other values; amend it if it was wrong")
            if row.status in ("lost", "unplayed"):
                raise Conflict(f"round {number} was withdrawn; nothing can be told of it")
            if key is not None and (taken := log.with_key(label(key, "a key"))) not in (None, number):
                raise Conflict(f"the key {shown(key)} belongs to round {taken}")
            if late and not book.settings.any_time:  # its action was put back: one round more, in the block open now
                blocks.next_block(log, book)
            log.add("told", {"number": number, "key": key, **body})
            if late:
                book.used += book.price(row.action)
            block = max(book.blocks - 1, 0) if row.block < 0 else row.block  # it is in no plan: the block open now
            kept = {**({"context": seen} if seen else {}), **body}
            log.change(number, status="told", body=json.dumps(kept), key=key, block=block)
            blocks.tell_one(log, book, block, Row(row.action, clean, deviated))
            if contradiction.is_due(number):
                contradiction.raise_alarm(log, book)
            if not book.settings.any_time:
                blocks.next_block(log, book)

    # see corrections.py

    withdraw = corrections.withdraw
    amend = corrections.amend
    undo = corrections.undo

    def note(self, text: str, number: int | None = None, *, who: str = "") -> None:
        """Adds a remark on a round, or on the study, to the log.

        text: the remark. number: of the round. Raises BestdoError where there is no such round.

        >>> import bestdo
        >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="noted")
        >>> study.note("a dry spring")
        >>> study.history()[-1]["kind"]
        'noted'
        """
        with self.changing(who) as (log, _):
            if number is not None:
                log.round(number)
            log.add("noted", {"number": number, "text": text})

    # the whole study: see admin.py

    extend = admin.extend
    change_learner = admin.change_learner
    add_action = admin.add_action
    recut = admin.recut
    close = admin.close
    reopen = admin.reopen
    archive = admin.archive
    unarchive = admin.unarchive
    delete = admin.delete

    # old data: see old_data.py

    observe = old.observe
    unobserve = old.unobserve
    old_data = old.old_data
    answered = old.answered

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

    @property
    def problem(self) -> Problem:
        """The study's problem, as this object read or amended it last."""
        return self._setup[1].problem

    @property
    def learner(self) -> Learner[Any]:
        """The study's learner, as this object read or amended it last."""
        return self._setup[1].learner

    # inside a transaction

    @contextlib.contextmanager
    def reading(self) -> Iterator[Log]:
        """The log in a transaction that only reads."""
        with self.storage.reading() as connection:
            yield Log(connection, self.id)

    @contextlib.contextmanager
    def changing(self, who: str) -> Iterator[tuple[Log, Book]]:
        """The locked log and the current book, in a transaction; both are written at its end, or neither after an error."""
        with self.storage.writing() as connection:
            log = Log(connection, self.id, who=label(who, "anybody's name"))
            log.lock(self.name)
            before = log.position
            book = self._at_position(log)
            checkpointed = book.checkpointed()
            yield log, book
            if log.position > before:
                pairs = zip(checkpointed, book.checkpointed(), strict=True)
                log.keep(book, checkpoint=any(one is not two for one, two in pairs))
            position = log.position
        self._read(position, book)

    def book(self, log: Log) -> Book:
        """The current book."""
        log.find(self.name)
        return self._at_position(log)

    def _at_position(self, log: Log) -> Book:
        """The book at the log's position, which may be changed: a copy of the one kept here, or from the checkpoint."""
        kept = self._kept
        if kept is None or kept[0] != log.position:
            book = Book.from_data(log.kept(self.name), refold=lambda book: blocks.fold_log(log, book))
            self._read(log.position, book)
            return copy(book)
        return copy(kept[1])

    def _read(self, position: int, book: Book) -> None:
        """Remembers the book at a position, unless another thread has remembered a newer one."""
        with self._lock:
            if position >= self._setup[0]:
                self._setup = position, book.setup
                self._kept = position, copy(book)

    def found(self, learner: Learner[Any], state: Any) -> Found:
        """The estimates in a state and the number of the recommended action, computed once for as long as nothing is told."""
        with self._finding:
            if self._found is None or self._found[0] is not state or self._found[1] is not learner:
                self._found = state, learner, Found(learner.estimates(state), int(learner.best(state)[0]))
            return self._found[2]


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


def names(storage: Storage) -> list[str]:
    """The names of all studies in a database."""
    with storage.reading() as connection:
        return [str(n) for n in connection.execute(sa.select(studies.c.name).order_by(studies.c.id)).scalars()]
