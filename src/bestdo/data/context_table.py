"""Contexts in a table, a row for each round that is asked for."""

from __future__ import annotations

from bestdo.bandit.problem import Problem
from bestdo.data.frames import open_frame
from bestdo.errors import BestdoError, shown

__all__ = ["contexts_in"]


def contexts_in(source: object, problem: Problem) -> list[dict[str, str]]:
    """The contexts in a file (CSV, Excel, Parquet) or a data frame, one in each row; empty cells are not known."""
    frame, name = open_frame(source, problem.first)
    columns = [n for n in problem.first if n in frame.collect_schema().names()]
    if not columns:
        raise BestdoError(
            f"{shown(name, 300)} has no column of what is seen first: {', '.join(map(shown, problem.first))}"
        )
    frame = frame.select(*columns)
    rows = (frame.collect() if hasattr(frame, "collect") else frame).rows(named=True)
    return [{n: value for n, v in row.items() if (value := _cell(problem, n, v))} for row in rows]


def _cell(problem: Problem, name: str, cell: object) -> str:
    """What stands in a cell; in an empty one what the problem says that it means, or nothing."""
    text = "" if cell is None else str(cell).strip()
    return text or problem.reading.value(problem.graph.variable(name), text) or ""
