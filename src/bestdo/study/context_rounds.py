"""Rounds of a study with contexts: what is seen first is given, and the action is chosen for it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from bestdo.arrays import Ints
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.request import Request
from bestdo.causal.action import Intervention
from bestdo.errors import BestdoError, Conflict, shown
from bestdo.learners.rule_game import RuleGame, RuleState, pairs_in
from bestdo.study import blocks
from bestdo.study.asked import AskedRounds
from bestdo.study.book import Book
from bestdo.study.events import enter
from bestdo.study.log import Log, Round
from bestdo.study.round import HandedOut, handed_out, label, understood

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal

__all__ = ["ask_in", "context_of", "given_contexts", "is_table", "why_open"]

Context = Mapping[str, str]
_MOST_AT_ONCE = 10_000
"""The most contexts that can be asked for at once; a limit of memory and of how long others wait, not measured."""
_MOST_DRAWS = 128
"""The most choices of an action for many contexts at once, unless there are more different ones: rounds in the same context
share choices beyond it. A thousand rounds in twelve contexts then take as long as 120."""


def is_table(context: object) -> bool:
    """Whether contexts are given as a data frame, one in each row."""
    return hasattr(context, "columns") and not isinstance(context, Mapping)


def given_contexts(problem: Problem, context: object, n: int) -> list[Context]:
    """The contexts of the rounds that are asked for, checked: one for n rounds alike, or a list with one for each round."""
    problem.contexts.several(
        BestdoError("nothing is seen first in this study, so no context can be given: ask without one")
    )
    if context is None:
        names = ", ".join(map(shown, problem.first))
        raise BestdoError(
            f"what is seen before the action is chosen must be given: {names}; what is not known is left out"
        )
    if is_table(context):
        from bestdo.data.context_table import contexts_in

        context = contexts_in(context, problem).contexts
    many = not isinstance(context, Mapping)
    if many and (isinstance(context, str) or not isinstance(context, Iterable)):
        raise BestdoError(f"a context is given by its values, as {{{problem.first[0]!r}: …}}, not as {shown(context)}")
    listed: list[Any] = list(cast("Iterable[Any]", context)) if many else [context] * n
    if many and n != 1:
        raise BestdoError(
            "say either how many rounds are asked for in one context, or a list of contexts, one for each"
        )
    if not listed:
        raise BestdoError("the list of contexts is empty, and so asks for no round")
    if len(listed) > _MOST_AT_ONCE:
        raise BestdoError(f"1 to {_MOST_AT_ONCE:,} rounds can be asked for at once, not {len(listed):,}")
    return [_read(problem, one, f"context {k} of {len(listed)}: " if many else "") for k, one in enumerate(listed, 1)]


def _read(problem: Problem, context: object, which: str) -> Context:
    """A context with the names and values of the graph; an error begins with which one it is."""
    if not isinstance(context, Mapping):
        said = f"a context is given by its values, as {{{problem.first[0]!r}: …}}, not as {shown(context)}"
        raise BestdoError(which + said)
    try:
        return problem.contexts.read(understood(problem, context, problem.first))
    except BestdoError as error:
        raise (type(error)(f"{which}{error}") if which and len(error.args) == 1 else error) from None


def context_of(row: Round) -> Context:
    """The values seen before the action of a round was chosen."""
    found: Context = json.loads(row.body).get("context", {})
    return found


def why_open(row: Round) -> tuple[Intervention, Context, bool]:
    """The action of an open round, what was seen before, and whether it is a useful round between two phases."""
    body = json.loads(row.body)
    return Intervention.parse(row.action), body.get("context", {}), row.block < 0 and "context" not in body


def ask_in(journal: DatabaseJournal, worker: str, contexts: Sequence[Context], key: str | None = None) -> AskedRounds:
    """A new round in each context, as far as the study allows; `fewer` says why there are fewer.

    The same request again, by its key, gives the same rounds.
    """
    with journal.changing(worker) as (log, book):
        given = _asked_before(log, key, contexts) or _hand_out(log, book, worker, contexts, key)
        nothing = None if len(given) == len(contexts) else blocks.why_nothing(log, book, journal.name)
        game, state = book.game, book.state
    # after the transaction: what expired has expired
    return handed_out(given, nothing, game, state, partial(journal.found, game, state))


def _asked_before(log: Log, key: str | None, contexts: Sequence[Context]) -> list[HandedOut]:
    """The rounds that were handed out for the request with this key; none if there was none.

    Raises Conflict where it was a request for other contexts.
    """
    found = [] if key is None else log.asked_with(label(key, "a key"))
    if any(body["context"] != dict(context) for body, context in zip(found, contexts, strict=False)) or len(
        found
    ) > len(contexts):
        raise Conflict(
            f"the key {shown(key)} belongs to round {found[0]['number']}, which was asked for in another context"
        )
    return [HandedOut(body["number"], body["action"], body["expires"], body["context"]) for body in found]


def _hand_out(log: Log, book: Book, worker: str, contexts: Sequence[Context], key: str | None) -> list[HandedOut]:
    """Hands out a new round in each context, as far as the study allows.

    They are in no plan, and one that expires is not handed out again: what was seen in it has passed.
    """
    out, own = blocks.expire(log, book), {} if key is None else {"key": key}
    room, given = book.settings.most_out - len(out), []
    for text, context in zip(_chosen(book, out, contexts[: max(room, 0)]), contexts, strict=False):
        number, expires = book.next, time.time() + book.settings.lease
        asked = {"number": number, "action": text, "worker": worker, "expires": expires, "extra": True}
        enter(log, book, "asked", {**asked, "context": dict(context), **own})
        given.append(HandedOut(number, text, expires, context))
    return given


def _chosen(book: Book, out: Sequence[Round], contexts: Sequence[Context]) -> list[str]:
    """The actions for these contexts, each chosen by draws of its own; fewer where the horizon allows no more.

    Rounds that are out count as played, each in its context; where that is not known in full, in the likeliest one.
    """
    if book.marks.stopped or not contexts:
        return []
    game, problem = cast("RuleGame", book.game), book.game.problem
    rng = np.random.default_rng([book.settings.seed, 2, book.next])
    state = book.state
    where, lane = _lanes(_numbers(game, state, contexts, rng))
    request = Request(pairs_in(problem, where), out=np.repeat(_pairs_out(game, state, out), len(where), axis=0))
    plan = game.ask(game.spread(state, len(where), rng), request, rng)
    if plan is None:
        return []
    actions = plan.counts.argmax(axis=1)[lane]
    paid = np.cumsum(problem.prices[actions]) <= book.settings.horizon - book.used + SLACK
    return [str(problem.actions[int(a)]) for a in actions[paid]]


def _pairs_out(game: RuleGame, state: RuleState, out: Sequence[Round]) -> Ints:  # int[1, C × A]
    """The number of rounds of each pair of context and action that are out."""
    problem, shares = game.problem, game.shares(state)[0]
    where = cache(lambda seen: int((shares * problem.contexts.matching(dict(seen)) + 0.0).argmax()))
    number = cache(lambda action: problem.actions.index(Intervention.parse(action)))
    pairs = np.array(
        [where(tuple(context_of(row).items())) * len(problem.actions) + number(row.action) for row in out], np.int64
    )
    return np.bincount(pairs, minlength=len(problem.contexts) * len(problem.actions))[None, :]


def _lanes(contexts: Ints) -> tuple[Ints, Ints]:  # int[L] and int[N]
    """The contexts for which actions are chosen, each by draws of its own, and the place of each round among them.

    Rounds in the same context take turns where they are many.
    """
    each, which, counts = np.unique(contexts, return_inverse=True, return_counts=True)
    lanes = np.minimum(counts, max(1, _MOST_DRAWS // len(each)))
    first = np.cumsum(lanes) - lanes
    order = np.argsort(which, kind="stable")
    turn = np.empty(len(contexts), np.int64)
    turn[order] = np.arange(len(contexts)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(each, lanes), first[which] + turn % lanes[which]


def _numbers(game: RuleGame, state: RuleState, contexts: Sequence[Context], rng: np.random.Generator) -> Ints:  # int[N]
    """The number of each context; where values are missing, of one that agrees, drawn by how often it occurs."""
    shares, found = game.shares(state)[0], []
    for context in contexts:
        agrees = game.problem.contexts.matching(context)
        weight = shares * agrees
        some = weight / weight.sum() if weight.sum() > 0 else agrees / agrees.sum()
        found.append(int(agrees.argmax()) if agrees.sum() == 1 else int(rng.choice(len(some), p=some)))
    return np.array(found, np.int64)
