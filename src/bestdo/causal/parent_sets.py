"""Doubtful arrows that are each there or not, whatever the others are: every variable's set of parents stands by itself.

So it is where no arrows can make a cycle, as with an order in time, and nothing is hidden. Then graphs need no list.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bestdo.causal.candidates import with_arrows
from bestdo.causal.graph import Graph
from bestdo.errors import GraphError

if TYPE_CHECKING:
    from bestdo.causal.doubts import Doubt

__all__ = ["MOST_CELLS", "are_independent", "parent_sets"]

MOST_CELLS = 2**16
"""The most cells of the tables of all variables with all their possible sets of parents: half a megabyte for each lane. Ten
variables of two values in a known order have 59,048. Limits memory and time."""
_MOST_ARROWS = 52
"""The most doubtful arrows: the number of graphs is then exact in JSON. Ten variables in an order have 45."""


def are_independent(sure: Graph, doubts: Sequence[Doubt]) -> bool:
    """Whether every combination of these doubts is a graph, nothing is hidden, and the tables of all are few enough."""
    if len(doubts) > _MOST_ARROWS or any(doubt.kind != "?->" for doubt in doubts):
        return False
    if any(variable.hidden or variable.number is not None for variable in sure.variables):
        return False
    made = with_arrows(sure, [(doubt.a, doubt.b) for doubt in doubts])
    try:
        Graph(made.variables, dict(made.parents), made.reward, made.success, made.worth, made.aim)
    except GraphError:
        return False
    cells = {name: sure.size(name) * math.prod(map(sure.size, parents)) for name, parents in sure.parents.items()}
    for doubt in doubts:
        cells[doubt.b] *= 1 + sure.size(doubt.a)
    return sum(cells.values()) <= MOST_CELLS


def parent_sets(sure: Graph, doubts: Sequence[Doubt]) -> dict[str, list[tuple[tuple[str, ...], float]]]:
    """The possible sets of parents of each variable, in the order of the graph's variables, and how probable each is."""
    place = {name: i for i, name in enumerate(sure.names)}
    found: dict[str, list[tuple[tuple[str, ...], float]]] = {}
    for name in sure.names:
        own = [doubt for doubt in doubts if doubt.b == name]
        found[name] = []
        for there in itertools.product((True, False), repeat=len(own)):
            parents = {*sure.parents[name], *(d.a for d, yes in zip(own, there, strict=True) if yes)}
            chance = math.prod(d.probability if yes else 1 - d.probability for d, yes in zip(own, there, strict=True))
            found[name].append((tuple(sorted(parents, key=place.__getitem__)), chance))
    return found
