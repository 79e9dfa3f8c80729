"""Expressions for the digits of a row's key: the code of each value, computed by the engine that holds the data."""

from __future__ import annotations

from typing import Any

from bestdo.data.frames import Column
from bestdo.data.labels import MISSING, meaning
from bestdo.data.optional_libraries import for_data

__all__ = ["comparable", "digits", "total"]

_NESTED = 24
"""The most conditions nested in one expression: engines are slow or fail on deep ones. Not measured."""


def comparable(column: Column) -> Any:
    """The expression of the column that is compared with its possible values."""
    nw = for_data("narwhals")
    return nw.col(column.name).cast(nw.String) if column.text else nw.col(column.name)


def digits(column: Column, unit: int) -> list[Any]:
    """Expressions whose sum is the digit of a column of values, times its place value."""
    nw = for_data("narwhals")
    null, raw = nw.col(column.name).is_null(), comparable(column)
    if column.floats:
        null = null | nw.col(column.name).is_nan()
    empty = meaning(column.variable, None, column.reading)
    gone = MISSING if empty is None else empty
    forms = list(column.meaning.items())
    terms = []
    for first in range(0, max(1, len(forms)), _NESTED):
        term = nw.lit(0, nw.Int64)
        if first == 0:
            term = nw.when(null).then(nw.lit((gone + 2) * unit, nw.Int64)).otherwise(term)
        for value, code in reversed(forms[first : first + _NESTED]):
            term = nw.when(raw == value).then(nw.lit((code + 2) * unit, nw.Int64)).otherwise(term)
        terms.append(term)
    return terms


def total(terms: list[Any]) -> Any:
    """The sum of expressions, as a balanced tree."""
    if len(terms) == 1:
        return terms[0]
    return total(terms[: len(terms) // 2]) + total(terms[len(terms) // 2 :])
