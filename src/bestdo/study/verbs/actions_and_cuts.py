"""Changes of the problem of a running study: a further action, other cuts of a number."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.law_from_tables import law_for
from bestdo.causal.number import read_number
from bestdo.errors import Conflict, Deviates, NotValid, shown
from bestdo.files import Contents
from bestdo.files.toml import write as write_toml
from bestdo.study.events import settings_said, takes_effect
from bestdo.study.fold import start_state
from bestdo.study.log import Log
from bestdo.study.problem_changes import recut_problem, with_values
from bestdo.study.round import checked
from bestdo.study.settings import problem_of
from bestdo.study.verbs.horizon_and_learner import change_settings, not_fixed
from bestdo.study.verbs.verb import Verb

if TYPE_CHECKING:
    from bestdo.study.journal import DatabaseJournal
    from bestdo.study.study import Study

__all__ = ["AddAction", "Recut", "add_action", "recut"]


@dataclass(frozen=True, kw_only=True)
class AddAction(Verb[None]):
    """A further action."""

    path = "actions"
    command = "add"
    about = "Allow a further action from now on."
    action: str
    cost: float | None = None
    why: str
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Allows the action from now on."""
        with journal.changing(self.who) as (log, book):
            not_fixed(log, "an action")
            new, old = Intervention.of(self.action), book.game.problem
            if new in old.actions:
                raise Conflict(f"{new} is among the study's actions already")
            costs = old.price_list.with_another(new, self.cost)
            old = with_values(old, new)
            actions = Actions(old.graph, [*old.actions, new])
            problem = replace(old, actions=actions, law=law_for(actions, old.law), cost=costs)
            settings = replace(book.settings, problem=write_toml(Contents(problem.graph, problem)))
            try:
                start_state(settings)
            except NotValid as error:
                raise NotValid(f"{new} cannot be added while {settings.learner} is the learner: {error}") from None
            said = {"action": str(new), "cost": self.cost, "problem": settings.problem, "why": self.why}
            change_settings(log, book, "added", said)


takes_effect("added", settings_said("problem"))


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
    study.do(AddAction(action=str(Intervention.of(action)), cost=cost, why=why, who=who))


@dataclass(frozen=True)
class Recut(Verb[None]):
    """Other cuts between the values of a variable that is measured in numbers."""

    path = command = "recut"
    about = "Cut the numbers of a variable at other borders; all rounds so far are counted again."
    variable: str
    cut: list[float | str]
    why: str = ""
    who: str = ""

    def carry_out(self, journal: DatabaseJournal) -> None:
        """Cuts all numbers told so far again."""
        variable = self.variable
        with journal.changing(self.who) as (log, book):
            not_fixed(log, "a cut")
            earlier = [
                json.loads(e.body)["problem"]
                for e in log.events()
                if e.kind in ("created", "added", "recut", "repaired")
            ]
            before = (problem_of(replace(book.settings, problem=text)) for text in earlier)
            problem = recut_problem(book.game.problem, variable, self.cut, before)
            settings = replace(book.settings, problem=write_toml(Contents(problem.graph, problem)))
            try:
                start_state(settings)
            except NotValid as error:
                raise NotValid(
                    f"{variable} cannot be cut otherwise while {settings.learner} is the learner: {error}"
                ) from None
            _not_contradicted(log, problem, variable)
            now = list(problem.graph.variable(variable).cut)
            said = {"variable": variable, "cut": now, "problem": settings.problem, "why": self.why}
            change_settings(log, book, "recut", said)

    def body(self) -> dict[str, Any]:
        """The fields of the request, with the cuts as numbers."""
        return {**super().body(), "cut": [read_number(f"the cut of {self.variable}", border) for border in self.cut]}


takes_effect("recut", settings_said("problem"))


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
    study.do(Recut(variable, [cut] if isinstance(cut, (str, float, int)) else list(cut), why, who))


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
