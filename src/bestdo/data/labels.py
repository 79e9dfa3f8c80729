"""Matches numbers, truth values and texts in data with the values of a variable."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from bestdo.bandit.reading import Reading
from bestdo.causal.number import is_number, read_number
from bestdo.causal.variable import Variable
from bestdo.data.spreadsheet import clean, code_of, is_missing
from bestdo.errors import GraphError, shown

__all__ = ["AS_IT_STANDS", "MISSING", "as_text", "expected_values", "meaning", "measured", "told"]

MISSING = -1
"""The code of a missing value."""
AS_IT_STANDS = Reading()
"""The reading without any statement: data are read as they stand."""
_WORDS = (
    {
        "no": "no n false nein falsch non faux nee nej nei não nao falso ei nie ne нет いいえ 否",
        "yes": "yes y true ja j wahr oui vrai si sí sì sim verdadero vero kyllä tak ano да はい 是",
    },
    {
        "low": "low lo niedrig tief gering bas basse faible bajo baja basso bassa baixo baixa laag lav låg niski nízký",
        "medium": "medium middle mid med mittel moyen moyenne medio media médio média gemiddeld middel średni střední",
        "high": "high hi hoch haut haute élevé élevée alto alta hoog høj høy hög wysoki vysoký",
    },
)
"""Words in several languages that mean the same, by scale. A word stands on one line only; t, f and o are left out, as they
are often short for something else."""
_MEANING = {
    word: (i, same) for i, scale in enumerate(_WORDS) for same, words in scale.items() for word in words.split()
}
_PLAIN = {"no", "false", "yes", "true"}
_PLACEHOLDERS = ("…", "...")
_NUMBERS = Variable("truth", ("0", "1"))


def meaning(variable: Variable, raw: object, reading: Reading = AS_IT_STANDS) -> int | None:
    """The code of the variable's value that a raw value stands for; -1 for a missing one, None for an unknown one.

    A text is compared exactly, then as `reading` says, then ignoring case, then as a number (1, 1.0 and "1.00" are the
    same). A raw value that matches none of these but means yes or no (True, 1, "yes") stands for the one value that means
    the same; so do other common words ("ja", "hoch") where all values of the variable are such words.
    """
    text = "" if raw is None or (isinstance(raw, Real) and math.isnan(raw)) else as_text(raw)
    if not text and (said := reading.value(variable, text)) is not None:
        return variable.code(said)
    if is_missing(variable, text) or reading.is_missing(variable, text):
        return MISSING
    if text not in variable.values and (said := reading.value(variable, text)) is not None:
        return variable.code(said)
    code = code_of(variable, text)
    if code is not None:
        return code
    same = _same_word(variable, text)
    return same[0] if len(same) == 1 else None


def measured(variable: Variable, raw: object, reading: Reading = AS_IT_STANDS) -> tuple[int, float]:
    """The code and the number of a raw value of a variable that is measured in numbers; -1 and NaN for a missing one.

    Where numbers are cut, one of the values can stand in the place of a number, which is NaN then. Raises GraphError for what
    is neither, and for a number outside the bounds.
    """
    if raw is None or (isinstance(raw, Real) and math.isnan(raw)):
        return MISSING, math.nan
    text = as_text(raw)
    if is_missing(variable, text) or reading.is_missing(variable, text):
        return MISSING, math.nan
    code = meaning(variable, text, reading) if variable.cut and not is_number(text) else None
    if code is not None:
        return code, math.nan
    number = read_number(variable.name, raw if isinstance(raw, (int, float)) else text.removeprefix("'"))
    return variable.code_of_number(number), number + 0.0


def told(variable: Variable, raw: object, reading: Reading = AS_IT_STANDS) -> object | None:
    """The value that a person tells of a variable, as one of its values or as a number; None where nothing was seen.

    It is read as in tables. Raises GraphError where several values can be meant; what is unknown is returned as it stands.
    """
    if isinstance(raw, str) and raw in variable.values:
        return raw
    if raw is None or (isinstance(raw, Real) and math.isnan(raw)):
        return None
    text = as_text(raw)
    if text in _PLACEHOLDERS:
        raise GraphError(f"put what was seen of {shown(variable.name)} in the place of {text}: {variable.allowed}")
    if variable.kind.measures(text):
        return None if is_missing(variable, text) or reading.is_missing(variable, text) else raw
    code = meaning(variable, raw, reading)
    if code is not None:
        return None if code == MISSING else variable.values[code]
    alike = [value for value in variable.values if value.casefold() == text.casefold()]
    alike = alike or [variable.values[i] for i in _same_word(variable, text)]
    if len(alike) > 1:
        listed = " or ".join(map(shown, alike))
        raise GraphError(
            f"{shown(variable.name)} is {shown(text)}, and several values can be meant: did you mean {listed}?"
        )
    return raw


def _same_word(variable: Variable, text: str) -> list[int]:
    """The codes of the values that mean the same as a common word."""
    word = _word(text)
    if word is None:
        return []
    others = [_word(value) for value in variable.values]
    alike = all(other is not None and other[0] == word[0] for other in others)
    return [
        i
        for i, (value, other) in enumerate(zip(variable.values, others, strict=True))
        if other == word and (alike or (_is_plain(text) and _is_plain(value)))
    ]


def _word(text: str) -> tuple[int, str] | None:
    """The scale and the English word for what a common word means, or 0 or 1 for no and yes; None for others."""
    meaning = _MEANING.get(text.casefold())
    if meaning is None and (truth := code_of(_NUMBERS, text)) is not None:
        meaning = 0, ("no", "yes")[truth]
    return meaning


def _is_plain(text: str) -> bool:
    """Whether a text says yes or no in a way that has no other meaning: true, yes, 1."""
    return text.casefold() in _PLAIN or code_of(_NUMBERS, text) is not None


def as_text(raw: object) -> str:
    """A raw value as text: a whole number without decimals, a truth value as true or false, a text without outer spaces."""
    if hasattr(raw, "item"):  # numpy's numbers
        raw = raw.item()
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, float) and raw.is_integer():
        return str(int(raw))
    return clean(str(raw))


def expected_values(
    variable: Variable, texts: bool, numbers: bool, truth: bool, reading: Reading = AS_IT_STANDS
) -> dict[Any, int]:
    """The raw values that a column probably holds, with their codes, so that one pass over the data is usually enough."""
    guesses: list[Any] = []
    if texts:
        guesses += [*variable.values, "", *reading.missing]
    if numbers:
        guesses += [n for value in variable.values if (n := _number(value)) is not None] + [0, 1]
    if truth:
        guesses += [False, True]
    codes: dict[Any, int] = {}
    for guess in guesses:
        code = meaning(variable, guess, reading)
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
