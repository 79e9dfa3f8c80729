"""The reading of tables of data: other names of columns and values, texts for missing values, columns left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bestdo.causal.graph import Graph
from bestdo.causal.variable import Variable
from bestdo.errors import GraphError, shown, unknown

__all__ = ["Reading"]

_KEYS = ("columns", "same", "missing", "ignore", "sheet", "probability", "chosen")


@dataclass(frozen=True)
class Reading:
    """The way in which a table of old data is read for a problem; options for one table go before it."""

    columns: Mapping[str, str] = field(default_factory=dict)
    """The name of a variable's column, where it differs from that of the variable."""
    same: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """The texts in the table, and the value that each means: {"ja": "yes"}; for every variable that has this value. Where
    it means something else for each variable, several values: {"1": ("male", "yes")}. The empty text stands for empty
    cells: {"": "no"}."""
    missing: tuple[str, ...] = ()
    """The texts for a missing value, beside empty cells and NA: ("-", "999"); unless a variable has one as a value."""
    ignore: tuple[str, ...] = ()
    """Columns that are not taken, and not named as left out."""
    sheet: str = ""
    """The sheet of an Excel file; empty where the file has one alone."""
    probability: str = ""
    """The column with the probability of what a policy chose in each row; empty where nothing was chosen at random."""
    chosen: tuple[str, ...] = ()
    """The variables whose values that policy chose; none: all that can be set."""

    @classmethod
    def of(cls, said: Reading | Mapping[str, Any] | None, columns: Mapping[str, str] | None = None) -> Reading:
        """The reading from a mapping with these keys, as in a file; `columns` are added to those that it names.

        `missing` and `ignore` may be a text or a list of texts and numbers; `same` a mapping, or texts like "ja=yes".
        """
        if said is None:
            found = cls()
        elif isinstance(said, Reading):
            found = said
        elif isinstance(said, Mapping):
            found = _from_mapping(said)
        else:
            raise GraphError(f"how data are read is a mapping such as {{'missing': ['-']}}, not {type(said).__name__}")
        return found.with_options(_text_by_text("columns", columns)) if columns else found

    def __bool__(self) -> bool:
        """Whether the reading differs from the default."""
        return self != Reading()

    def check(self, graph: Graph) -> None:
        """Raises GraphError for a variable or a value that the graph does not have."""
        for name in (*self.columns, *self.chosen):
            if name not in graph.observed:
                raise GraphError(unknown("variable", name, graph.observed))
        values = list(dict.fromkeys(v for name in graph.observed for v in graph.variable(name).values))
        for text, meant in self.same.items():
            for value in _each(meant):
                if value not in values:
                    raise GraphError(f"{shown(text)} cannot mean {shown(value)}: {unknown('value', value, values)}")

    def with_options(
        self,
        columns: Mapping[str, str] | None = None,
        same: Mapping[str, str | tuple[str, ...]] | None = None,
        missing: Iterable[str] = (),
        ignore: Iterable[str] = (),
        sheet: str | None = None,
        probability: str = "",
        chosen: tuple[str, ...] = (),
    ) -> Reading:
        """The reading with the options for one table added, which go before it."""
        return Reading(
            {**self.columns, **(columns or {})},
            {**self.same, **(same or {})},
            tuple(dict.fromkeys((*self.missing, *missing))),
            tuple(dict.fromkeys((*self.ignore, *ignore))),
            sheet or self.sheet,
            probability or self.probability,
            chosen or self.chosen,
        )

    def within(self, graph: Graph) -> Reading:
        """The reading without variables and values that the graph does not have."""
        values = {value for name in graph.observed for value in graph.variable(name).values}
        return Reading(
            {name: column for name, column in self.columns.items() if name in graph.observed},
            {text: meant for text, meant in self.same.items() if values.issuperset(_each(meant))},
            self.missing,
            self.ignore,
            self.sheet,
            self.probability,
            tuple(name for name in self.chosen if name in graph.observed),
        )

    def over(self, other: Reading) -> Reading:
        """The reading with another one added, which goes before it."""
        policy = other.probability, other.chosen
        return self.with_options(other.columns, other.same, other.missing, other.ignore, other.sheet, *policy)

    def is_missing(self, variable: Variable, text: str) -> bool:
        """Whether the text is said to stand for a missing value; a value of the variable never does."""
        if not self.missing or text in variable.values:
            return False
        texts, numbers = self._missing
        return text.casefold() in texts or _as_number(text) in numbers

    def value(self, variable: Variable, text: str) -> str | None:
        """The value of the variable that the text is said to stand for; None where nothing or several are said."""
        if not self.same:
            return None
        found = {v for key, meant in self.same.items() if _alike(key, text) for v in _each(meant)} & {*variable.values}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def _missing(self) -> tuple[set[str], set[float]]:
        """The texts for missing values, and those of them that are numbers."""
        numbers = {number for text in self.missing if (number := _as_number(text)) is not None}
        return {text.casefold() for text in self.missing}, numbers


def _each(meant: str | tuple[str, ...]) -> tuple[str, ...]:
    """The values that a text means, one or several."""
    return (meant,) if isinstance(meant, str) else meant


def _alike(one: str, other: str) -> bool:
    """Whether two texts are equal, but for capitals, or are one number."""
    number = _as_number(one)
    return one.casefold() == other.casefold() or (number is not None and number == _as_number(other))


def _as_number(text: str) -> float | None:
    """The number that a text shows, with a decimal point or a decimal comma."""
    try:
        return float(text.replace(",", ".")) if text[-1:].isdecimal() else None
    except ValueError:
        return None


def _from_mapping(said: Mapping[str, Any]) -> Reading:
    """The reading that a mapping describes, with an error for an impossible one."""
    for key in said:
        if key not in _KEYS:
            raise GraphError(unknown("key of how data are read", key, _KEYS))
    sheet, probability = said.get("sheet") or "", said.get("probability") or ""
    if not isinstance(sheet, str):
        raise GraphError(f"'sheet' is the name of a sheet, not {shown(sheet)}")
    if not isinstance(probability, str):
        raise GraphError(f"'probability' is the name of a column, not {shown(probability)}")
    return Reading(
        _text_by_text("columns", said.get("columns")),
        _meanings(said.get("same")),
        _texts("missing", said.get("missing")),
        _texts("ignore", said.get("ignore")),
        sheet,
        probability,
        _texts("chosen", said.get("chosen")),
    )


def _texts(key: str, said: object) -> tuple[str, ...]:
    """A text or several; a number is taken as it is written."""
    if said is None:
        return ()
    every = [said] if isinstance(said, str | int | float) else said
    if isinstance(every, Mapping) or not isinstance(every, Iterable):
        raise GraphError(f"{shown(key)} is a list of texts, not {shown(said)}")
    found = []
    for text in every:
        if isinstance(text, bool) or not isinstance(text, str | int | float):
            raise GraphError(f"{shown(key)} is a list of texts, and {shown(text)} is none")
        found.append(f"{text:g}" if isinstance(text, float) else str(text).strip())
    return tuple(dict.fromkeys(found))


def _text_by_text(key: str, said: object) -> dict[str, str]:
    """A mapping of texts to texts."""
    if said is None:
        return {}
    if not isinstance(said, Mapping) or not all(isinstance(t, str) for pair in said.items() for t in pair):
        raise GraphError(f"{shown(key)} has a text for each name, not {shown(said)}")
    return dict(said)


def _meanings(said: object) -> dict[str, str | tuple[str, ...]]:
    """The value or values that each text may stand for."""
    if isinstance(said, Mapping):
        found = {str(text).strip(): _texts("same", values) for text, values in said.items()}
    else:
        found = {}
        for pair in _texts("same", said):
            text, equals, value = (part.strip() for part in pair.rpartition("="))
            if not equals or not value:
                raise GraphError(f"{shown(pair)} is not of the form TEXT=VALUE, as in ja=yes, or =no for empty cells")
            found[text] = tuple(dict.fromkeys((*found.get(text, ()), value)))
    return {text: values[0] if len(values) == 1 else values for text, values in found.items()}
