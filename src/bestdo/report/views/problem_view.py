"""The view of a problem: the question, the drawing, the settable variables, limits and costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestdo.bandit.problem import Problem
from bestdo.report.sections.limits import beforehand
from bestdo.report.views import graph_view
from bestdo.report.views.card import Raw, bullets, card, code, listed, paragraph
from bestdo.text import counted, quoted

if TYPE_CHECKING:
    from bestdo.data.compose import Composed
    from bestdo.files import Contents

__all__ = ["figure", "html"]

_MOST_VALUES = 6
"""The most values of a variable that are listed. Chosen, not measured."""
_MOST_VARIABLES = 8
"""The most variables whose values are listed. Chosen, not measured."""


def html(shown: Problem | Contents | Composed) -> str:
    """The problem; of the contents of a file without a problem, the graph."""
    problem = shown if isinstance(shown, Problem) else shown.problem
    if problem is None:
        return graph_view.html(shown.graph)  # type: ignore[union-attr]
    set_by_some = set[str]().union(*problem.actions)
    settable = [name for name in problem.graph.names if name in set_by_some]
    return card(
        paragraph(problem.question, "title"),
        *graph_view.drawing(problem.graphs, settable, problem.positions),
        bullets(_facts(problem, settable)),
        drawing=True,
    )


def _facts(problem: Problem, settable: list[str]) -> list[str]:
    """Sentences about what may be set, the actions, costs and limits."""
    lines: list[str] = [Raw(f"may be set: {_values(problem, settable)}")] if settable else []
    first = getattr(problem, "first", ())
    lines += [Raw(f"seen before the action is chosen: {listed(first)}")] if first else []
    lines.append(Raw(f"{counted(len(problem.actions), 'action')}: {listed(problem.actions, 8)}"))
    lines += [Raw(f"retired, neither played nor recommended: {listed(problem.retired, 8)}")] if problem.retired else []
    lines += map(Raw, problem.price_list.facts)
    for limit in problem.limits:
        known = "".join(f"; {what}: {listed(actions, 4)}" for what, actions in beforehand(limit, problem).items())
        lines.append(Raw(f"within the limit: {code(limit)}{known}"))
    keeps = f"an action is recommended if it keeps the limits with probability {problem.sure:g} or more"
    lines += problem.limits.columns(keeps)
    if problem.law is not None:
        lines.append(f"known beforehand: how often the direct causes of {quoted(str(problem.graph.reward))} occur")
    return lines


def _values(problem: Problem, settable: list[str]) -> str:
    """The variables that may be set, with their values."""
    if len(settable) > _MOST_VARIABLES:
        return listed(settable)
    said = []
    for name in settable:
        values = problem.graph.variable(name).values
        more = f", … ({len(values)})" if len(values) > _MOST_VALUES else ""
        said.append(code(f"{name} = {', '.join(values[:_MOST_VALUES])}{more}"))
    return "; ".join(said)


def figure(problem: Problem) -> Any:
    """The drawing of the graph, with what may be set."""
    return graph_view.figure(problem.graphs, set[str]().union(*problem.actions), problem.positions)
