"""Numbers that cause an outcome, summed out: a number hands its own causes on to its one effect on the way there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from bestdo.causal.outcome import Outcome
from bestdo.memory_cache import memory_cache

if TYPE_CHECKING:
    from bestdo.arrays import Floats
    from bestdo.causal.graph import Graph

__all__ = ["number_causes", "summed_out", "tables_summed_out", "with_several_effects"]


def number_causes(graph: Graph, outcome: str) -> list[str]:
    """The numbers that cause an outcome, effects before causes."""
    causes = graph.ancestors([outcome]) - {outcome}
    return [n for n in reversed(graph.order) if n in causes and n in graph.numeric]


def with_several_effects(graph: Graph, outcome: str) -> list[str]:
    """The numbers that lead to an outcome in more than one way: summed out they would be hidden common causes."""
    causes = graph.ancestors([outcome])
    return [n for n in number_causes(graph, outcome) if len(causes.intersection(graph.children[n])) > 1]


@memory_cache
def summed_out(graph: Graph, outcome: str) -> Graph:
    """The graph in which no number causes the outcome; the law of the outcome under every action is the same.

    Raises no error: `with_several_effects` says for which graphs it is not meant.
    """
    for name in number_causes(graph, outcome):
        (effect,) = graph.ancestors([outcome]).intersection(graph.children[name])
        graph = graph._with(graph.variables, {**graph.parents, effect: _handed_on(graph, name, effect)})
    return graph


def _handed_on(graph: Graph, name: str, effect: str) -> tuple[str, ...]:
    """The parents of an effect, with the parents of one of them in its place, behind the others."""
    others = [p for p in graph.parents[effect] if p != name]
    return tuple(dict.fromkeys([*others, *graph.parents[name]]))


def tables_summed_out(
    graph: Graph, outcome: str, tables: Mapping[str, Floats], numbers: Mapping[str, Outcome]
) -> tuple[dict[str, Floats], dict[str, Outcome]]:
    """The tables and numbers of a model of the graph as those of `summed_out`: a number has one value, so nothing is lost."""
    tables, numbers = dict(tables), dict(numbers)
    for name in number_causes(graph, outcome):
        (effect,) = graph.ancestors([outcome]).intersection(graph.children[name])
        after = _handed_on(graph, name, effect)
        if effect in tables:
            tables[effect] = _wider(tables[effect], graph, name, effect, after, 1)
        if effect in numbers:
            own = numbers[effect]
            mean, spread = (_wider(each, graph, name, effect, after, 0) for each in (own.mean, own.spread))
            numbers[effect] = replace(own, mean=mean, spread=spread)
        graph = graph._with(graph.variables, {**graph.parents, effect: after})
    return tables, numbers


def _wider(array: Floats, graph: Graph, name: str, effect: str, after: tuple[str, ...], behind: int) -> Floats:
    """An array with an axis for each parent of an effect, and so many behind them, for the parents without a number."""
    import numpy as np

    before = graph.parents[effect]
    array = np.squeeze(array, before.index(name) - len(before) - behind)
    lanes = array.ndim - (len(before) - 1) - behind
    first = lanes + len(before) - 1
    array = np.expand_dims(array, tuple(range(first, lanes + len(after))))
    sizes = tuple(graph.size(parent) for parent in after)
    return np.broadcast_to(array, (*array.shape[:lanes], *sizes, *array.shape[lanes + len(after) :])).copy()
