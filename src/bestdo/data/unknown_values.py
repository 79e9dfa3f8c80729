"""Values of old data that are not written as the graph has them: what they mean, or an error that names them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bestdo.data.frames import Column, Table
from bestdo.data.labels import as_text, meaning
from bestdo.data.optional_libraries import for_data
from bestdo.data.row_keys import digits, total
from bestdo.data.table_files import with_numbers
from bestdo.errors import BestdoError, shown

__all__ = ["learn_values", "notes_on_values"]

_SHOWN = 12
"""The most allowed values that a message lists."""
_MISSING = "\n--missing says what stands for a missing value (reading={'missing': […]} in Python)"
"""The last line of an error about unknown values."""
_MOST_UNKNOWN = 10_000
"""The most unknown values of a column that are looked at in one pass."""


def notes_on_values(columns: Sequence[Column]) -> list[str]:
    """A note for each way in which values of the data were taken as values of the graph that are written otherwise."""
    same: dict[str, list[str]] = {}
    for column in columns:
        values = column.variable.values
        taken = {as_text(raw): values[code] for raw, code in column.meaning.items() if code >= 0}
        listed = [f"{raw or 'empty cells'} as {shown(value)}" for raw, value in taken.items() if raw != value][:6]
        if listed:
            same.setdefault(f"taken are {', '.join(listed)}", []).append(shown(column.variable.name))
    return [f"{', '.join(names)}: {text}" for text, names in same.items()]


def learn_values(table: Table, unknown: NDArray[np.int64]) -> None:
    """Adds the meaning of values that were not expected; raises an error for columns in which none has a meaning."""
    nw = for_data("narwhals")
    wrong = []
    for column, rows in zip(table.columns, unknown, strict=True):
        if not rows:
            continue
        digit = total(digits(column, 1)).alias("digit")
        odd = table.frame.select(nw.col(column.name), digit).filter(nw.col("digit") == 0)
        values = odd.group_by(column.name).agg(nw.len().alias("times")).select(column.name)
        values = values.head(_MOST_UNKNOWN)
        values = values.collect() if isinstance(values, nw.LazyFrame) else values
        new = {
            raw: code
            for raw in values[column.name].to_list()
            if (code := meaning(column.variable, raw, column.reading)) is not None
        }
        if new:
            column.meaning.update({str(raw) if column.text else raw: code for raw, code in new.items()})
        else:
            wrong.append(_describe_unknown(table, column, int(rows)))
    if wrong:
        more = f"\nand {len(wrong) - 5} more columns" if len(wrong) > 5 else ""
        raise BestdoError("\n".join(wrong[:5]) + more + _MISSING)


def _describe_unknown(table: Table, column: Column, rows: int) -> str:
    """An error message: how many rows hold an unknown value of a variable, three of them, and the values allowed."""
    nw = for_data("narwhals")
    frame, what = with_numbers(table.frame)
    digit = total(digits(column, 1)).alias("digit")
    kept = [nw.col("row number")] if what else []
    unknown = frame.select(*kept, nw.col(column.name), digit).filter(nw.col("digit") == 0).head(3)
    unknown = unknown.collect() if isinstance(unknown, nw.LazyFrame) else unknown
    values = [shown(v) for v in unknown[column.name].to_list()]
    if what:
        values = [f"{v} in {what} {r + 1:,}" for v, r in zip(values, unknown["row number"].to_list(), strict=True)]
    allowed = ", ".join(map(shown, column.variable.values[:_SHOWN]))
    more = f" and {len(column.variable.values) - _SHOWN} more" if len(column.variable.values) > _SHOWN else ""
    return (
        f"{shown(table.name, 300)}: {rows:,} row{'' if rows == 1 else 's'} with a value of {shown(column.variable.name)} "
        f"that the graph does not know: {', '.join(values)}{', …' if rows > len(values) else ''}; allowed: {allowed}{more}"
    )
