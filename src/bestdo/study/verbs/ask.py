"""Asking for the next rounds."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from bestdo.arguments import shown_value, whole_number
from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError
from bestdo.study import blocks, context_rounds
from bestdo.study.asked import Asked, AskedRounds
from bestdo.study.events import enter
from bestdo.study.remote_answers import ASKED
from bestdo.study.round import HandedOut, handed_out
from bestdo.study.sent_values import sent_contexts
from bestdo.study.verbs.verb import Verb

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal, Journal
    from bestdo.study.study import Study

__all__ = ["Ask", "ask"]


@dataclass(frozen=True)
class Ask(Verb[AskedRounds]):
    """A request for rounds."""

    path = command = "ask"
    about = "The next rounds for this worker: those that are out already first."
    shape = ASKED
    worker: str = ""
    n: int = 1
    context: object = None
    key: str | None = None

    def carry_out(self, journal: DatabaseJournal) -> AskedRounds:
        """Hands out rounds: first those that the worker has open already, then new ones."""
        problem, worker, n = journal.game.problem, self.worker, self.n
        if self.context is not None or problem.first:
            contexts = context_rounds.given_contexts(problem, self.context, n)
            return context_rounds.ask_in(journal, worker, contexts, self.key)
        if self.key is not None:
            raise BestdoError("a key is for rounds in a context; without one, asking again gives the same open round")
        with journal.changing(worker) as (log, book):
            mine = [r for r in blocks.expire(log, book) if r.worker == worker and book.may_play(r.action)]
            given = [HandedOut(r.number, r.action, r.expires, {}, r.block < 0) for r in mine[:n]]
            while len(given) < n and (following := blocks.next_round(log, book)):
                text, number, expires = following.action, book.next, time.time() + book.settings.lease
                asked = {"number": number, "action": text, "worker": worker, "expires": expires}
                enter(log, book, "asked", {**asked, "extra": True} if following.extra else asked)
                given.append(HandedOut(number, text, expires, {}, following.extra))
            nothing = None if len(given) == n else blocks.why_nothing(log, book, journal.name)
            game, state = book.game, book.state
        # after the transaction: what expired has expired
        return handed_out(given, nothing, game, state, partial(journal.found, game, state))

    def body(self) -> dict[str, Any]:
        """The fields of the request, with contexts as JSON can hold them."""
        seen = {} if self.context is None else {"context": sent_contexts(self.context)}
        return {**super().body(), **seen}

    def read(self, answer: Any, journal: Journal) -> AskedRounds:
        """The rounds that a server handed out."""
        handed = AskedRounds(map(_asked, answer["rounds"]))
        handed.fewer = answer["fewer"]
        return handed


def _asked(row: Mapping[str, Any]) -> Asked:
    """A round that a server handed out."""
    action, expires = Intervention.parse(row["action"]), datetime.fromisoformat(row["expires"])
    return Asked(row["number"], action, expires, lambda: str(row["reason"]), row.get("context") or {})


def ask(
    study: Study,
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
    if context_rounds.is_table(context) and study.problem.first:
        from bestdo.data.context_table import contexts_in

        context = contexts_in(context, study.problem).contexts
    return study.do(Ask(worker, n, context, key))
