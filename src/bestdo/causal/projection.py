"""The latent projection of a graph, and which variables hidden causes connect."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from bestdo.causal.variable import BOTH, Variable
from bestdo.errors import GraphError, shown

if TYPE_CHECKING:
    from bestdo.causal.graph import Graph

__all__ = ["confounded", "districts", "projected"]


def projected(graph: Graph, hide: Iterable[str] = ()) -> Graph:
    """The latent projection: hidden variables (and those in `hide`) replaced by arrows and `<->` (Verma 1993)."""
    gone = set(hide) | set(graph.hidden)
    for name in gone:
        graph.variable(name)
    if graph.reward in gone:
        raise GraphError(f"the reward {shown(graph.reward)} cannot be hidden")
    keep = [v for v in graph.variables if v.name not in gone]

    def reached(name: str) -> list[str]:
        """The kept variables to which a path of arrows leads from this one through hidden variables only."""
        ends, todo = set[str](), [name]
        visited = {name}
        while todo:
            for child in graph.children[todo.pop()]:
                if child not in gone:
                    ends.add(child)
                elif child not in visited:
                    visited.add(child)
                    todo.append(child)
        return [v.name for v in keep if v.name in ends]

    parents: dict[str, list[str]] = {v.name: [] for v in keep}
    for variable in keep:
        for child in reached(variable.name):
            parents[child].append(variable.name)
    pairs = sorted({pair for h in gone for pair in itertools.combinations(sorted(reached(h)), 2)})
    for a, b in pairs:
        parents[a].append(a + BOTH + b)
        parents[b].append(a + BOTH + b)
    hidden = [Variable(a + BOTH + b, hidden=True) for a, b in pairs]
    full = {**{n: tuple(p) for n, p in parents.items()}, **{h.name: () for h in hidden}}
    return graph._with((*keep, *hidden), full)


def confounded(graph: Graph) -> Mapping[str, frozenset[str]]:
    """The variables that share a hidden cause with each observed variable."""
    partners: dict[str, set[str]] = {n: set() for n in graph.observed}
    for name in graph.hidden:
        for child in graph.children[name]:
            partners[child] |= set(graph.children[name]) - {child}
    return MappingProxyType({n: frozenset(s) for n, s in partners.items()})


def districts(graph: Graph) -> tuple[frozenset[str], ...]:
    """The districts (c-components) of the graph, in the order of their first variables."""
    parts: list[frozenset[str]] = []
    for name in graph.observed:
        if not any(name in d for d in parts):
            parts.append(graph.district([name]))
    return tuple(parts)
