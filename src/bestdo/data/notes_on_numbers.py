"""Notes on numbers of old data that lie far outside all others, with the lines in which they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.causal.variable import Variable
from bestdo.data.frames import Column, Table
from bestdo.data.labels import measured
from bestdo.data.optional_libraries import for_data
from bestdo.data.table_files import with_numbers
from bestdo.errors import GraphError, shown
from bestdo.evidence.far_numbers import Others, far_places, in_unit

__all__ = ["notes_on_numbers"]

_MOST_NAMED = 3
"""The most far numbers of a variable that are named."""


def notes_on_numbers(table: Table, numbers: Mapping[str, Floats], times: Ints) -> Iterator[str]:
    """A note for each number of the cells of a table (float[C]) that lies far outside all others, for a few of a variable."""
    for column in table.columns:
        variable = column.variable
        if variable.name not in numbers:
            continue
        amounts = _amounts(variable, numbers)
        far = far_places(amounts, times)
        if not len(far):
            continue
        kept = ~np.isnan(amounts)
        kept[far] = False
        rest = Others.of(amounts[kept], times[kept].astype(np.float64))
        per = "".join(f" per {shown(name)}" for name in variable.kind.told_with)
        unit = "" if per else variable.unit
        for place in far[:_MOST_NAMED].tolist():
            where = _where(table, column, numbers[variable.name][place])
            said = f"{shown(variable.name)}{per} is {in_unit(amounts[place], unit)}"
            yield f"{where}{said}, {rest.in_words(amounts[place], unit)}: is it right?"
        if len(far) > _MOST_NAMED:
            yield f"{len(far) - _MOST_NAMED} more numbers of {shown(variable.name)} are far outside all others"


def _amounts(variable: Variable, numbers: Mapping[str, Floats]) -> Floats:
    """The numbers of a variable in each cell, per unit of what is told with it."""
    amounts = numbers[variable.name]
    for name in variable.kind.told_with:
        amounts = amounts / numbers[name]
    return amounts


def _where(table: Table, column: Column, number: float) -> str:
    """The first line of a table that holds a number in a column, for the beginning of a note."""
    nw = for_data("narwhals")
    frame, what = with_numbers(table.frame)
    if not what:
        return f"{table.name}: "
    rows = frame.select("row number", column.name)
    rows = rows.collect() if isinstance(rows, nw.LazyFrame) else rows
    for row, raw in zip(rows["row number"].to_list(), rows[column.name].to_list(), strict=True):
        try:
            if measured(column.variable, raw, column.reading)[1] == number:
                return f"{table.name}, {what} {row + 1:,}: "
        except GraphError:
            continue
    return f"{table.name}: "
