"""In words, in what two problems differ."""

from __future__ import annotations

from collections.abc import Iterable

from bestdo.bandit.problem import Problem
from bestdo.causal.variable import Variable

__all__ = ["differences"]

_MOST_NAMED = 6
"""Names that one sentence lists; the others are counted. Chosen, not measured."""


def differences(one: Problem, other: Problem) -> list[str]:
    """A sentence for each difference between two problems; none where they are the same."""
    a, b = one.graph, other.graph
    both = [name for name in a.names if name in b.names]
    changed = [n for n in both if _measure(a.variable(n)) != _measure(b.variable(n))]
    hidden = [n for n in both if a.variable(n).hidden != b.variable(n).hidden]
    found = [
        *_sides("Variables", a.names, b.names),
        *([f"Measured differently: {_named(changed)}."] if changed else []),
        *([f"Hidden in one of them: {_named(hidden)}."] if hidden else []),
        *_sides("Arrows", a.edges, b.edges),
        *_sides("Doubtful arrows", _doubtful(one), _doubtful(other)),
        *_each("Wanted is", a.wanted, b.wanted),
        *_each("The goals differ:", one.goal, other.goal),
        *_sides("Actions", map(str, one.actions), map(str, other.actions)),
        *_sides("Retired actions", map(str, one.retired), map(str, other.retired)),
        *_sides("Limits", map(str, one.limits), map(str, other.limits)),
        *_sides("Seen first", one.first, other.first),
    ]
    if one.cost != other.cost and tuple(one.actions) == tuple(other.actions):
        found.append("The costs of the actions differ.")
    if not found and one != other:
        found.append("The graph and the actions are the same; known probabilities or other details differ.")
    return found


def _each(what: str, first: str, second: str) -> list[str]:
    """A sentence that says what differs in both problems; none where it is the same."""
    return [] if first == second else [f"{what} {first} in the first, {second} in the second."]


def _doubtful(problem: Problem) -> list[str]:
    """The doubtful arrows as text."""
    return list(map(str, problem.graphs.arrows))


def _measure(variable: Variable) -> tuple[object, ...]:
    """The measure of a variable, in words."""
    return variable.values, variable.cut, variable.number


def _sides(what: str, first: Iterable[str], second: Iterable[str]) -> list[str]:
    """Sentences that name what is in one of two collections alone."""
    a, b = list(first), list(second)
    sides = (("first", [x for x in a if x not in set(b)]), ("second", [x for x in b if x not in set(a)]))
    return [f"{what} in the {where} alone: {_named(alone)}." for where, alone in sides if alone]


def _named(names: list[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
