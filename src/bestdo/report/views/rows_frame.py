"""Data frames of pandas or Polars from rows."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from bestdo.data.optional_libraries import for_data
from bestdo.errors import BestdoError, shown

__all__ = ["Rows", "frame_of"]

_LIBRARIES = ("pandas", "polars")


class Rows(list[dict[str, Any]]):
    """Rows that may be none, and so name their columns, each with the type of what is in it."""

    def __init__(self, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, type]) -> None:
        super().__init__(map(dict, rows))
        self.columns = columns


def frame_of(rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:
    """The rows as a frame of pandas or Polars, whichever is asked for, or is installed; null where a number is not known.

    A column holds text, truth, whole numbers, numbers or times, by what is in the rows.
    """
    nw = for_data("narwhals")
    library = _library(library)
    columns: dict[str, type] = dict(getattr(rows, "columns", {}))
    for row in rows:
        for name, value in row.items():
            known = columns.get(name)
            if value is None or known is float:
                columns.setdefault(name, type(None))
            elif known in (None, type(None), int):
                columns[name] = type(value)
    kinds = {
        bool: nw.Boolean(),
        int: nw.Int64(),
        float: nw.Float64(),
        datetime: nw.Datetime("us", "UTC"),
        type(None): nw.String(),
    }
    schema = {name: kinds.get(kind, nw.String()) for name, kind in columns.items()}
    data = {name: [_cell(row.get(name), columns[name]) for row in rows] for name in columns}
    return nw.from_dict(data, schema, backend=library).to_native()


def _cell(value: Any, kind: type) -> Any:
    """A value as its column holds it; None where it is not known."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value if isinstance(value, kind) else kind(value)


def _library(asked: str | None) -> str:
    """The library that makes the frame; an error that says what to install, or which names are known."""
    if asked is not None and asked not in _LIBRARIES:
        raise BestdoError(f'{shown(asked)} is no library for frames that is known here: "pandas" or "polars"')
    for name in _LIBRARIES if asked is None else (asked,):
        if importlib.util.find_spec(name) is not None:
            return name
    needs = "a data frame needs pandas or polars" if asked is None else f"a data frame of {asked} needs {asked}"
    raise BestdoError(
        f"{needs}, which is not installed: pip install {'bestdo[data]' if asked != 'pandas' else asked!r}"
    )
