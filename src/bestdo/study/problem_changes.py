"""Changes to a running study's problem: other cuts of a number, values between those of a grid, hidden common causes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.graph import BOTH, Graph
from bestdo.causal.law import Law
from bestdo.causal.law_from_tables import law_for, law_from_tables
from bestdo.causal.number import read_number
from bestdo.causal.variable import Variable
from bestdo.errors import Conflict, GraphError, NotValid, shown

__all__ = ["recut_problem", "with_hidden_causes", "with_values"]


def recut_problem(problem: Problem, name: str, cut: Iterable[float | str], earlier: Iterable[Problem]) -> Problem:
    """The problem with other cuts of a variable that is measured in numbers.

    What was known of how often values occur is true for the old cuts only: it is dropped where it concerns the variable,
    unless one of the earlier problems had these cuts.
    """
    variable = problem.graph.variable(name)
    if not variable.cut:
        able = [shown(v.name) for v in problem.graph.variables if v.cut]
        raise GraphError(f"{shown(name)} has no cuts between its values; those that have: {', '.join(able) or 'none'}")
    borders = tuple(read_number(f"the cut of {name}", border) for border in cut)
    if borders == variable.cut:
        raise Conflict(f"{shown(name)} is cut at {', '.join(f'{b:g}' for b in borders)} already")
    changed = _with(problem, replace(variable, cut=borders))
    known = next((p.law for p in reversed(list(earlier)) if p.graph == changed.graph and p.law is not None), None)
    if known is not None:
        return replace(changed, law=law_for(changed.actions, known))
    if problem.law is None or name in problem.graph.ancestors([str(problem.graph.reward)]):
        return changed
    return replace(changed, law=_same_law(problem.law, changed.actions))


def with_values(problem: Problem, action: Intervention) -> Problem:
    """The problem in which the action can be done: numbers between the values of a grid become values, behind the others."""
    for name, value in action.items():
        variable = problem.graph.variable(name)
        if value in variable.values or not variable.grid:
            continue
        number = read_number(name, value)
        if number in variable.grid:
            same = next(label for label in variable.values if read_number(name, label) == number)
            raise Conflict(f"{shown(name)} has the value {shown(value)} already, written as {shown(same)}")
        low, high = variable.grid[0], variable.grid[-1]
        if not low < number < high:  # a slip of the decimal point would be handed out, and no action can be taken back
            raise NotValid(
                f"{shown(name)} has values from {low:g} to {high:g}, and {number:g} is outside: numbers between them can be "
                "added; for others begin a new study with more values"
            )
        law = problem.law
        problem = _with(problem, replace(variable, values=(*variable.values, value)))
        if law is not None and law.known is not None and not _effects(problem.graph, name) & set(law.known):
            own = law.known[name]  # it occurs where it is set, and never otherwise
            known = {**law.known, name: np.concatenate([own, np.zeros((*own.shape[:-1], 1))], axis=-1)}
            problem = replace(problem, law=law_from_tables(problem.actions, known))
    return problem


def with_hidden_causes(problem: Problem, pairs: Iterable[tuple[str, str]]) -> Problem:
    """The problem in which each of these pairs of variables may share a hidden cause, too; its law is no longer known."""
    more = tuple(pairs)

    def change(graph: Graph) -> Graph:
        """A graph with the hidden causes behind its other variables."""
        parents = {n: list(own) for n, own in graph.parents.items()}
        for a, b in more:
            for name in (a, b):
                parents.setdefault(name, []).append(a + BOTH + b)
        hidden = tuple(Variable(a + BOTH + b, hidden=True) for a, b in more)
        return replace(
            graph, variables=(*graph.variables, *hidden), parents={n: tuple(own) for n, own in parents.items()}
        )

    return _changed(problem, change)


def _effects(graph: Graph, name: str) -> set[str]:
    """The variables that a variable points at, without the reward."""
    return set(graph.children[name]) - {graph.reward}


def _with(problem: Problem, variable: Variable) -> Problem:
    """The problem with this variable in the place of that of the same name, and without its law."""

    def change(graph: Graph) -> Graph:
        """A graph with the variable."""
        return replace(graph, variables=tuple(variable if v.name == variable.name else v for v in graph.variables))

    return _changed(problem, change)


def _changed(problem: Problem, change: Callable[[Graph], Graph]) -> Problem:
    """The problem with its graph, or every possible graph, changed by a function, and without its law."""
    return replace(problem, law=None).by(problem.graphs.each(change))


def _same_law(law: Law, actions: Actions) -> Law | None:
    """The law of the reward's parents for the same actions of another graph."""
    return law_from_tables(actions, law.known) if law.known is not None else law.with_actions(actions)
