"""Tables next to hidden variables, given what was seen: by Gibbs sampling, in many chains at once.

Data augmentation (Tanner & Wong 1987): the hidden values of all rounds are drawn given the tables, then the tables given
all values, in turn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Rounds
from bestdo.errors import TooLarge

__all__ = ["completed", "dirichlet"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_CELLS = 20_000  # different rounds × states of the hidden variables
_TINY = 1e-300


def dirichlet(weights: Floats, rng: np.random.Generator) -> Floats:
    """Rows drawn with these parameters, along the last axis."""
    drawn = np.maximum(rng.standard_gamma(weights), _TINY)  # weights near 0 underflow
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def completed(
    problem: Problem,
    weights: Mapping[str, Floats],
    known: Mapping[str, Floats],
    seen: Sequence[Rounds],
    chains: int = 256,
    sweeps: int = 100,
) -> dict[str, Floats]:
    """The parameters of every table next to a hidden variable, with the hidden values filled in: float[chains, …].

    Each chain starts from tables of its own. `known` tables are kept. Rounds in which another value is missing say
    nothing about what is hidden.
    """
    graph = problem.graph
    action, x, times = _together(problem, seen)
    states = math.prod(graph.size(n) for n in graph.hidden)
    if len(x) * states > _MOST_CELLS:
        raise TooLarge(
            f"{len(x):,} different rounds and {states:,} states of the hidden variables are too many to be filled in; at "
            f"most {_MOST_CELLS:,} are, multiplied"
        )
    near = [n for n in graph.names if n in graph.hidden or set(graph.parents[n]) & set(graph.hidden)]
    cells = {n: _cells(problem, n, x) for n in near}  # int[R, K]
    free = {n: problem.actions.codes[action, graph.names.index(n)] < 0 for n in near}  # bool[R]
    rng = np.random.default_rng(0)
    begin = {n: np.broadcast_to(weights[n], (chains, *weights[n].shape)) for n in near if n in weights}
    now = dict(begin)
    for _ in range(sweeps):
        tables = {n: dirichlet(now[n], rng) if n in now else known[n][None] for n in near}
        chance = _chances(tables, cells, free)  # float[M, R, K]
        counts = rng.multinomial(times, chance).astype(np.float64)
        now = {n: begin[n] + _counted(counts, cells[n], free[n], weights[n].shape) for n in begin}
    return now


def _together(problem: Problem, seen: Sequence[Rounds]) -> tuple[Ints, Ints, Ints]:
    """The different rounds in which all that can be seen was: action, values and how often."""
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
    """Where each round falls in a variable's table, flat, for every state of the hidden variables."""
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
    """How likely each state of the hidden variables is in each round, given the tables of each chain."""
    logs: Floats | float = 0.0
    for name, table in tables.items():
        with np.errstate(divide="ignore"):
            flat = np.log(table).reshape(len(table), -1)
        logs = logs + np.where(free[name][:, None], flat[:, cells[name]], 0.0)
    assert isinstance(logs, np.ndarray)
    chance = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(chance / chance.sum(axis=-1, keepdims=True))


def _counted(counts: Floats, cells: Ints, free: NDArray[np.bool_], shape: tuple[int, ...]) -> Floats:
    """The counts of a variable's table, with the hidden values filled in: float[M, *shape]."""
    into = np.zeros((cells.size, math.prod(shape)))
    into[np.arange(cells.size), cells.reshape(-1)] = np.repeat(free, cells.shape[1])
    return (counts.reshape(len(counts), -1) @ into).reshape(len(counts), *shape)
