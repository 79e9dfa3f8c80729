"""Graphs that are listed as candidates: checks that they share their variables, and the arrows in which they differ."""

from __future__ import annotations

from collections.abc import Sequence

from bestdo.causal.candidates import arrows_of, is_pair, with_arrows, with_causes
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.variable import BOTH
from bestdo.errors import GraphError, shown

__all__ = ["described", "same_variables"]

_MOST_NAMED = 6
"""The most variables that a message names. Chosen, not measured."""
_WHOLE = 1 - 1e-12  # a probability above is 1
_DIGITS = 12
"""Decimals of the probability of an arrow, a sum over graphs: so that 0.15 is not 0.14999999999999997. Chosen."""


def same_variables(graphs: Sequence[Graph], called: Sequence[str]) -> list[Graph]:
    """The graphs over the same variables, in the same order; raises GraphError where variables or rewards differ.

    `called` is what messages call each of them.
    """
    if not graphs:
        raise GraphError("no graph is given: candidates are a list of two graphs or more")
    first = graphs[0]
    own = _own(first)
    pairs: dict[tuple[str, str], None] = {}
    for name, graph in zip(called, graphs, strict=True):
        _check_same(own, _own(graph), called[0], name)
        for what in ("reward", "success", "worth", "aim"):
            here, there = getattr(first, what), getattr(graph, what)
            if here != there:
                raise GraphError(
                    f"candidates have one reward: {what} is {here!r} in {called[0]} and {there!r} in {name}"
                )
        pairs.update(((a, b), None) for a, mark, b in arrows_of(graph) if mark == BOTH)
    base = with_causes(first._with(tuple(own.values()), dict.fromkeys(own, ())), pairs)
    place = {name: i for i, name in enumerate(base.names)}
    return [
        _joined(base, sorted(arrows_of(graph), key=lambda arrow: (arrow[1], place[arrow[0]], place[arrow[2]])))
        for graph in graphs
    ]


def _own(graph: Graph) -> dict[str, Variable]:
    """The variables of a graph without those that stand for `A <-> B`, or would if that arrow were there."""
    idle = {name for name in graph.hidden if BOTH in name and not graph.children[name] and not graph.parents[name]}
    return {v.name: v for v in graph.variables if v.name not in idle and not is_pair(graph, v.name)}


def _check_same(first: dict[str, Variable], other: dict[str, Variable], one: str, two: str) -> None:
    """Raises GraphError where the variables of a graph are not those of the first."""
    said = "candidates are graphs over the same variables"
    for here, there, at, not_at in ((first, other, one, two), (other, first, two, one)):
        missing = [name for name in here if name not in there]
        if missing:
            named = ", ".join(map(shown, missing[:_MOST_NAMED]))
            verb = "is" if len(missing) == 1 else "are"
            raise GraphError(
                f"{said}: {named} {verb} in {at} and not in {not_at}; a variable may be there without arrows"
            )
    for name, variable in first.items():
        for what in ("values", "hidden", "cut", "number"):
            a, b = getattr(variable, what), getattr(other[name], what)
            if a != b:
                raise GraphError(f"{said}: {what} of {shown(name)} is {a!r:.60} in {one} and {b!r:.60} in {two}")


def _joined(base: Graph, arrows: Sequence[tuple[str, str, str]]) -> Graph:
    """The graph with these arrows."""
    directed = [(a, b) for a, mark, b in arrows if mark != BOTH]
    return with_arrows(base, directed, [(a, b) for a, mark, b in arrows if mark == BOTH])


def described(graphs: Sequence[Graph], chances: Sequence[float]) -> tuple[Graph, list[tuple[str, str, str, float]]]:
    """The common part of graphs over the same variables, and the doubtful arrows between them with their probabilities."""
    sets = [frozenset(arrows_of(graph)) for graph in graphs]
    common = frozenset.intersection(*sets)
    base = graphs[0]
    causes = {BOTH.join((a, b)) for arrows in sets for a, mark, b in arrows - common if mark == BOTH}
    variables = tuple(v for v in base.variables if v.name not in causes)
    plain = base._with(variables, {v.name: () for v in variables})
    sure = _joined(plain, [arrow for arrow in arrows_of(base) if arrow in common])
    chance_of: dict[tuple[str, str, str], float] = {}
    for arrows, chance in zip(sets, chances, strict=True):
        for arrow in arrows - common:
            chance_of[arrow] = chance_of.get(arrow, 0.0) + chance
    place = {name: i for i, name in enumerate(base.names)}
    doubts: list[tuple[str, str, str, float]] = []
    for a, mark, b in sorted(chance_of, key=lambda arrow: (place[arrow[0]], place[arrow[2]], arrow[1])):
        if mark == BOTH:
            doubts.append((a, "?<->", b, _rounded(chance_of[a, mark, b])))
        elif (b, mark, a) not in chance_of:
            doubts.append((a, "?->", b, _rounded(chance_of[a, mark, b])))
        elif place[a] < place[b]:
            chance = _rounded(chance_of[a, mark, b] + chance_of[b, mark, a])
            doubts.append((a, "--", b, 1.0) if chance > _WHOLE else (a, "?-?", b, chance))
    return sure, doubts


def _rounded(chance: float) -> float:
    """The probability of an arrow without the rounding of sums, but never 0."""
    return round(chance, _DIGITS) or chance
