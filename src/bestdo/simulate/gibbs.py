"""Gibbs sampling of the tables next to hidden variables, given rounds that were seen; many chains at once.

Data augmentation (Tanner & Wong 1987): the hidden values of all rounds are drawn given the tables, then the tables given
all values, in turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.errors import TooLarge

__all__ = ["gibbs_counts"]


_MOST_CELLS = 20_000
"""The most different rounds × states of the hidden variables. Limits time and memory: a sweep holds one number for each
cell and chain, 40 MB for 256 chains. Not measured."""
_CHAINS = 256
"""The number of chains, so of different sets of parameters that the worlds of a rehearsal have. More chains take more time
and memory. Not measured."""
_SWEEPS = 100
"""The number of times that each chain draws all hidden values and tables. More forget the start better and take longer. Not
measured; that the result agrees with exact posteriors is tested in tests/simulate/test_prior.py."""
_Draw = Callable[[str, Floats | None, int, np.random.Generator], Floats]
"""Draws the table of a variable for each of so many lanes, given the counts of each (float[L, …]); None: nothing counted."""


def gibbs_counts(
    problem: Problem,
    draw: _Draw,
    known: Mapping[str, Floats],
    seen: Sequence[Rounds],
    chains: int = _CHAINS,
    sweeps: int = _SWEEPS,
) -> dict[str, Floats]:
    """The counts for every table next to a hidden variable after the last sweep: float[chains, …].

    Hidden values are drawn by Gibbs sampling. Each chain starts from tables that are drawn before anything was seen.
    `known` tables are not drawn. Rounds in which another value is missing are left out.
    """
    graph = problem.graph
    action, x, times = _distinct_rounds(problem, seen)
    states = math.prod(graph.size(n) for n in graph.hidden)
    if len(x) * states > _MOST_CELLS:
        raise TooLarge(
            f"{len(x):,} different rounds times {states:,} states of the hidden variables are too many to draw the hidden "
            f"values; at most {_MOST_CELLS:,} are possible"
        )
    near = [n for n in graph.names if n in graph.hidden or set(graph.parents[n]) & set(graph.hidden)]
    cells = {n: _cells(problem, n, x) for n in near}  # int[R, K]
    free = {n: problem.actions.codes[action, graph.names.index(n)] < 0 for n in near}  # bool[R]
    rng = np.random.default_rng(0)
    shapes = {n: tuple(graph.size(m) for m in (*graph.parents[n], n)) for n in near if n not in known}
    table_counts: dict[str, Floats] = {}
    for _ in range(sweeps):
        tables = {n: draw(n, table_counts.get(n), chains, rng) if n in shapes else known[n][None] for n in near}
        chance = _chances(tables, cells, free)  # float[M, R, K]
        counts = rng.multinomial(times, chance).astype(np.float64)
        table_counts = {n: _table_counts(counts, cells[n], free[n], shape) for n, shape in shapes.items()}
    return table_counts


def _distinct_rounds(problem: Problem, seen: Sequence[Rounds]) -> tuple[Ints, Ints, Ints]:
    """The action, the values and the number of each distinct round, of those without missing values."""
    observed = [i for i, n in enumerate(problem.graph.names) if n not in problem.graph.hidden]
    rows = []
    for part in seen:
        times = np.ones(len(part.action), np.int64) if part.times is None else part.times
        rows.append(np.column_stack([part.action, part.x.astype(np.int64), times]))
    table = np.concatenate(rows)
    table = table[(table[:, 1:-1][:, observed] >= 0).all(axis=1)]
    different, where = np.unique(table[:, :-1], axis=0, return_inverse=True)
    often = np.bincount(where.reshape(-1), table[:, -1], minlength=len(different))
    return different[:, 0], different[:, 1:], often.astype(np.int64)


def _cells(problem: Problem, name: str, x: Ints) -> Ints:  # int[R, K]
    """The flat index into a variable's table of each round, for every state of the hidden variables."""
    graph = problem.graph
    sizes = [graph.size(n) for n in graph.hidden]
    states = np.indices(sizes).reshape(len(sizes), -1)  # int[H, K]
    cell = np.zeros((len(x), states.shape[1]), np.int64)
    for axis in (*graph.parents[name], name):
        if axis in graph.hidden:
            values = np.broadcast_to(states[graph.hidden.index(axis)], cell.shape)
        else:
            values = np.broadcast_to(x[:, graph.names.index(axis), None], cell.shape)
        cell = cell * graph.size(axis) + values
    return cell


def _chances(
    tables: Mapping[str, Floats], cells: Mapping[str, Ints], free: Mapping[str, NDArray[np.bool_]]
) -> Floats:  # float[M, R, K]
    """The probability of each state of the hidden variables in each round, given the tables of each chain."""
    logs: Floats | float = 0.0
    for name, table in tables.items():
        with np.errstate(divide="ignore"):
            flat = np.log(table).reshape(len(table), -1)
        logs = logs + np.where(free[name][:, None], flat[:, cells[name]], 0.0)
    assert isinstance(logs, np.ndarray)
    chance = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(chance / chance.sum(axis=-1, keepdims=True))


def _table_counts(counts: Floats, cells: Ints, free: NDArray[np.bool_], shape: tuple[int, ...]) -> Floats:
    """The counts of each cell of a variable's table, from the counts of hidden states by round: float[M, *shape]."""
    into = np.zeros((cells.size, math.prod(shape)))
    into[np.arange(cells.size), cells.reshape(-1)] = np.repeat(free, cells.shape[1])
    return (counts.reshape(len(counts), -1) @ into).reshape(len(counts), *shape)
