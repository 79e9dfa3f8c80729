"""Opens old data in CSV, Parquet or any data frame that narwhals knows, and finds the column of each variable."""

from __future__ import annotations

import csv
import importlib
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from bestdo.bandit.reading import Reading
from bestdo.causal.graph import Graph
from bestdo.causal.variable import Variable
from bestdo.data.labels import expected_values
from bestdo.data.spreadsheet import clean, lines_of
from bestdo.errors import BestdoError, shown, unknown
from bestdo.files.atomic_io import read_bytes

__all__ = ["Column", "Table", "open_frame", "open_table", "require"]

_CSV = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")
_START = 65_536
"""How many bytes of a file are looked at for its format, encoding, separator and heading."""
_SHOWN = 8
"""The most names of columns or variables that a note lists."""


@dataclass
class Column:
    """A column that holds a variable, and what its values mean."""

    variable: Variable
    name: str
    text: bool
    """Whether the engine has to cast it to text before it can be compared."""
    floats: bool
    """Whether it holds floating-point numbers, and so perhaps NaN."""
    meaning: dict[Any, int]
    """The code of each raw value that may occur; -1 for raw values that stand for a missing one. Empty for a variable that
    is measured in numbers, whose raw values are kept."""
    reading: Reading
    """What a person said about the table."""


@dataclass
class Table:
    """A data frame in any engine, with the columns that hold variables."""

    frame: Any
    """A narwhals DataFrame or LazyFrame."""
    columns: list[Column]
    name: str
    """The name of the file or frame in messages."""
    notes: tuple[str, ...]
    """What a person should know about the columns."""


def require(module: str) -> ModuleType:
    """Imports a library for data frames; an error that says what to install where it is missing."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise BestdoError(f"old data need {module}, which is not installed: pip install 'bestdo[data]'") from None


def open_table(source: object, graph: Graph, reading: Reading | Mapping[str, Any] | None = None) -> Table:
    """Opens a file (by its path) or a data frame of any kind, and finds the column of each observed variable."""
    reading = Reading.of(reading)
    reading.check(graph)
    wanted = [reading.columns.get(n, n) for n in graph.observed]
    frame, name = open_frame(source, wanted, reading.sheet)
    return _table(frame, frame.collect_schema(), name, graph, reading)


def open_frame(source: object, wanted: Sequence[str] = (), sheet: str = "") -> tuple[Any, str]:
    """A file (by its path) or a data frame of any kind as a narwhals frame, and its name for messages.

    `wanted` are columns that a file probably has; its separator is found by them. `sheet` is that of an Excel file.
    """
    nw = require("narwhals")
    if isinstance(source, (str, os.PathLike)):
        name = os.fsdecode(source)
        native = _file(name, wanted, sheet)
    else:
        name, native = f"the {type(source).__module__.partition('.')[0]} frame", source
    try:
        frame = nw.from_native(native)
        frame.collect_schema()
    except TypeError:
        raise BestdoError(
            f"{type(source).__name__} is not a known kind of data frame: give the path of a CSV or Parquet file, or a "
            "frame of pandas, Polars, PyArrow, DuckDB, Dask or PySpark"
        ) from None
    except Exception as error:  # each engine has errors of its own for files that it cannot read
        raise BestdoError(f"{shown(name, 300)} cannot be read: {_first_line(error)}") from None
    if isinstance(frame, nw.DataFrame) and frame.implementation.is_polars():
        frame = frame.lazy()
    return frame, name


def _first_line(error: Exception) -> str:
    """The first line of an error's message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]


def _file(name: str, wanted: Sequence[str], sheet: str) -> Any:
    """A file as a Polars frame: lazy, except for CSV that is not UTF-8, which is read whole."""
    pl = require("polars")
    local = "://" not in name and not any(c in name for c in "*?[")
    if local and not os.path.exists(name):
        raise BestdoError(f"there is no file {shown(name, 300)}")
    lower = name.lower()
    if local and os.path.isdir(name):
        return pl.scan_parquet(os.path.join(name, "**", "*.parquet"))
    start = _start(name) if local else b""
    if start.startswith(b"PAR1") or lower.endswith((".parquet", ".pq")):
        return pl.scan_parquet(name)
    if not lower.endswith(_CSV):
        raise BestdoError(f"{shown(name, 300)}: old data are read from CSV (.csv, .tsv) or Parquet (.parquet)")
    if not _utf8(start):  # saved by a spreadsheet: small enough to be read whole
        heading, *lines = lines_of(name, read_bytes(name), wanted)
        names = [clean(c) for c in heading[1]]
        padded = ([*map(clean, cells), *[""] * len(names)] for _, cells in lines)
        return pl.DataFrame([row[: len(names)] for row in padded], dict.fromkeys(names, pl.String), orient="row")
    separator, skip = _separator(start, wanted)
    return pl.scan_csv(name, infer_schema=False, separator=separator, skip_rows=skip)


def _start(name: str) -> bytes:
    """The first bytes of a file, decompressed where it is compressed with gzip."""
    import gzip

    try:
        with open(name, "rb") as file:
            start = file.read(_START)
        if start.startswith(b"\x1f\x8b"):
            with gzip.open(name, "rb") as packed:
                start = packed.read(_START)
    except (OSError, EOFError) as error:
        raise BestdoError(f"cannot read {shown(name, 300)}: {error}") from None
    return start


def _utf8(start: bytes) -> bool:
    """Whether the complete lines among these bytes are UTF-8."""
    try:
        start[: start.rfind(b"\n") + 1 or len(start)].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in start


def _separator(start: bytes, wanted: Sequence[str]) -> tuple[str, int]:
    """The separator that gives most of the wanted columns, or most columns; and how many lines come before the heading."""
    lines = start.decode("utf-8-sig", errors="replace").splitlines() or [""]
    skip = 1 if lines[0].lower().startswith("sep=") and len(lines) > 1 else 0
    lowered = {w.casefold() for w in wanted}

    def columns_found(separator: str) -> tuple[int, int]:
        heading = next(csv.reader(io.StringIO(lines[skip]), delimiter=separator), [])
        return len({clean(c).casefold() for c in heading} & lowered), len(heading)

    return max(",;\t|", key=columns_found), skip


def _table(frame: Any, schema: Any, name: str, graph: Graph, reading: Reading) -> Table:
    """The table with a column for each observed variable that has one; the reward must have one."""
    renamed = reading.columns
    schema = {c: kind for c, kind in schema.items() if c not in reading.ignore}
    columns, missing = [], []
    for variable in (graph.variable(n) for n in graph.observed):
        wanted = renamed.get(variable.name, variable.name)
        found = [c for c in schema if c == wanted] or [
            c for c in schema if clean(str(c)).casefold() == wanted.casefold()
        ]
        if len(found) == 1:
            columns.append(_column(variable, found[0], schema[found[0]], frame.implementation, reading))
        elif variable.name == graph.reward and variable.name not in renamed and not found:
            listed = ", ".join(shown(c) for c in list(schema)[:12]) or "none"
            raise BestdoError(
                f"{name}: no column for the reward {shown(wanted)} among {listed}; --column {wanted}=NAME says which "
                "(on the command line; columns={…} in Python)"
            )
        elif variable.name in renamed or variable.name == graph.reward:
            raise BestdoError(f"{name}: {unknown('column', wanted, map(str, schema))}")
        else:
            missing.append(variable.name)
    taken = {c.name for c in columns}
    hidden = [c for c in schema if c in graph.hidden]
    extra = [c for c in schema if c not in taken and c not in hidden]
    notes = []
    for names, text in (
        (missing, "no column holds {}: not known in any row"),
        (hidden, "{} is hidden in the graph: the column is not taken"),
        (extra, "not in the graph, and left out: {}"),
    ):
        if names:
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            notes.append(text.format(", ".join(shown(n) for n in names[:_SHOWN]) + more))
    return Table(frame, columns, name, tuple(notes))


def _column(variable: Variable, name: str, dtype: Any, engine: Any, reading: Reading) -> Column:
    """The column of a variable, with the values expected in a column of this type."""
    nw = require("narwhals")
    numbers = dtype.is_numeric() and dtype != nw.Decimal
    truth, labelled, anything = dtype == nw.Boolean, dtype == nw.Categorical, dtype == nw.Object
    plain = (
        dtype == nw.String or numbers or truth or anything or (labelled and (engine.is_polars() or engine.is_pandas()))
    )
    texts = not numbers and not truth
    return Column(
        variable,
        name,
        not plain,
        dtype.is_float(),
        {} if variable.measured else expected_values(variable, texts, numbers or anything, truth or anything, reading),
        reading,
    )
