"""Reads graphs that are matrices: 0 and 1 (gCastle and others), or causal-learn's marks at the ends of lines.

Of 0 and 1, 1 in row i and column j is the arrow i -> j, and 1 in both is a line without a direction, as of a CPDAG.
causal-learn has in row i and column j the mark at i of the line between i and j: -1 a tail, 1 an arrowhead, 2 a circle, that
is an end that is not known; so i -> j is -1 there, and 1 in row j and column i. Lines and circles are read as doubts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.doubt_kinds import LINES
from bestdo.causal.graph import Graph, Variable
from bestdo.errors import BestdoError, GraphError, shown
from bestdo.files.declarations import PAG_NOTE

__all__ = ["graph_of_matrix", "is_matrix"]

_TAIL, _HEAD, _CIRCLE = -1, 1, 2
_LINES = {(_TAIL, _TAIL): "--", (_CIRCLE, _CIRCLE): "@-@", (_CIRCLE, _HEAD): "@->", (_CIRCLE, _TAIL): "o--"}
_MOST_SHOWN = 8
"""The most pairs that a message lists."""


def is_matrix(thing: Any) -> bool:
    """Whether this is an array, a table of pandas or polars, a list of rows, or a graph or learner that holds a matrix."""
    libraries = _libraries(thing)
    return isinstance(thing, list | tuple | np.ndarray) or bool(
        libraries & {"pandas", "polars", "causallearn", "castle"}
    )


def graph_of_matrix(
    thing: Any, names: Sequence[str] | None
) -> tuple[Graph, list[tuple[str, str, str, float | None]], tuple[str, ...]]:
    """The sure arrows of a matrix, its doubts, and notes; `names` are those of its rows, where it has none of its own."""
    values, own = _values_and_names(thing)
    called = _names(values, own if names is None else [str(name) for name in names])
    lines = list(_lines_by_ends(values, called) if _by_ends(values) else _lines(values, called))
    circles = any("@" in mark for mark, _, _ in lines)
    known = ("->", "<->", "@->", "@-@") if circles else ("->", "<->", "--")
    undecided = [f"{a} {mark} {b}" for mark, a, b in lines if mark not in known]
    if undecided:
        more = f" and {len(undecided) - _MOST_SHOWN} more" if len(undecided) > _MOST_SHOWN else ""
        raise GraphError(
            f"lines that do not say which is the cause: {', '.join(undecided[:_MOST_SHOWN])}{more}; decide each of them, by "
            "what is known or by an experiment, and set it in the matrix"
        )
    variables = [Variable(name) for name in called]
    directed = [(a, b) for mark, a, b in lines if mark == "->"]
    graph = Graph.of(variables, directed, [(a, b) for mark, a, b in lines if mark == "<->"])
    doubts: list[tuple[str, str, str, float | None]] = [(a, mark, b, None) for mark, a, b in lines if mark in LINES]
    return graph, doubts, (PAG_NOTE,) if circles else ()


def _libraries(thing: Any) -> set[str]:
    """The libraries in which the type of a thing, and those it is derived from, are defined."""
    return {kind.__module__.split(".")[0].lower() for kind in type(thing).__mro__}


def _values_and_names(thing: Any) -> tuple[NDArray[Any], list[str] | None]:
    """The numbers of a matrix, and the names of its columns where it has some."""
    libraries = _libraries(thing)
    if "causallearn" in libraries:
        graph = getattr(thing, "G", thing)  # a CausalGraph holds its GeneralGraph
        return np.asarray(graph.graph), [str(name) for name in graph.get_node_names()]
    if "castle" in libraries and hasattr(thing, "causal_matrix"):
        return _values_and_names(thing.causal_matrix)
    names: list[str] | None = None
    columns = getattr(thing, "columns", None)
    if columns is not None:
        names = [str(name) for name in columns]
        rows = [str(name) for name in getattr(thing, "index", names)]
        if rows not in (names, [str(i) for i in range(len(rows))]):
            wrong = next(
                (i for i, (a, b) in enumerate(zip(rows, names, strict=False)) if a != b), min(len(rows), len(names))
            )
            raise GraphError(
                f"rows and columns must have the same names in the same order; row {wrong + 1} is "
                f"{shown(rows[wrong] if wrong < len(rows) else 'missing')}, column {wrong + 1} "
                f"{shown(names[wrong] if wrong < len(names) else 'missing')}"
            )
    try:
        return np.asarray(thing.to_numpy() if hasattr(thing, "to_numpy") else thing), names
    except ValueError:
        raise GraphError("the rows of a matrix must all have the same length") from None


def _names(values: NDArray[Any], names: list[str] | None) -> list[str]:
    """The names of rows and columns, checked, of a matrix that is checked to be square."""
    if values.ndim != 2 or values.shape[0] != values.shape[1] or not values.size:
        size = " x ".join(map(str, values.shape)) or "a single number"
        raise GraphError(f"the matrix of a graph has as many rows as columns; this one is {size}")
    if values.dtype.kind not in "biuf":
        raise GraphError("the matrix of a graph holds numbers; this one holds text or objects")
    if names is None:
        raise BestdoError(
            'this matrix has no names: give names=["a", "b", …], or a table of pandas with the names of columns'
        )
    if len(names) != len(values):
        raise GraphError(f"{len(names)} names for a matrix of {len(values)} rows")
    return names


def _by_ends(values: NDArray[Any]) -> bool:
    """Whether a matrix has causal-learn's marks at the ends of lines."""
    return bool(np.isin(values, (_TAIL, 0, _HEAD, _CIRCLE)).all() and np.isin(values, (_TAIL, _CIRCLE)).any())


def _lines(values: NDArray[Any], names: list[str]) -> Iterator[tuple[str, str, str]]:
    """The arrows of a matrix of 0 and 1; a pair with 1 both ways is a line without direction."""
    for i, j in np.argwhere(values != 0):
        where = f"row {i + 1} ({shown(names[i])}), column {j + 1} ({shown(names[j])})"
        if values[i, j] != 1:
            raise GraphError(
                f"{where} is {values[i, j]:g}; the matrix of a graph holds 0 and 1, where 1 says that the row causes the "
                "column, or causal-learn's marks -1, 0, 1 and 2: of weights W give abs(W) > 0.3, say, transposed where "
                "columns are causes"
            )
        if i == j:
            raise GraphError(f"{where} is 1: a variable cannot cause itself")
        if values[j, i] == 0:
            yield "->", names[i], names[j]
        elif i < j:
            yield "--", names[i], names[j]


def _lines_by_ends(values: NDArray[Any], names: list[str]) -> Iterator[tuple[str, str, str]]:
    """The lines of a matrix with causal-learn's marks at their ends."""
    for i, j in np.argwhere((values != 0) | (values.T != 0)):
        at, other = int(values[i, j]), int(values[j, i])
        where = f"row {i + 1} ({shown(names[i])}), column {j + 1} ({shown(names[j])})"
        if i == j:
            raise GraphError(f"{where} is {at}: a variable cannot cause itself")
        if not at or not other:
            raise GraphError(f"{where} is {at}, but the other way round {other}: a line has a mark at both ends")
        if (at, other) == (_TAIL, _HEAD):
            yield "->", names[i], names[j]
        elif (at, other) == (_HEAD, _HEAD):
            if i < j:
                yield "<->", names[i], names[j]
        elif (at, other) in _LINES and (i < j or at != other):
            yield _LINES[at, other], names[i], names[j]
