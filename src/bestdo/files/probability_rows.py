"""Rows of a table of probabilities, one for each state of the parents; the last parent varies fastest."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from bestdo.arrays import Floats
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import checked_table
from bestdo.errors import TooLarge, shown, unknown
from bestdo.files.declarations import amount

__all__ = ["bad_row", "check_size", "codes_of", "state_at", "table_of"]


_MOST_CELLS = 2**26
"""The most numbers in one table: 512 MB. Limits memory; docs/reference/files.md states it. Not measured."""
_SUM_TOLERANCE = 1e-5
"""The largest distance of the sum of a row from 1, as in `causal/model.py`: files give probabilities with few decimals."""


def check_size(axes: Sequence[Variable]) -> None:
    """Raises an error, before anything is allocated, when a table over these variables would be too large."""
    cells = math.prod(len(v.values) for v in axes)
    if cells > _MOST_CELLS:
        raise TooLarge(
            f"the table of {shown(axes[-1].name)} with {len(axes) - 1} parents would hold {amount(cells)} "
            f"numbers; at most {_MOST_CELLS:,} fit"
        )


def codes_of(values: Sequence[str]) -> dict[str, int]:
    """The code of each value: its index in the list."""
    return {value: code for code, value in enumerate(values)}


def state_at(axes: Sequence[Variable], codes: Sequence[Mapping[str, int]], values: Sequence[str]) -> int | str:
    """The index of the row for these values of the parents (all axes but the last), or an error message."""
    if len(values) != len(codes):
        names = ", ".join(shown(v.name) for v in axes[:-1][:8]) or "none"
        return f"found {len(values)} values, expected one for each of the parents: {names}"
    index = 0
    for parent, code, value in zip(axes, codes, values, strict=False):
        if value not in code:
            return unknown("value", value, parent.values, of=f" of the variable {shown(parent.name)}")
        index = index * len(code) + code[value]
    return index


def bad_row(rows: Floats) -> int | None:  # float[states, values]
    """The index of the first row that is not a distribution; None where all are."""
    with np.errstate(all="ignore"):
        good = (rows >= 0).all(axis=-1) & (np.abs(rows.sum(axis=-1) - 1) <= _SUM_TOLERANCE)
    return None if good.all() else int(good.argmin())


def table_of(axes: Sequence[Variable], rows: Floats, bad: int | None) -> Floats:
    """The rows as a table with one axis for each parent and the variable's own last; raises an error for a bad row."""
    table = rows.reshape([len(v.values) for v in axes])
    if bad is not None:
        *parents, child = axes
        with np.errstate(all="ignore"):
            checked_table(Graph(tuple(axes), {child.name: tuple(v.name for v in parents)}), child.name, table)
    return table
