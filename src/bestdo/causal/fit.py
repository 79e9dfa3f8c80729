"""Tables from rows: what was seen of each variable given its parents, in the rounds that did not set it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.causal.model import Model
from bestdo.errors import GraphError, shown

__all__ = ["fitted"]


def fitted(
    graph: Graph, actions: Actions, plays: NDArray[np.integer], rows: NDArray[np.integer], prior: float = 0.5
) -> Model:
    """A model whose tables are the rows' frequencies, with `prior` added to every count.

    `plays` (int[R]) are numbers of actions, `rows` (int[R, V]) what was seen, -1 where a value is missing; a row counts
    for a variable when it was not set and neither it nor a parent is missing. All variables must be observed.
    """
    if actions.graph != graph:
        raise GraphError("the actions belong to another graph")
    if graph.hidden:
        raise GraphError(f"tables cannot be counted where a variable is hidden: {shown(graph.hidden[0])}")
    place = {n: i for i, n in enumerate(graph.names)}
    tables = {}
    for name in graph.names:
        family = [place[n] for n in (*graph.parents[name], name)]
        free = actions.codes[plays, place[name]] < 0
        seen = rows[free & (rows[:, family] >= 0).all(axis=1)][:, family]
        sizes = [graph.size(graph.names[i]) for i in family]
        counts = np.bincount(np.ravel_multi_index(tuple(seen.T), sizes), minlength=int(np.prod(sizes)))
        table = counts.reshape(sizes) + prior
        tables[name] = table / table.sum(axis=-1, keepdims=True)
    return Model(graph, tables)
