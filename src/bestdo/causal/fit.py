"""Conditional tables estimated from rows: counts of each variable given its parents, in rounds that did not set it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.causal.model import Model
from bestdo.errors import GraphError, shown

__all__ = ["family_counts", "fitted"]

# Added to every count of a fitted table: the prior of Jeffreys, which keeps probabilities off 0 and 1.
_PRIOR_COUNT = 0.5


def family_counts(
    graph: Graph,
    actions: Actions,
    plays: NDArray[np.integer],
    rows: NDArray[np.integer],
    times: NDArray[np.integer | np.floating] | None = None,
) -> dict[str, Floats]:
    """Counts of each value of each variable with each state of its parents: float[*parents' values, values].

    `plays` (int[R]) are numbers of actions, `rows` (int[R, V]) what was seen, -1 where a value is missing; a row counts
    for a variable when it was not set and neither it nor a parent is missing. `times` (int[R]) is how often each row
    occurred, once when it is not given.
    """
    if actions.graph != graph:
        raise GraphError("the actions belong to another graph")
    place = {n: i for i, n in enumerate(graph.names)}
    counts = {}
    for name in graph.names:
        family = [place[n] for n in (*graph.parents[name], name)]
        free = actions.codes[plays, place[name]] < 0
        whole = free & (rows[:, family] >= 0).all(axis=1)
        complete = rows[whole][:, family]
        sizes = [graph.size(graph.names[i]) for i in family]
        cells = np.ravel_multi_index(tuple(complete.T.astype(np.int64)), sizes)
        often = None if times is None else times[whole]
        counts[name] = np.bincount(cells, often, minlength=int(np.prod(sizes))).reshape(sizes).astype(np.float64)
    return counts


def fitted(
    graph: Graph,
    actions: Actions,
    plays: NDArray[np.integer],
    rows: NDArray[np.integer],
    times: NDArray[np.integer | np.floating] | None = None,
) -> Model:
    """A model whose tables are the rows' frequencies, with 1/2 added to every count (see `family_counts`).

    All variables must be observed.
    """
    if graph.hidden:
        raise GraphError(f"tables cannot be counted where a variable is hidden: {shown(graph.hidden[0])}")
    tables = {}
    for name, counts in family_counts(graph, actions, plays, rows, times).items():
        table = counts + _PRIOR_COUNT
        tables[name] = table / table.sum(axis=-1, keepdims=True)
    return Model(graph, tables)
