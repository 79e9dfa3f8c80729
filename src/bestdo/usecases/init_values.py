"""Proposes the values of a variable from what its column holds: labels in a sensible order, numbers with cuts."""

from __future__ import annotations

import itertools
import math
import shlex
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bestdo.causal.number import Number, is_number
from bestdo.causal.variable import Variable
from bestdo.errors import BestdoError, GraphError, shown
from bestdo.text import counted
from bestdo.usecases.init_columns import marked_number, split_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bestdo.data.profile import ColumnProfile

__all__ = ["ValueDraft", "in_order", "looks_missing", "proposed", "round_cut", "stays_number", "suspects"]

_MOST_NUMBERS = 10
"""The most different numbers of a column that become values as they are, without cuts. Chosen, not measured."""
_NEAR = 0.1
"""The largest distance of the share below a round cut from one half. Chosen, not measured."""
_STEPS = (10.0, 5.0, 2.0)
"""Multiples of these, times a power of ten, are round numbers, the first ones rounder."""
_SCALES = (
    ("no", "nein", "non", "false", "falsch", "n", "never", "nie", "negative", "negativ", "neg", "off", "aus", "absent"),
    ("very low", "sehr niedrig", "tiny"),
    ("low", "niedrig", "gering", "small", "klein", "poor", "schlecht", "bad", "cold", "dry", "mild", "leicht", "light"),
    ("medium", "mittel", "middle", "moderate", "normal", "average", "fair", "mäßig", "mässig"),
    ("high", "hoch", "large", "gross", "groß", "big", "good", "gut", "rich", "hot", "wet", "severe", "schwer", "heavy"),
    ("very high", "sehr hoch", "huge", "excellent", "sehr gut"),
    ("yes", "ja", "oui", "true", "wahr", "y", "j", "always", "immer", "positive", "positiv", "pos", "on", "an", "present"),
)  # fmt: skip
_PLACE = {word: place for place, words in enumerate(_SCALES) for word in words} | {"none": -1, "keine": -1, "kein": -1}
_CUT_LABELS = {2: ("low", "high"), 3: ("low", "medium", "high")}
_LOOK_MISSING = (
    "-",
    "--",
    "–",
    "—",
    ".",
    "?",
    "k.a.",
    "k. a.",
    "n.a.",
    "null",
    "missing",
    "fehlt",
    "#null!",
    "#value!",
)
_CODES = (999.0, 9999.0, 99999.0, 99.0, 888.0, 777.0, -1.0, -9.0, -99.0, -999.0, -9999.0)
_FAR = 1.5
"""The factor beyond all other numbers from which on a code such as 999 is taken for one."""


@dataclass(frozen=True)
class ValueDraft:
    """The values that a variable is to have, and why."""

    variable: Variable
    why: str
    """The origin of the values: "graph", "said", "labels", "numbers", "cut", "number" or "default"."""
    column: ColumnProfile | None = None
    """The contents of the variable's column; None where it has none."""


def in_order(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels in an order that people expect: numbers ascending, no before yes, low before high, otherwise by letters."""
    if all(map(is_number, labels)):
        return tuple(sorted(labels, key=lambda label: (float(label.replace(",", ".")), label)))
    places = [_PLACE.get(label.casefold()) for label in labels]
    if None not in places and len(set(places)) == len(places):
        return tuple(label for _, label in sorted(zip(places, labels, strict=True), key=lambda pair: pair[0] or 0))
    return tuple(sorted(labels, key=lambda label: (label.casefold(), label)))


def looks_missing(column: ColumnProfile) -> list[str]:
    """The texts of a column that plainly stand for a missing value, such as "?"; "-" beside "+" does not."""
    texts = [*column.labels, *column.odd] if column.kind != "texts" else []
    if "+" in texts or len(set(texts) - set(_LOOK_MISSING)) < 2:
        return []
    return sorted({text for text in texts if text.casefold() in _LOOK_MISSING})


def suspects(column: ColumnProfile) -> list[float]:
    """The numbers of a column that may stand for a missing value: 999 or -1 where all others are far from it."""
    found = []
    for code in _CODES:
        others = column.numbers[column.numbers != code]
        if code not in column.numbers or len(others) < 2:
            continue
        largest, least = float(others.max()), float(others.min())
        if (code > 0 and 0 <= largest * _FAR < code) or (code < 0 <= least):
            found.append(code)
    return found


def round_cut(column: ColumnProfile) -> float:
    """A number near the median that splits the numbers of a column: the roundest that has 40 to 60 % below it."""
    low, high, middle = (column.quantile(share) for share in (0.5 - _NEAR, 0.5 + _NEAR, 0.5))
    whole = bool((column.numbers == column.numbers.round()).all())
    for border in _round_numbers(middle, max(abs(low), abs(high))):
        if whole and not border.is_integer():
            continue
        if low <= border <= high and abs(column.below(border) - 0.5) <= _NEAR:
            return border
    fairest = int(min(range(1, len(column.numbers)), key=lambda i: abs(column.below(float(column.numbers[i])) - 0.5)))
    below, above = column.numbers[fairest - 1 : fairest + 1].tolist()  # so many rows have the same number
    return next((border for border in _round_numbers(above, abs(above)) if below < border <= above), float(above))


def _round_numbers(near: float, size: float) -> Iterator[float]:
    """Round numbers near a number of such a size, the roundest first."""
    power = math.floor(math.log10(size)) if size else 0
    for exponent in range(power, power - 8, -1):
        for step in _STEPS:
            unit = step * 10.0**exponent
            for nearest in (round(near / unit), math.floor(near / unit)):
                yield float(f"{nearest * unit:.12g}")


def stays_number(column: ColumnProfile | None, good: Mapping[str, Any]) -> bool:
    """Whether a reward with this column is a number itself: it has many numbers, or an aim is said of few.

    good: the fields that say which way is good (success, worth, aim).
    """
    if column is None or column.kind != "numbers" or not good.keys() <= {"aim"}:
        return False
    return len(column.numbers) > _MOST_NUMBERS or "aim" in good


def proposed(
    variable: Variable,
    column: ColumnProfile | None,
    *,
    declared: bool,
    values: Sequence[str] | None = None,
    cut: Sequence[float] | None = None,
    number: bool = False,
) -> ValueDraft:
    """The variable with values: those that are said, those of the graph, or those that its column holds.

    `declared` says whether the graph names its values; `number` that it is to stay a number.
    """
    if cut is not None:
        labels = tuple(values or _CUT_LABELS.get(len(cut) + 1) or _intervals(cut))
        return ValueDraft(replace(variable, values=labels, cut=tuple(cut), number=None), "said", column)
    if values is not None and column is not None and _only_numbers(column) and not all(map(is_number, values)):
        if len(values) == 2:
            return ValueDraft(
                replace(variable, values=tuple(values), cut=(round_cut(column),), number=None), "cut", column
            )
        raise BestdoError(
            f"{shown(column.name)} holds many numbers: say where the {len(values)} values of {shown(variable.name)} are cut "
            f"(--cut {shlex.quote(variable.name)}=…, once for each cut)"
        )
    if values is not None:
        return ValueDraft(replace(variable, values=tuple(values), cut=(), number=None), "said", column)
    if declared or variable.hidden:
        return ValueDraft(variable, "graph", column)
    if column is None or column.kind == "nothing":
        return ValueDraft(variable, "default", column)
    if not variable.unit and column.kind == "numbers":
        variable = replace(variable, unit=split_unit(column.name)[1])
    if column.kind == "numbers":
        return _of_numbers(variable, column, number)
    if example := marked_number(column):
        raise BestdoError(
            f"{shown(variable.name)} has the column {shown(column.name)}, whose numbers cannot be read, such as "
            f"{shown(example)}: leave out percent signs, units and separators of thousands"
        )
    if column.kind == "labels":
        return _of_labels(variable, column)
    what = "dates" if column.kind == "dates" else "different texts in every row" if column.unique else "many texts"
    raise BestdoError(
        f"{shown(variable.name)} has the column {shown(column.name)}, which holds {what} and no values that it could have: "
        f"name another column (--column {variable.name}=…), or say that nobody sees it (--hidden {variable.name})"
    )


def _only_numbers(column: ColumnProfile) -> bool:
    """Whether a column holds so many numbers that they have to be cut."""
    return column.kind == "numbers" and len(column.numbers) > _MOST_NUMBERS


def _of_labels(variable: Variable, column: ColumnProfile) -> ValueDraft:
    """The variable with the labels of its column as values."""
    try:
        return ValueDraft(replace(variable, values=in_order(list(column.labels))), "labels", column)
    except GraphError as error:
        raise BestdoError(
            f"the column {shown(column.name)}: {error}. Say what it stands for (--same TEXT=VALUE, --missing TEXT), or "
            f"leave the column out (--ignore {shlex.quote(column.name)})"
        ) from None


def _of_numbers(variable: Variable, column: ColumnProfile, number: bool) -> ValueDraft:
    """The variable with a column of numbers: the number itself, the few numbers that there are, or a cut between them."""
    from bestdo.data.labels import as_text

    if number:
        return ValueDraft(replace(variable, values=(), number=Number()), "number", column)
    if column.is_codes:
        return _of_labels(variable, column)
    if len(column.numbers) <= _MOST_NUMBERS and not column.odd:
        labels = tuple(as_text(value + 0.0) for value in column.numbers.tolist())
        return ValueDraft(replace(variable, values=labels), "numbers", column)
    if len(column.numbers) < 2:
        raise BestdoError(f"{shown(column.name)}: {counted(len(column.numbers), 'number')} cannot be cut")
    return ValueDraft(replace(variable, values=_CUT_LABELS[2], cut=(round_cut(column),)), "cut", column)


def _intervals(cut: Sequence[float]) -> list[str]:
    """Names of the values between several cuts."""
    between = [f"from {a:g} to {b:g}" for a, b in itertools.pairwise(cut)]
    return [f"below {cut[0]:g}", *between, f"from {cut[-1]:g} on"]
