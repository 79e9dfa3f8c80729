"""Changes to a study as a whole, each an event in its log: horizon, learner, actions, closing, archiving; and deleting it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.bandit.statistic import weighs_by_design
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.law_from_tables import law_for
from bestdo.errors import BestdoError, Conflict, Deviates, NotValid, shown
from bestdo.files import Contents
from bestdo.files.toml import write as write_toml
from bestdo.learners import name_and_parameters
from bestdo.study import blocks
from bestdo.study.book import Book
from bestdo.study.fold import start_state
from bestdo.study.log import Log
from bestdo.study.problem_changes import recut_problem, with_values
from bestdo.study.round import checked
from bestdo.study.schema import events, rounds, studies
from bestdo.study.settings import Settings, make_learner, problem_of

if TYPE_CHECKING:
    from bestdo.study.study import Study

__all__ = [
    "add_action",
    "archive",
    "change_learner",
    "close",
    "delete",
    "extend",
    "recut",
    "reopen",
    "unarchive",
    "with_learner",
]


def extend(
    study: Study, rounds: int | None = None, why: str = "", *, budget: float | None = None, who: str = ""
) -> None:
    """Changes the number of rounds of the whole study, or its budget, to one that is no less than what is used up.

    rounds, or budget where actions have costs: the new number, not what is added. Raises BestdoError where more is used up.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="extended")
    >>> study.extend(80, "a better year")
    >>> study.status()["horizon"]
    80
    """
    with study.changing(who) as (log, book):
        horizon = book.setup.problem.horizon(rounds, budget)
        if horizon.amount < book.used:
            raise BestdoError(f"{horizon.taken(book.used)} are used up or out; it cannot be {horizon.amount:g}")
        log.add("extended", {"horizon": horizon.amount, "why": why})
        _apply(log, book, replace(book.settings, horizon=horizon.amount))


def change_learner(
    study: Study,
    learner: str | Learner[Any],
    why: str,
    *,
    parameters: Mapping[str, Any] | None = None,
    who: str = "",
) -> None:
    """Replaces the learner by another one, a name or an object, which is told all rounds so far.

    What is already planned is still handed out. parameters: those of the learner that differ from its own. Raises
    NotValid where the learner is not for the problem or for the rounds so far.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="changed")
    >>> study.change_learner("thompson", "to compare")
    >>> study.status()["learner"]
    'thompson'
    """
    name, own = name_and_parameters(learner)
    with study.changing(who) as (log, book):
        settings = with_learner(log, book, name, {**own, **(parameters or {})})
        log.add("learner", {"learner": name, "parameters": settings.parameters, "why": why})
        _apply(log, book, settings)


def with_learner(log: Log, book: Book, name: str, parameters: Mapping[str, Any]) -> Settings:
    """The settings of a study with another learner; raises NotValid where it is not for the problem or the rounds so far."""
    settings = replace(book.settings, learner=name, parameters=dict(parameters))
    _not_fixed(log, "the learner")
    statistic = make_learner(replace(settings, until_sure=None)).statistic(book.setup.problem, settings.horizon)
    if book.blocks_told and weighs_by_design(statistic):
        raise NotValid(
            f"the learner {name} weighs rounds by the design that they were drawn from, and the rounds so far were "
            "drawn in other ways: it can only be chosen before the first round (with the estimator 'plug-in', later too)"
        )
    return settings


def add_action(study: Study, action: str | Intervention, why: str, *, cost: float | None = None, who: str = "") -> None:
    """Adds an action; earlier rounds count towards it where that is valid.

    It can set a number between the values of a grid, as in do(dose=3.75). cost: of one round, where actions have costs.
    Raises Conflict where it is there already, ActionError where it cannot be set, NotValid where the learner cannot go
    on.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="added")
    >>> study.add_action("do(temperature=high, moisture=wet)", "a new pump")
    >>> len(study.problem.actions)
    8
    """
    with study.changing(who) as (log, book):
        _not_fixed(log, "an action")
        new, old = Intervention.of(action), book.setup.problem
        if new in old.actions:
            raise Conflict(f"{new} is among the study's actions already")
        costs = old.price_list.with_another(new, cost)
        old = with_values(old, new)
        actions = Actions(old.graph, [*old.actions, new])
        problem = replace(old, actions=actions, law=law_for(actions, old.law), cost=costs)
        settings = replace(book.settings, problem=write_toml(Contents(problem.graph, problem)))
        try:
            start_state(settings)
        except NotValid as error:
            raise NotValid(f"{new} cannot be added while {settings.learner} is the learner: {error}") from None
        log.add("added", {"action": str(new), "cost": cost, "problem": settings.problem, "why": why})
        _apply(log, book, settings)


def recut(
    study: Study, variable: str, cut: float | str | Iterable[float | str], why: str = "", *, who: str = ""
) -> None:
    """Changes the cuts between the values of a variable that is measured in numbers; all numbers told so far are cut again.

    What is already planned is still handed out. Rounds that were told a value in the place of a number keep it.

    Raises Conflict where a round was told a number that would no longer be what it set, GraphError for cuts that cannot be.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/harvest.toml", rounds=60, name="recut")
    >>> study.recut("moisture", 20, "a new probe")
    >>> study.problem.graph.variable("moisture").cut
    (20.0,)
    """
    with study.changing(who) as (log, book):
        _not_fixed(log, "a cut")
        borders = [cut] if isinstance(cut, (str, float, int)) else list(cut)
        earlier = [
            json.loads(e.body)["problem"] for e in log.events() if e.kind in ("created", "added", "recut", "repaired")
        ]
        before = (problem_of(replace(book.settings, problem=text)) for text in earlier)
        problem = recut_problem(book.setup.problem, variable, borders, before)
        settings = replace(book.settings, problem=write_toml(Contents(problem.graph, problem)))
        try:
            start_state(settings)
        except NotValid as error:
            raise NotValid(
                f"{variable} cannot be cut otherwise while {settings.learner} is the learner: {error}"
            ) from None
        _not_contradicted(log, problem, variable)
        now = list(problem.graph.variable(variable).cut)
        log.add("recut", {"variable": variable, "cut": now, "problem": settings.problem, "why": why})
        _apply(log, book, settings)


def close(study: Study, why: str = "", *, who: str = "") -> None:
    """Closes the study: no more rounds are handed out, and open ones can still be told.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="closed")
    >>> study.close("enough")
    >>> study.status()["closed"]
    True
    """
    with study.changing(who) as (log, book):
        log.add("closed", {"why": why})
        book.closed = True


def reopen(study: Study, why: str = "", *, who: str = "") -> None:
    """Opens a closed study again.

    Raises Conflict where it is not closed.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="reopened")
    >>> study.close()
    >>> study.reopen("one more season")
    >>> study.status()["closed"]
    False
    """
    with study.changing(who) as (log, book):
        if not book.closed:
            raise Conflict("the study is not closed")
        log.add("reopened", {"why": why})
        book.closed = False


def archive(study: Study, why: str = "", *, who: str = "") -> None:
    """Closes the study and leaves it out of lists.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="archived")
    >>> study.archive()
    >>> study.status()["archived"]
    True
    """
    with study.changing(who) as (log, book):
        log.add("archived", {"why": why})
        book.closed = book.archived = True


def unarchive(study: Study, why: str = "", *, who: str = "") -> None:
    """Opens an archived study again and lists it.

    Raises Conflict where it is not archived.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="unarchived")
    >>> study.archive()
    >>> study.unarchive()
    >>> study.status()["archived"]
    False
    """
    with study.changing(who) as (log, book):
        if not book.archived:
            raise Conflict("the study is not archived")
        log.add("unarchived", {"why": why})
        book.closed = book.archived = False


def delete(study: Study) -> None:
    """Deletes the study with its log and all its rounds from the database.

    Raises StorageError where the database cannot be written.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="deleted")
    >>> study.delete()
    >>> bestdo.Study.create("examples/farm.toml", rounds=60, name="deleted").status()["told"]
    0
    """
    with study.storage.writing() as connection:
        for table, column in ((rounds, rounds.c.study), (events, events.c.study), (studies, studies.c.id)):
            connection.execute(table.delete().where(column == study.id))


def _not_fixed(log: Log, what: str) -> None:
    """Fails where old data were kept as sums of the learner, for which learner and actions must stay the same."""
    if any("sums" in body for body in log.old()):
        raise NotValid(
            f"{what} cannot be changed or added: of the old data only the sums of the learner were kept, because there were "
            "too many different rows (take them back with unobserve first)"
        )


def _not_contradicted(log: Log, problem: Problem, variable: str) -> None:
    """Fails where a number that was told of a variable would no longer be the value that its round set."""
    for row in log.all_rows():
        try:
            checked(problem, row.action, row.values, row.deviated)
        except Deviates:
            raise Conflict(
                f"{variable} cannot be cut there: a round of {row.action} was told {shown(row.values[variable])}, "
                "which would be another value than the one that was set"
            ) from None


def _apply(log: Log, book: Book, settings: Settings) -> None:
    """Applies other settings, with the state computed again from the log."""
    book.settings = settings
    book.settle()
    book.state = blocks.fold_log(log, book)
