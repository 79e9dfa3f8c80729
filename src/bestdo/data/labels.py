"""Which value of a variable a number, a truth value or a text in somebody's data means."""

from __future__ import annotations

import math
from typing import Any

from bestdo.causal.variable import Variable
from bestdo.data.spreadsheet import clean, code_of, nothing

__all__ = ["MISSING", "as_text", "expected", "meaning"]

MISSING = -1
_TRUTH = ({"false", "no"}, {"true", "yes"})
_NUMBERS = Variable("truth", ("0", "1"))


def meaning(variable: Variable, raw: object) -> int | None:
    """The code of the value that is meant; -1 where nothing is said; None where it is none of the values.

    A text is compared as it stands, then without regard to capitals, then as a number (1, 1.0 and "1.00" are the same).
    What is still unknown but says yes or no (True, 1, "yes") means the one value that says the same.
    """
    if raw is None or (isinstance(raw, float) and math.isnan(raw)):
        return MISSING
    text = as_text(raw)
    if nothing(variable, text):
        return MISSING
    found = code_of(variable, text)
    if found is not None:
        return found
    said = _truth(text)
    same = [] if said is None else [i for i, value in enumerate(variable.values) if _truth(value) == said]
    return same[0] if len(same) == 1 else None


def _truth(text: str) -> int | None:
    """Whether a text says no (0) or yes (1), if it says either."""
    for said, words in enumerate(_TRUTH):
        if text.casefold() in words:
            return said
    return code_of(_NUMBERS, text)


def as_text(raw: object) -> str:
    """A number without needless digits, a truth value as true or false, a text without spaces around it."""
    if hasattr(raw, "item"):  # numpy's numbers
        raw = raw.item()
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, float) and raw.is_integer():
        return str(int(raw))
    return clean(str(raw))


def expected(variable: Variable, texts: bool, numbers: bool, truth: bool) -> dict[Any, int]:
    """What a column of that kind probably holds, and what it means: a first guess, so that one pass is enough."""
    guesses: list[Any] = []
    if texts:
        guesses += [*variable.values, ""]
    if numbers:
        guesses += [n for value in variable.values if (n := _number(value)) is not None] + [0, 1]
    if truth:
        guesses += [False, True]
    found: dict[Any, int] = {}
    for guess in guesses:
        code = meaning(variable, guess)
        if code is not None:
            found.setdefault(guess, code)
    return found


def _number(value: str) -> float | int | None:
    try:
        number = float(value)
    except ValueError:
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number
