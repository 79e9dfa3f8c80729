"""Contexts in a table, a row for each round that is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from bestdo.bandit.problem import Problem
from bestdo.data.frames import columns_of, listed_names, open_frame
from bestdo.errors import BestdoError, shown, unknown

__all__ = ["contexts_in"]


class _ContextTable(NamedTuple):
    """The contexts in a table."""

    contexts: list[dict[str, str]]
    """The contexts, one for each row; unknown values are left out."""
    notes: tuple[str, ...]
    """Notes for a person about the columns."""


def contexts_in(source: object, problem: Problem, columns: Mapping[str, str] | None = None) -> _ContextTable:
    """The contexts in a file (CSV, Excel, Parquet) or a data frame, one in each row; empty cells are not known.

    There is a column for each variable that is seen first; `columns` gives its name where it is not that of the variable.
    """
    called = {**problem.reading.columns, **(columns or {})}
    for name in columns or {}:
        if name not in problem.first:
            raise BestdoError(unknown("variable that is seen first", name, problem.first))
    frame, table = open_frame(source, [called.get(n, n) for n in problem.first])
    names = [str(c) for c in frame.collect_schema().names()]
    taken = {n: _column(n, called.get(n, n), names, table) for n in problem.first}
    extra = [c for c in names if c not in taken.values() and c not in problem.reading.ignore]
    notes = (f"not seen first, and left out: {listed_names(extra)}",) if extra else ()
    frame = frame.select(*dict.fromkeys(taken.values()))
    rows = (frame.collect() if hasattr(frame, "collect") else frame).rows(named=True)
    if not rows:
        raise BestdoError(f"{shown(table, 300)} has no row below the heading, and so asks for no round")
    cells = ({n: _cell(problem, n, row[column]) for n, column in taken.items()} for row in rows)
    return _ContextTable([{n: value for n, value in row.items() if value} for row in cells], notes)


def _column(name: str, called: str, there: list[str], table: str) -> str:
    """The column of a variable."""
    columns = columns_of(called, there)
    if len(columns) == 1:
        return columns[0]
    if columns:
        raise BestdoError(f"{shown(table, 300)}: the columns {listed_names(columns)} could all be {shown(called)}")
    raise BestdoError(
        f"{shown(table, 300)} has no column {shown(called)} among {listed_names(there) or 'none'}; --column {name}=NAME says "
        "how it is called there (in Python, rename it), and an empty column that it is not known"
    )


def _cell(problem: Problem, name: str, cell: object) -> str:
    """The value of a cell; of an empty one the value that the problem says it means, or none."""
    text = "" if cell is None or cell != cell else str(cell).strip()  # NaN is not equal to itself
    return text or problem.reading.value(problem.graph.variable(name), text) or ""
