"""Opens old data in files or any data frame that narwhals knows, and finds the column of each variable."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bestdo.bandit.reading import Reading
from bestdo.causal.graph import Graph
from bestdo.causal.variable import Variable
from bestdo.data.experiment_column import refuse_experiment
from bestdo.data.labels import expected_values
from bestdo.data.optional_libraries import for_data
from bestdo.data.spreadsheet import clean
from bestdo.data.table_files import LINE, open_file
from bestdo.errors import BestdoError, shown, unknown

__all__ = ["Column", "Table", "columns_of", "listed_names", "open_frame", "open_table", "open_watched"]

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
    """The reading of the table that a person asked for."""


@dataclass
class Table:
    """A data frame in any engine, with the columns that hold variables."""

    frame: Any
    """A narwhals DataFrame or LazyFrame."""
    columns: list[Column]
    name: str
    """The name of the file or frame in messages."""
    notes: tuple[str, ...]
    """Notes for a person about the columns."""
    unused: tuple[str, ...] = ()
    """The columns that no variable takes, but for those that are left out on purpose."""


def open_table(source: object, graph: Graph, reading: Reading | Mapping[str, Any] | None = None) -> Table:
    """Opens a file (by its path) or a data frame of any kind, and finds the column of each observed variable."""
    reading = Reading.of(reading)
    reading.check(graph)
    wanted = [reading.columns.get(n, n) for n in graph.observed]
    frame, name, notes = _opened(source, reading, wanted)
    return _table(frame, frame.collect_schema(), name, graph, reading, notes)


def open_frame(source: object, wanted: Sequence[str] = (), sheet: str = "") -> tuple[Any, str]:
    """A file (by its path) or a data frame of any kind as a narwhals frame, and its name for messages.

    `wanted` are columns that a file probably has; its heading and separator are found by them. `sheet` is that of an Excel
    file.
    """
    frame, name, _ = _opened(source, Reading(sheet=sheet), wanted)
    return frame.drop(LINE, strict=False), name


def open_watched(source: object, reading: Reading, wanted: Sequence[str] = ()) -> tuple[Any, str]:
    """The frame of rows in which nobody set anything; raises an error where a column says that somebody did."""
    frame, name, _ = _opened(source, reading, wanted)
    names = [c for c in frame.collect_schema() if c != LINE]
    apart = [c for known in (*wanted, *reading.columns.values(), *reading.ignore) for c in columns_of(known, names)]
    refuse_experiment(frame, [c for c in names if c not in apart], name)
    return frame.drop(LINE, strict=False), name


def _opened(source: object, reading: Reading, wanted: Sequence[str]) -> tuple[Any, str, list[str]]:
    """A file or a data frame as a narwhals frame, its name for messages, and notes on how a file was read."""
    nw = for_data("narwhals")
    notes: list[str] = []
    if isinstance(source, (str, os.PathLike)):
        name = os.fsdecode(source)
        native, notes = open_file(name, reading, wanted)
    else:
        name, native = f"the {type(source).__module__.partition('.')[0]} frame", source
    try:
        frame = nw.from_native(native)
        frame.collect_schema()
    except TypeError:
        raise BestdoError(
            f"{type(source).__name__} is not a known kind of data frame: give the path of a CSV, Excel or Parquet file, or a "
            "frame of pandas, Polars, PyArrow, DuckDB, Dask or PySpark"
        ) from None
    except Exception as error:  # each engine has errors of its own for files that it cannot read
        raise BestdoError(f"{shown(name, 300)} cannot be read: {_first_line(error)}") from None
    if isinstance(frame, nw.DataFrame) and frame.implementation.is_polars():
        frame = frame.lazy()
    return frame, name, notes


def _first_line(error: Exception) -> str:
    """The first line of an error's message."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:300]


def _table(frame: Any, schema: Any, name: str, graph: Graph, reading: Reading, said: list[str]) -> Table:
    """The table with a column for each observed variable that has one; the reward must have one."""
    renamed = reading.columns
    schema = {c: kind for c, kind in schema.items() if c not in reading.ignore and c != LINE}
    columns, missing = [], []
    for variable in (graph.variable(n) for n in graph.observed):
        wanted = renamed.get(variable.name, variable.name)
        fitting = columns_of(wanted, schema)
        if len(fitting) == 1:
            columns.append(_column(variable, fitting[0], schema[fitting[0]], frame.implementation, reading))
        elif variable.name == graph.reward and variable.name not in renamed and not fitting:
            listed = ", ".join(shown(c) for c in list(schema)[:12]) or "none"
            option = shlex.quote(f"{wanted}=NAME")
            raise BestdoError(
                f"{name}: no column for the reward {shown(wanted)} among {listed}; --column {option} says which "
                "(on the command line; columns={…} in Python)"
            )
        elif fitting:
            raise BestdoError(
                f"{shown(name, 300)}: the columns {', '.join(map(shown, fitting))} could all be {shown(wanted)}; "
                f"--column says which, or --ignore which not"
            )
        elif variable.name in renamed:
            raise BestdoError(f"{name}: {unknown('column', wanted, map(str, schema))}")
        else:
            missing.append(variable.name)
    taken = {c.name for c in columns}
    hidden = [c for c in schema if c in graph.hidden]
    extra = [c for c in schema if c not in taken and c not in hidden]
    notes = [*said]
    for names, text in (
        (missing, "no column holds {}: not known in any row"),
        (hidden, "{} is hidden in the graph: the column is not taken"),
        (extra, "not in the graph, and left out: {}"),
    ):
        if names:
            notes.append(text.format(listed_names(names)))
    return Table(frame, columns, name, tuple(notes), tuple(c for c in schema if c not in taken))


def columns_of(wanted: str, names: Iterable[str]) -> list[str]:
    """The columns with this name; where there is none, those whose names differ by capitals and outer spaces alone."""
    names = list(names)
    return [c for c in names if c == wanted] or [c for c in names if clean(str(c)).casefold() == wanted.casefold()]


def listed_names(names: Sequence[str]) -> str:
    """Names for a note, of which many are not all said."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(shown(n) for n in names[:_SHOWN]) + more


def _column(variable: Variable, name: str, dtype: Any, engine: Any, reading: Reading) -> Column:
    """The column of a variable, with the values expected in a column of this type."""
    nw = for_data("narwhals")
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
