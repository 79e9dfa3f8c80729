"""Samples of rows from a model under a mix of interventions, variable by variable, without a Python loop over rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.causal import sampling_kernels
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.errors import ActionError

__all__ = ["Columns", "columns", "sample", "sample_given"]


class Columns(NamedTuple):
    """The tables of a model as flat arrays, for sampling: one entry per variable, causes before effects."""

    place: Ints
    """int[V]: each variable's position among the graph's variables."""
    parents: Ints
    """int[V + 1]: where each variable's parents start in `parent` and `stride`."""
    parent: Ints
    """int[E]: the position of each parent among the graph's variables."""
    stride: Ints
    """int[E]: by how much one more of the parent's code moves the row of the table in `limits`."""
    start: Ints
    """int[V]: where each variable's table starts in `limits`."""
    limits: Floats
    """Cumulative probabilities of all tables, without the last of each row, which is 1."""
    values: Ints
    """int[V]: how many values each variable has."""


def columns(graph: Graph, tables: Mapping[str, Floats]) -> Columns:
    """The tables of a model, flattened."""
    place = {n: i for i, n in enumerate(graph.names)}
    parents, parent, stride, start = [0], list[int](), list[int](), list[int]()
    limits: list[Floats] = []
    for name in graph.order:
        table = tables[name]
        start.append(start[-1] + limits[-1].size if limits else 0)
        limits.append(np.cumsum(table, axis=-1)[..., :-1].reshape(-1))
        parent += [place[p] for p in graph.parents[name]]
        stride += [int(np.prod(table.shape[i + 1 : -1])) * (table.shape[-1] - 1) for i in range(table.ndim - 1)]
        parents.append(len(parent))
    order, values = [place[n] for n in graph.order], [graph.size(n) for n in graph.order]
    one, two, three, four, five, six = (
        np.array(part, np.int64) for part in (order, parents, parent, stride, start, values)
    )
    return Columns(one, two, three, four, five, np.concatenate(limits), six)


_SAME = np.zeros(0, np.int64)  # no shift: all plays share the same tables


def sample(
    model: Columns, actions: Actions, plays: NDArray[np.integer], rng: np.random.Generator, shift: Ints = _SAME
) -> NDArray[np.integer]:
    """A sampled row of values for each play (the number of an action): int8[*shape of plays, V].

    `shift` (int[R]), where plays have tables of their own, says for each play how far behind the first its tables start.
    """
    plays = np.asarray(plays)
    if not np.issubdtype(plays.dtype, np.integer):
        raise ActionError(f"plays are numbers of actions, not {plays.dtype}")
    if plays.size and not 0 <= plays.min() <= plays.max() < len(actions):
        raise ActionError(f"plays are numbers of actions, 0 to {len(actions) - 1}, not {plays.min()} to {plays.max()}")
    rows = _draw(model, actions.codes, np.ascontiguousarray(plays.reshape(-1), np.int64), rng, shift)
    return rows.reshape(*plays.shape, len(model.place))


def sample_given(
    model: Columns, codes: NDArray[np.integer], rng: np.random.Generator, shift: Ints = _SAME
) -> NDArray[np.integer]:  # int[R, V]
    """A sampled row for each row of codes (int[R, V]): variables are set to their codes, and drawn where these are -1."""
    return _draw(model, np.ascontiguousarray(codes, np.int16), np.arange(len(codes)), rng, shift)


def _draw(
    model: Columns, codes: NDArray[np.int16], plays: Ints, rng: np.random.Generator, shift: Ints
) -> NDArray[np.integer]:  # int[R, V]
    """A sampled row for each play, the number of a row of codes."""
    rows = np.empty((plays.size, len(model.place)), np.int8 if model.values.max() <= 127 else np.int16)
    seed = int(rng.integers(0, 2**64, dtype=np.uint64))
    sampling_kernels.draw_rows(model, codes, plays, shift, seed, rows)
    return rows
