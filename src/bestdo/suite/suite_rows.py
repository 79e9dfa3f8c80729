"""The rows of results of the suite, and their files: one row for each world, learner and horizon."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bestdo.errors import BestdoError, shown

__all__ = ["COST_COLUMNS", "Cost", "SuiteRow", "read_costs", "read_rows", "table_bytes"]


class SuiteRow(NamedTuple):
    """The result of a learner in a world at a horizon, or why it does not play there."""

    world: str
    version: int
    kind: str
    goal: str
    learner: str
    """Its name in the registry, or `module:Class`."""
    title: str
    horizon: float
    measure: str
    """"regret" or "summed regret"."""
    regret: float | None
    """The mean over all simulations; None where the learner does not play."""
    standard_error: float | None
    best_chance: float | None
    """How often the best action is kept; None where the goal is to earn."""
    simulations: int
    refused: str = ""
    """Why the learner does not play here; empty where it does."""


class Cost(NamedTuple):
    """What the simulations of a learner in a world at a horizon cost."""

    world: str
    version: int
    learner: str
    horizon: float
    simulations: int
    cpu_seconds: float
    """Of one simulation, with all lanes of a chunk played together."""


COST_COLUMNS = Cost._fields
_NUMBERS: Mapping[str, Any] = {
    "version": int,
    "horizon": float,
    "regret": float,
    "standard_error": float,
    "best_chance": float,
    "simulations": int,
    "cpu_seconds": float,
}


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
    found = csv.reader(io.StringIO(text, newline=""))
    heading = next(found, [])
    if tuple(heading) != tuple(columns):
        raise BestdoError(f"{path}, line 1: the columns are {shown(','.join(heading), 200)}, not {','.join(columns)}")
    rows = []
    for row in found:
        try:
            rows.append({name: _value(name, text) for name, text in zip(columns, row, strict=True)})
        except ValueError as error:
            raise BestdoError(f"{path}, line {found.line_num}: {error}") from None
    return rows


def _value(name: str, text: str) -> Any:
    """The value of a cell; None where a number is missing."""
    if name not in _NUMBERS:
        return text
    return _NUMBERS[name](text) if text else None
