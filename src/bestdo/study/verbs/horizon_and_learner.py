"""Settings of a study that change while it runs: its horizon and its learner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bestdo.bandit.learner import Learner
from bestdo.bandit.statistic import weighs_by_design
from bestdo.errors import BestdoError, NotValid
from bestdo.learners import name_and_parameters
from bestdo.study import blocks
from bestdo.study.book import Book
from bestdo.study.events import enter, settings_said, takes_effect
from bestdo.study.log import Log
from bestdo.study.settings import Settings, make_learner
from bestdo.study.verbs.verb import Verb

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal
    from bestdo.study.study import Study

__all__ = ["ChangeLearner", "Extend", "change_learner", "change_settings", "extend", "not_fixed", "with_learner"]


@dataclass(frozen=True)
class Extend(Verb[None]):
    """Another number of rounds for the whole study, or another budget."""

    path = command = "extend"
    about = "Set another number of rounds, or another budget, for the whole study."
    rounds: int | None = None
    budget: float | None = None
    why: str = ""
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Changes the horizon, unless more is used up."""
        with journal.changing(self.who) as (log, book):
            horizon = book.game.problem.horizon(self.rounds, self.budget)
            if horizon.amount < book.used:
                raise BestdoError(f"{horizon.taken(book.used)} are used up or out; it cannot be {horizon.amount:g}")
            change_settings(log, book, "extended", {"horizon": horizon.amount, "why": self.why})


takes_effect("extended", settings_said("horizon"))


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
    study.do(Extend(rounds, budget, why, who))


@dataclass(frozen=True, kw_only=True)
class ChangeLearner(Verb[None]):
    """The learner that goes on with a study."""

    path = command = "learner"
    about = "Let another learner go on; it is told everything so far."
    learner: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    why: str
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Tells the learner all rounds so far."""
        with journal.changing(self.who) as (log, book):
            settings = with_learner(log, book, self.learner, self.parameters)
            said = {"learner": self.learner, "parameters": settings.parameters, "why": self.why}
            change_settings(log, book, "learner", said)


takes_effect("learner", settings_said("learner", "parameters"))


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
    study.do(ChangeLearner(learner=name, parameters={**own, **(parameters or {})}, why=why, who=who))


def with_learner(log: Log, book: Book, name: str, parameters: Mapping[str, Any]) -> Settings:
    """The settings of a study with another learner; raises NotValid where it is not for the problem or the rounds so far."""
    settings = replace(book.settings, learner=name, parameters=dict(parameters))
    not_fixed(log, "the learner")
    statistic = make_learner(replace(settings, until_sure=None)).statistic(book.game.problem, settings.horizon)
    if book.blocks_told and weighs_by_design(statistic):
        raise NotValid(
            f"the learner {name} weighs rounds by the design that they were drawn from, and the rounds so far were "
            "drawn in other ways: it can only be chosen before the first round (with the estimator 'plug-in', later too)"
        )
    return settings


def not_fixed(log: Log, what: str) -> None:
    """Fails where old data were kept as sums of the learner, for which learner and actions must stay the same."""
    if any("sums" in body for body in log.old()):
        raise NotValid(
            f"{what} cannot be changed or added: of the old data only the sums of the learner were kept, because there were "
            "too many different rows (take them back with unobserve first)"
        )


def change_settings(log: Log, book: Book, kind: str, body: Mapping[str, Any]) -> None:
    """Enters an event that changes settings, with the state computed again from the log."""
    enter(log, book, kind, body)
    book.state = blocks.fold_log(log, book)
