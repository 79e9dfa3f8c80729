"""A round: how it is handed out, the reason why it is asked for, and the check of its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from bestdo.arguments import mapping, shown_value
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Intervention
from bestdo.causal.number import read_number
from bestdo.causal.variable import Variable
from bestdo.data.labels import told
from bestdo.errors import BestdoError, Deviates, GraphError, shown, unknown
from bestdo.learners.game import Game
from bestdo.learners.known_so_far import Found
from bestdo.study.asked import Asked, AskedRounds
from bestdo.study.schema import NAME_LENGTH

__all__ = [
    "HandedOut",
    "checked",
    "handed_out",
    "label",
    "reason_of",
    "same_values",
    "understood",
    "with_context",
]

_RETIRED_SINCE = "its action was retired since: tell it if it was played, or withdraw it"
"""The words on a round of an action that was retired while the round was out."""
_MEANWHILE = "while results of this phase are still to come"
"""Begins the reason of a round that belongs to no plan."""


class HandedOut(NamedTuple):
    """A round as it is handed out."""

    number: int
    action: str
    expires: float
    seen: Mapping[str, str]
    """The values seen before the action was chosen."""
    meanwhile: bool = False
    """Whether it is a useful round between two phases, of no plan."""


def handed_out(
    given: Sequence[HandedOut],
    nothing: Exception | None,
    game: Game,
    state: Any,
    found: Callable[[], Found],
) -> AskedRounds:
    """The rounds for somebody who asked; each finds its reason when that is read.

    `nothing` says why there are no more rounds, and is raised where there is none. `found` gives the estimates in the state.
    """
    if nothing is not None and not given:
        raise nothing
    said: dict[tuple[Intervention, tuple[tuple[str, str], ...], bool], str] = {}  # found once for rounds that are alike

    def why(action: Intervention, seen: Mapping[str, str], meanwhile: bool) -> str:
        alike = action, tuple(seen.items()), meanwhile
        if alike not in said:
            said[alike] = reason_of(game, state, action, seen, meanwhile, found)
        return said[alike]

    handed = AskedRounds()
    for number, text, expires, seen, meanwhile in given:
        action = Intervention.parse(text)
        end = datetime.fromtimestamp(expires, UTC)
        handed.append(Asked(number, action, end, partial(why, action, seen, meanwhile), seen))
    handed.fewer = None if nothing is None else str(nothing)
    return handed


def reason_of(
    game: Game,
    state: Any,
    action: Intervention,
    seen: Mapping[str, str],
    meanwhile: bool,
    found: Callable[[], Found],
) -> str:
    """The reason why a round is asked for, in a sentence: the learner's, and the knowledge about its action.

    `seen` are the values seen before; `meanwhile` says that it is of no plan. `found` gives the estimates in the state.
    """
    index, where = game.problem.actions.index(action), game.problem.contexts.matching(seen)
    if not game.problem.playable[index]:
        return _RETIRED_SINCE
    why = _MEANWHILE if meanwhile else game.reason(state, index, where)
    return "; ".join(filter(None, (why, game.known(state, index, where, found))))


def label(text: str, what: str) -> str:
    """The text, checked: it fits into a column of any database."""
    if not isinstance(text, str):
        raise BestdoError(f"{what} is text, not {shown_value(text)}")
    if len(text) > NAME_LENGTH or "\0" in text:
        raise BestdoError(f"{shown(text)} cannot be {what}: at most {NAME_LENGTH} characters, none of them NUL")
    return text


def understood(
    problem: Problem, values: Mapping[str, str | float | bool | None], wanted: Iterable[str] = ()
) -> dict[str, str | float]:
    """The values that a person tells, by the names and in the values of the graph; read as tables of old data are.

    Capitals and spaces around do not matter, nor which word for yes or no it is, where only one value can be meant. What
    says that nothing was seen, as NA does, is left out. `wanted` are the names that an error lists, instead of all.
    """
    observed = problem.graph.observed
    found: dict[str, str | float] = {}
    for name, value in mapping("what was seen", values, "{'yield': 'good'}").items():
        alike = [name] if name in observed else _named(problem, str(name).strip())
        if name in problem.graph.hidden:
            raise GraphError(f"{shown(name)} is hidden in the graph, so nothing can be told of it: leave it out")
        if len(alike) != 1:
            raise GraphError(unknown("variable", name, tuple(wanted) or observed))
        meant = told(problem.graph.variable(alike[0]), value, problem.reading)
        if meant is None and alike[0] == problem.graph.reward:
            meant = value  # which must be told: the error names it
        if meant is None:
            continue
        if str(found.setdefault(alike[0], meant)) != str(meant):  # type: ignore[arg-type]
            raise BestdoError(f"{shown(alike[0])} is told twice: {shown(found[alike[0]])} and {shown(meant)}")
    return found


def _named(problem: Problem, name: str) -> list[str]:
    """The variables that a name can mean: but for capitals, by the heading of their column, or but for spaces and marks."""
    observed, headings = problem.graph.observed, problem.reading.columns
    same = [n for n in observed if name.casefold() in (n.casefold(), headings.get(n, n).casefold())]
    return same or [n for n in observed if _letters(name) and _letters(n) == _letters(name)]


def _letters(name: str) -> str:
    """The letters and digits of a name in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))


def checked(
    problem: Problem, action: str, values: Mapping[str, str | float], happened: bool
) -> tuple[dict[str, str], bool]:
    """The values in the graph's order, completed by what was set; and whether they contradict what was set, or bounds."""
    graph, set_ = problem.graph, Intervention.parse(action)
    clean: dict[str, str] = {}
    outside = ""
    observed = frozenset(graph.observed)
    for name, value in values.items():
        if name not in observed:
            raise GraphError(unknown("variable", name, graph.observed))
        variable = graph.variable(name)
        clean[name] = variable.kept(value)
        why = variable.kind.outside(value)
        outside = outside or why
    for name in graph.rewarded.told:
        if name not in clean:
            what = "the reward " if name == graph.reward else f"{shown(graph.reward)} is counted per {shown(name)}: "
            raise BestdoError(f"{what}{shown(name)} must be told: {graph.variable(name).kind.expected}")
    graph.rewarded.check({name: clean[name] for name in graph.rewarded.told})
    wrong = [n for n, v in set_.items() if graph.variable(n).code(clean.setdefault(n, v)) != graph.variable(n).code(v)]
    if wrong and not happened:
        raise Deviates(
            f"{shown(wrong[0])} was set to {shown(set_[wrong[0]])}, but {shown(clean[wrong[0]])} is told; if that is "
            "what happened, say so"
        )
    if outside and not happened:
        raise Deviates(f"{outside}; if that is what happened, say so: the round then counts for nothing")
    return {n: clean[n] for n in graph.observed if n in clean}, bool(wrong or outside)


def with_context(
    context: Mapping[str, str], values: Mapping[str, str | float], problem: Problem, happened: bool
) -> dict[str, str | float]:
    """The told values, completed by those seen first; another value of these is an error, unless `happened` confirms it."""
    for name, seen in context.items():
        variable = problem.graph.variable(name)
        if name in values and variable.code(variable.kept(values[name])) != variable.code(seen) and not happened:
            raise Deviates(
                f"{shown(name)} was seen as {shown(seen)} before the action was chosen, but {shown(values[name])} is told; "
                "if that is what happened, say so: the round then counts for what is told"
            )
    return {**context, **values}


def same_values(problem: Problem, told: Mapping[str, str], again: Mapping[str, str]) -> bool:
    """Whether two results are equal, however their numbers are written."""
    variables = {name: problem.graph.variable(name) for name in told}
    return told.keys() == again.keys() and all(
        told[name] == again[name] or (v.measured and _number(v, told[name]) == _number(v, again[name]))
        for name, v in variables.items()
    )


def _number(variable: Variable, text: str) -> float | str:
    """The number that was told of a variable that is measured in numbers, or one of its values."""
    return text if variable.cut and text in variable.values else read_number(variable.name, text)
