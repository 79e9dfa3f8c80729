"""Old data from CSV, Parquet or any data frame that narwhals knows: which column is which variable."""

from __future__ import annotations

import csv
import importlib
import io
import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from bestdo.causal.graph import Graph
from bestdo.causal.variable import Variable
from bestdo.data.labels import expected
from bestdo.data.spreadsheet import clean, lines_of
from bestdo.errors import BestdoError, shown, unknown
from bestdo.files.atomic_io import read_bytes

__all__ = ["Column", "Table", "opened"]

_CSV = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz")
_START = 65_536


@dataclass
class Column:
    """A column that holds a variable, and what its values mean."""

    variable: Variable
    name: str
    text: bool
    """Whether the engine has to make text of it before it can be compared."""
    floats: bool
    meaning: dict[Any, int]
    """For each value that may stand there its code; -1 where it says that nothing is known."""


@dataclass
class Table:
    """A data frame in somebody's engine, with the columns that are taken."""

    frame: Any
    """A narwhals DataFrame or LazyFrame."""
    columns: list[Column]
    name: str
    """As it is called in messages."""
    notes: tuple[str, ...]


def needed(module: str) -> ModuleType:
    """A library for data frames; or one sentence about what to install."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise BestdoError(f"old data need {module}, which is not installed: pip install 'bestdo[data]'") from None


def opened(source: object, graph: Graph, columns: Mapping[str, str] | None = None) -> Table:
    """A path, or a data frame of any kind; `columns` says for a variable how its column is called, if not alike.

    Nothing is read yet but the heading.
    """
    nw = needed("narwhals")
    if isinstance(source, (str, os.PathLike)):
        name = os.fsdecode(source)
        native = _file(name, graph, columns or {})
    else:
        name, native = f"the {type(source).__module__.partition('.')[0]} frame", source
    try:
        frame = nw.from_native(native)
        schema = frame.collect_schema()
    except TypeError:
        raise BestdoError(
            f"{type(source).__name__} is no data frame that is known here: give the path of a CSV or Parquet file, or a "
            "frame of pandas, Polars, PyArrow, DuckDB, Dask or PySpark"
        ) from None
    except Exception as error:  # each engine has errors of its own for files that it cannot read
        raise BestdoError(f"{shown(name, 300)} cannot be read: {_first_line(error)}") from None
    if isinstance(frame, nw.DataFrame) and frame.implementation.is_polars():
        frame = frame.lazy()
    return _table(frame, schema, name, graph, columns or {})


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]


def _file(name: str, graph: Graph, columns: Mapping[str, str]) -> Any:
    pl = needed("polars")
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
    wanted = [columns.get(n, n) for n in graph.observed]
    if not _utf8(start):  # as spreadsheets save it: small enough to be read whole
        heading, *lines = lines_of(name, read_bytes(name), wanted)
        names = [clean(c) for c in heading[1]]
        padded = ([*map(clean, cells), *[""] * len(names)] for _, cells in lines)
        return pl.DataFrame([row[: len(names)] for row in padded], dict.fromkeys(names, pl.String), orient="row")
    separator, skip = _separator(start, wanted)
    return pl.scan_csv(name, infer_schema=False, separator=separator, skip_rows=skip)


def _start(name: str) -> bytes:
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
    try:
        start[: start.rfind(b"\n") + 1 or len(start)].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in start


def _separator(start: bytes, wanted: list[str]) -> tuple[str, int]:
    """The separator that finds most of the wanted columns in the heading; and how many lines come before it."""
    lines = start.decode("utf-8-sig", errors="replace").splitlines() or [""]
    skip = 1 if lines[0].lower().startswith("sep=") and len(lines) > 1 else 0
    folded = {w.casefold() for w in wanted}

    def found(separator: str) -> int:
        heading = next(csv.reader(io.StringIO(lines[skip]), delimiter=separator), [])
        return len({clean(c).casefold() for c in heading} & folded)

    return max(",;\t|", key=found), skip


def _table(frame: Any, schema: Any, name: str, graph: Graph, renamed: Mapping[str, str]) -> Table:
    for known in renamed:
        if known not in graph.observed:
            raise BestdoError(unknown("variable", known, graph.observed))
    columns, missing = [], []
    for variable in (graph.variable(n) for n in graph.observed):
        wanted = renamed.get(variable.name, variable.name)
        found = [c for c in schema if c == wanted] or [
            c for c in schema if clean(str(c)).casefold() == wanted.casefold()
        ]
        if len(found) == 1:
            columns.append(_column(variable, found[0], schema[found[0]], frame.implementation))
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
            listed = ", ".join(shown(n) for n in names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
            notes.append(text.format(listed))
    return Table(frame, columns, name, tuple(notes))


def _column(variable: Variable, name: str, dtype: Any, engine: Any) -> Column:
    nw = needed("narwhals")
    numbers = dtype.is_numeric() and dtype != nw.Decimal
    truth, labelled, anything = dtype == nw.Boolean, dtype == nw.Categorical, dtype == nw.Object
    plain = (
        dtype == nw.String or numbers or truth or anything or (labelled and (engine.is_polars() or engine.is_pandas()))
    )
    texts = not numbers and not truth
    return Column(
        variable, name, not plain, dtype.is_float(), expected(variable, texts, numbers or anything, truth or anything)
    )
