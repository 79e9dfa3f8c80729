"""The rows of results of the suite, and their files: one row for each world, learner and horizon."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bestdo.bandit.goal import GOALS
from bestdo.errors import BestdoError, shown, unknown
from bestdo.text import counted

__all__ = ["Cost", "SuiteRow", "read_costs", "read_rows", "table_bytes"]


class SuiteRow(NamedTuple):
    """The result of a learner in a world at a horizon, or why it does not play there."""

    world: str
    version: int
    kind: str
    goal: str
    learner: str
    """The learner's name in the registry, or `module:Class`."""
    title: str
    horizon: float
    measure: str
    """"regret" or "summed regret"."""
    regret: float | None
    """The mean over all simulations; None where the learner does not play."""
    standard_error: float | None
    best_chance: float | None
    """The share of simulations that end with the best action; None where the goal is to earn."""
    simulations: int
    refused: str = ""
    """The reason why the learner does not play here; empty where it does."""


class Cost(NamedTuple):
    """The processor time and memory of the simulations of a learner in a world at a horizon."""

    world: str
    version: int
    learner: str
    horizon: float
    simulations: int
    cpu_seconds: float
    """Seconds of one simulation, with all lanes of a chunk played together."""


_NUMBERS: Mapping[str, Any] = {
    "version": int,
    "horizon": float,
    "regret": float,
    "standard_error": float,
    "best_chance": float,
    "simulations": int,
    "cpu_seconds": float,
}
_MAY_BE_EMPTY = ("regret", "standard_error", "best_chance")
_WORDS: Mapping[str, Sequence[str]] = {"goal": GOALS, "measure": ("regret", "summed regret")}
"""The words that a column may have."""


def table_bytes(columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> bytes:
    """A table as CSV; the same rows give the same bytes."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if value is None else _text(value) for value in row] for row in rows)
    return text.getvalue().encode()


def _text(value: Any) -> str:
    """A value as it is written: 5000 for 5000.0."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def read_rows(path: Path) -> list[SuiteRow]:
    """The rows of a file of results."""
    return [SuiteRow(**row) for row in _read(path, SuiteRow._fields)]


def read_costs(path: Path) -> list[Cost]:
    """The rows of a file of costs."""
    return [Cost(**row) for row in _read(path, Cost._fields)]


def _read(path: Path, columns: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a CSV file with these columns, plain or compressed (.gz), by column."""
    try:
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, ValueError, EOFError) as error:
        raise BestdoError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    lines = csv.reader(io.StringIO(text, newline=""))
    heading = next(lines, [])
    if tuple(heading) != tuple(columns):
        raise BestdoError(
            f"{path}, line 1: the columns are {shown(','.join(heading), 200)}, not {','.join(columns)}; it is another table, "
            "or that of another version of bestdo: run bestdo suite run again"
        )
    rows = []
    try:
        for row in lines:
            if len(row) != len(columns):
                raise ValueError(f"{counted(len(row), 'value')} for {len(columns)} columns")
            rows.append({name: _value(name, text) for name, text in zip(columns, row, strict=True)})
    except (ValueError, csv.Error) as error:
        raise BestdoError(f"{path}, line {lines.line_num}: {error}") from None
    return rows


def _value(name: str, text: str) -> Any:
    """The value of a cell; None where a number is missing that may be. Raises ValueError where it is none of the column."""
    if name in _WORDS and text not in _WORDS[name]:
        raise ValueError(unknown(name, text, _WORDS[name]))
    if name not in _NUMBERS:
        return text
    if not text and name in _MAY_BE_EMPTY:
        return None
    try:
        number = _NUMBERS[name](text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        whole = "whole " if _NUMBERS[name] is int else ""
        raise ValueError(f"{name} is {shown(text)}, not a {whole}number")
    return number
