"""Actions that are gone: taken out of a running study, and brought back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from bestdo.bandit.horizon import SLACK
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.errors import ActionError, Conflict, NotValid
from bestdo.files import Contents
from bestdo.files.toml import write as write_toml
from bestdo.study.book import Book
from bestdo.study.events import Rounds, settings_said, takes_effect
from bestdo.study.fold import start_state
from bestdo.study.verbs.horizon_and_learner import change_settings
from bestdo.study.verbs.verb import Verb

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal
    from bestdo.study.study import Study

__all__ = ["Retire", "Unretire", "retire", "unretire"]


@dataclass(frozen=True)
class Retire(Verb[None]):
    """An action that is taken out of a study."""

    path = command = "retire"
    about = "Neither play nor recommend an action any more. Its rounds count, and those that are out can be told."
    heading = "An action that is gone"
    button = "Retire it"
    action: str
    why: str
    who: str = ""

    @classmethod
    def choices(cls, problem: Problem) -> Mapping[str, Sequence[str]]:
        """The actions that may be played, as long as there are two."""
        left = [str(action) for action in problem.actions if action not in problem.retired]
        return {"action": left if len(left) > 1 else ()}

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Takes the action out of the problem's race and of the rest of the plan."""
        with journal.changing(self.who) as (log, book):
            action, problem = _known(book, self.action), book.game.problem
            if action in problem.retired:
                raise Conflict(f"{action} is retired already")
            if len(problem.retired) + 1 == len(problem.actions):
                raise Conflict(f"{action} is the only action that may still be played: bestdo close ends the study")
            problem = replace(problem, retired=(*problem.retired, action))
            settings = replace(book.settings, problem=write_toml(Contents(problem.graph, problem)))
            try:
                start_state(settings)
            except NotValid as error:
                raise NotValid(f"{action} cannot be retired while {settings.learner} is the learner: {error}") from None
            said = {"action": str(action), "plan": _rest(book, problem), "problem": settings.problem, "why": self.why}
            change_settings(log, book, "retired", said)


def _known(book: Book, text: str) -> Intervention:
    """The action of a text; raises ActionError where it is not among those of the study."""
    action = Intervention.of(text)
    if action not in book.game.problem.actions:
        raise ActionError(f"{action} is not among the study's actions")
    return action


def _rest(book: Book, problem: Problem) -> list[str]:
    """The rest of the plan without retired actions; the rounds of a phase go to actions that can be the best, in turn.

    There are as many of these as cost no more. Who is asked one by one is asked anew.
    """
    rest = book.plan[book.given :]
    gone = [text for text in rest if Intervention.parse(text) in problem.retired]
    able = np.flatnonzero(problem.contenders)
    rng = np.random.default_rng([book.settings.seed, 3, book.next])
    others = cycle(str(problem.actions[int(i)]) for i in rng.permutation(able))
    paid = int(sum(map(book.price, gone)) / problem.prices[able].max() + SLACK)
    instead = islice(others, min(paid, book.pace.instead(len(gone))))
    filled = (next(instead, None) if text in gone else text for text in rest)
    return [text for text in filled if text is not None]


def _retired(book: Book, rounds: Rounds, body: Mapping[str, Any]) -> None:
    """An action was retired, and the rest of the plan is without it."""
    book.plan = [*book.plan[: book.given], *body["plan"]]
    settings_said("problem")(book, rounds, body)


takes_effect("retired", _retired)


def retire(study: Study, action: str | Intervention, why: str, *, who: str = "") -> None:
    """Takes an action out of the study: it is neither played nor recommended any more, in no context.

    Its rounds count as before, for the graph and for all estimates; those that are out can be told or withdrawn, and are not
    handed out again. `unretire` brings it back.

    Raises Conflict where it is retired already or is the only one left, ActionError where the study has no such action,
    NotValid where the learner plays a fixed design.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="retired")
    >>> study.retire("do(moisture=wet)", "the pump is broken")
    >>> study.problem.retired
    (do(moisture=wet),)
    """
    study.do(Retire(str(Intervention.of(action)), why, who))


@dataclass(frozen=True)
class Unretire(Verb[None]):
    """The return of a retired action."""

    path = command = "unretire"
    about = "Play a retired action again."
    heading = "A retired action that is back"
    button = "Bring it back"
    action: str
    why: str
    who: str = ""

    @classmethod
    def choices(cls, problem: Problem) -> Mapping[str, Sequence[str]]:
        """The retired actions."""
        return {"action": [str(action) for action in problem.retired]}

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Lets the action be played and recommended again; what is planned stays."""
        with journal.changing(self.who) as (log, book):
            action, problem = _known(book, self.action), book.game.problem
            if action not in problem.retired:
                raise Conflict(f"{action} is not retired")
            problem = replace(problem, retired=tuple(other for other in problem.retired if other != action))
            text = write_toml(Contents(problem.graph, problem))
            change_settings(log, book, "unretired", {"action": str(action), "problem": text, "why": self.why})


takes_effect("unretired", settings_said("problem"))


def unretire(study: Study, action: str | Intervention, why: str, *, who: str = "") -> None:
    """Brings a retired action back: it is played and recommended as any other.

    Raises Conflict where it is not retired.

    >>> import bestdo
    >>> study = bestdo.Study.create("examples/farm.toml", rounds=60, name="unretired")
    >>> study.retire("do(moisture=wet)", "the pump is broken")
    >>> study.unretire("do(moisture=wet)", "it was mended")
    >>> study.problem.retired
    ()
    """
    study.do(Unretire(str(Intervention.of(action)), why, who))
