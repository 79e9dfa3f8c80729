"""Matches numbers, truth values and texts in data with the values of a variable."""

from __future__ import annotations

import math
from typing import Any

from bestdo.causal.number import read_number
from bestdo.causal.variable import Variable
from bestdo.data.spreadsheet import clean, code_of, is_missing

__all__ = ["MISSING", "as_text", "expected_values", "meaning", "measured"]

MISSING = -1
"""The code of a missing value."""
_TRUTH = ({"false", "no"}, {"true", "yes"})
_NUMBERS = Variable("truth", ("0", "1"))


def meaning(variable: Variable, raw: object) -> int | None:
    """The code of the variable's value that a raw value stands for; -1 for a missing one, None for an unknown one.

    A text is compared exactly, then ignoring case, then as a number (1, 1.0 and "1.00" are the same). A raw value that
    matches none of these but means yes or no (True, 1, "yes") stands for the one value that means the same.
    """
    if raw is None or (isinstance(raw, float) and math.isnan(raw)):
        return MISSING
    text = as_text(raw)
    if is_missing(variable, text):
        return MISSING
    code = code_of(variable, text)
    if code is not None:
        return code
    truth = _truth(text)
    same = [] if truth is None else [i for i, value in enumerate(variable.values) if _truth(value) == truth]
    return same[0] if len(same) == 1 else None


def measured(variable: Variable, raw: object) -> tuple[int, float]:
    """The code and the number of a raw value of a variable that is measured in numbers; -1 and NaN for a missing one.

    Where numbers are cut, one of the values can stand in the place of a number, which is NaN then. Raises GraphError for what
    is neither, and for a number outside the bounds.
    """
    if raw is None or (isinstance(raw, float) and math.isnan(raw)):
        return MISSING, math.nan
    text = as_text(raw)
    if is_missing(variable, text):
        return MISSING, math.nan
    code = code_of(variable, text) if variable.cut else None
    if code is not None:
        return code, math.nan
    number = read_number(variable.name, raw if isinstance(raw, (int, float)) else text.removeprefix("'"))
    return variable.code_of_number(number), number + 0.0


def _truth(text: str) -> int | None:
    """0 for a text that means no, 1 for one that means yes, None for others."""
    for truth, words in enumerate(_TRUTH):
        if text.casefold() in words:
            return truth
    return code_of(_NUMBERS, text)


def as_text(raw: object) -> str:
    """A raw value as text: a whole number without decimals, a truth value as true or false, a text without outer spaces."""
    if hasattr(raw, "item"):  # numpy's numbers
        raw = raw.item()
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, float) and raw.is_integer():
        return str(int(raw))
    return clean(str(raw))


def expected_values(variable: Variable, texts: bool, numbers: bool, truth: bool) -> dict[Any, int]:
    """The raw values that a column probably holds, with their codes, so that one pass over the data is usually enough."""
    guesses: list[Any] = []
    if texts:
        guesses += [*variable.values, ""]
    if numbers:
        guesses += [n for value in variable.values if (n := _number(value)) is not None] + [0, 1]
    if truth:
        guesses += [False, True]
    codes: dict[Any, int] = {}
    for guess in guesses:
        code = meaning(variable, guess)
        if code is not None:
            codes.setdefault(guess, code)
    return codes


def _number(value: str) -> float | int | None:
    """The finite number that a value shows, whole numbers as int; None where it shows none."""
    try:
        number = float(value)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number
