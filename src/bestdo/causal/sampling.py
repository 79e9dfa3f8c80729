"""Rows drawn from tables under a mix of interventions: columns, causes before effects, no loop over rounds."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph

__all__ = ["sample"]


def sample(
    graph: Graph,
    tables: Mapping[str, NDArray[np.float64]],
    actions: Actions,
    plays: NDArray[np.integer],
    rng: np.random.Generator,
) -> NDArray[np.integer]:
    """A row of values for each play (the number of an action): int8[*shape of plays, V]."""
    plays = np.asarray(plays)
    flat = plays.reshape(-1)
    column = {n: i for i, n in enumerate(graph.names)}
    small = max(len(v.values) for v in graph.variables) <= 127
    rows = np.empty((len(column), flat.size), np.int8 if small else np.int16)  # one variable after the other
    touched = set[str]().union(*actions)
    for name in graph.order:
        drawn = _draw(tables[name], [rows[column[p]] for p in graph.parents[name]], flat.size, rng)
        if name in touched:
            forced = actions.codes[flat, column[name]]
            drawn = np.where(forced < 0, drawn, forced)
        rows[column[name]] = drawn
    return np.ascontiguousarray(rows.T).reshape(*plays.shape, len(column))


def _draw(
    table: NDArray[np.float64], parents: list[NDArray[np.integer]], count: int, rng: np.random.Generator
) -> NDArray[np.integer]:  # int[count]
    """One value for each row: how many of the cumulative probabilities a uniform number exceeds."""
    limits = np.cumsum(table, axis=-1)[..., :-1]  # the last one is 1: never exceeded
    uniform = rng.random(count)
    if not parents:
        return np.searchsorted(limits, uniform, side="right")
    state = np.zeros(count, np.intp)
    for size, values in zip(table.shape, parents, strict=False):
        state = state * size + values
    flat = limits.reshape(-1, limits.shape[-1])
    drawn = np.zeros(count, np.int16)
    for k in range(flat.shape[1]):
        drawn += uniform >= flat[:, k][state]
    return drawn
