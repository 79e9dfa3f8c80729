"""The kinds of variables: labelled values, values with cuts between them, and numbers.

A kind reads what people write, says what can be written, and how files and tables have the variable. Kinds of numbers are in
`number.py`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

from bestdo.causal.number import Number, is_number, read_number
from bestdo.errors import GraphError, did_you_mean, shown, unknown

__all__ = ["AIMS", "Cuts", "Kind", "Labels", "Measure", "kind_of"]

AIMS = ("maximise", "minimise")
"""The aims for the mean of a number."""
_MOST_SHOWN = 8  # values that a message lists; chosen, not measured


@dataclass(frozen=True)
class Labels:
    """Finitely many labelled values."""

    name: str
    values: tuple[str, ...]
    unit: str

    measured = False
    """Whether people write numbers."""
    number = None
    column = str
    """The type of the variable's column in a table of rounds."""
    span = ""
    """The bounds of numbers, or their cuts into values; empty where nothing is said of that."""
    told_with = ()
    """The names of the numbers that must be told where the variable is told."""
    usual = None
    """The start and the reach of means before anything is seen; None where nothing says it."""
    about: ClassVar[dict[str, Any]] = {}
    """The fields of a description of the variable in JSON, beside its values."""

    @property
    def declared(self) -> dict[str, Any]:
        """The fields with which files declare the kind, in their order: the values."""
        return {"values": self.values}

    @cached_property
    def grid(self) -> tuple[float, ...]:
        """The values as numbers, in increasing order, where they are some of the numbers that there can be; else empty.

        Three values or more that are all numbers are taken for that, except 0, 1, 2, … without a unit, which may be codes.
        """
        if len(self.values) < 3:
            return ()
        try:
            numbers = tuple(sorted(read_number(self.name, value) for value in self.values))
        except GraphError:
            return ()
        codes = not self.unit and all(number == numbers[0] + i for i, number in enumerate(numbers))
        return () if codes or len(set(numbers)) < len(numbers) else numbers

    @property
    def labels(self) -> tuple[str, ...]:
        """The values, for a label that is cut where there is no room."""
        return self.values

    def brief(self, most: int) -> str:
        """The first values, at most so many, and the unit, for a cell of a table."""
        return _first_of(self.values, most) + (f" ({self.unit})" if self.unit else "")

    def listed(self, most: int) -> str:
        """The first values, at most so many, for a line of its own."""
        return _values_of(self.values, most)

    @property
    def allowed(self) -> str:
        """The texts that can be written, for a message: "low or high"."""
        return _listed(self.values)

    @property
    def expected(self) -> str:
        """The values that must be told, for a message that asks for them."""
        return f"one of {', '.join(map(shown, self.values))}"

    def outside(self, value: object) -> str:
        """The reason why a number lies outside its bounds: empty; raises GraphError for impossible values."""
        written = self.written(value)
        _ = written in self.values or self.code(written)
        return ""

    def code(self, value: object) -> int:
        """No code exists, as the value is not known: raises GraphError."""
        raise GraphError(unknown("value", value, self.values, of=f" of the variable {shown(self.name)}"))

    def code_of_number(self, number: float) -> int:
        """The position of the first value: there are no borders."""
        return 0

    def measures(self, text: str) -> bool:
        """No text is a number."""
        return False

    @property
    def wishes(self) -> tuple[str, tuple[str, ...]]:
        """The value that is success."""
        return "success", self.values

    def number_or(self, why: str) -> Number:
        """No number exists: raises GraphError."""
        raise GraphError(why)

    def values_or(self, why: str) -> tuple[str, ...]:
        """The values."""
        return self.values

    @property
    def sketch(self) -> str:
        """The first values, in quotes."""
        some = self.values[:_MOST_SHOWN]
        return ", ".join(map(shown, some)) + (", …" if len(self.values) > len(some) else "")

    def cell(self, told: str) -> str | float | None:
        """The text."""
        return told

    def written(self, value: object) -> str:
        """The value; in a grid of numbers the value that is the same number, as 7.5 for 7,50."""
        if self.grid and str(value) not in self.values:
            try:
                number = read_number(self.name, value)
            except GraphError:
                return str(value)
            return next((v for v in self.values if read_number(self.name, v) == number), str(value))
        return str(value)


@dataclass(frozen=True)
class Cuts:
    """Values with borders between them: a number is written, and its value is where it lies."""

    name: str
    values: tuple[str, ...]
    unit: str
    borders: tuple[float, ...]

    measured = True
    number = None
    usual = None
    column = str
    grid = ()
    told_with = ()

    @property
    def declared(self) -> dict[str, Any]:
        """The values and the borders."""
        return {"values": self.values, "cut": self.borders}

    @property
    def span(self) -> str:
        """The numbers that each value stands for."""
        at = [f"{border:g}" for border in self.borders]
        upper = [f"below {border}: {value}" for border, value in zip(at, self.values, strict=False)]
        return "; ".join([*upper, f"from {at[-1]}: {self.values[-1]}"])

    @property
    def labels(self) -> tuple[str, ...]:
        """The values."""
        return self.values

    def brief(self, most: int) -> str:
        """The first values, and the borders."""
        cuts, unit = ", ".join(f"{border:g}" for border in self.borders), f" {self.unit}" if self.unit else ""
        return f"{_first_of(self.values, most)} (cut at {cuts}{unit})"

    def listed(self, most: int) -> str:
        """The first values."""
        return _values_of(self.values, most)

    @property
    def allowed(self) -> str:
        """The values, and a number."""
        cuts = ", ".join(f"{border:g}" for border in self.borders)
        return f"{_listed(self.values)}, or a number{_in(self.unit)} (cut at {cuts})"

    @property
    def expected(self) -> str:
        """The values, or a number."""
        return self.allowed

    def outside(self, value: object) -> str:
        """An empty text, for a value or a number."""
        written = self.written(value)
        _ = written in self.values or self.code(written)
        return ""

    def code(self, value: object) -> int:
        """The value in which the number lies; raises GraphError for what is no number."""
        if isinstance(value, str) and not is_number(value.strip()):
            meant = did_you_mean(value, self.values)
            raise GraphError(f"{shown(self.name)} is {shown(value)}{meant}; it must be {self.allowed}")
        return self.code_of_number(read_number(self.name, value))

    def code_of_number(self, number: float) -> int:
        """The value in which the number lies; on a border, the value above."""
        return bisect_right(self.borders, number)

    @property
    def about(self) -> dict[str, Any]:
        """The borders."""
        return {"cut": list(self.borders)}

    def measures(self, text: str) -> bool:
        """A text that is written as a number."""
        return is_number(text)

    @property
    def wishes(self) -> tuple[str, tuple[str, ...]]:
        """The value that is success."""
        return "success", self.values

    def number_or(self, why: str) -> Number:
        """No number exists: raises GraphError."""
        raise GraphError(why)

    def values_or(self, why: str) -> tuple[str, ...]:
        """The values."""
        return self.values

    @property
    def sketch(self) -> str:
        """The values, and a number."""
        return self.allowed

    def cell(self, told: str) -> str | float | None:
        """The text, a number in it with a decimal point."""
        return told if told in self.values else told.replace(",", ".")

    def written(self, value: object) -> str:
        """The number as it was written."""
        return str(value).strip()


@dataclass(frozen=True)
class Measure:
    """A number."""

    name: str
    number: Number
    unit: str

    measured = True
    values: tuple[str, ...] = ()
    wishes = "aim", AIMS
    column = float
    grid = ()

    @property
    def told_with(self) -> tuple[str, ...]:
        """The variables told with the kind of number."""
        return self.number.told_with

    @property
    def declared(self) -> dict[str, Any]:
        """The kind of number, and the statements about it."""
        return {self.number.word: True, **self.number.stated}

    @property
    def span(self) -> str:
        """Between which bounds the number lies."""
        return self.number.span

    @property
    def labels(self) -> tuple[str, ...]:
        """The kind and the unit."""
        return (f"a number{', ' + self.unit if self.unit else ''}",)

    def brief(self, most: int) -> str:
        """The number with its unit and bounds."""
        return self.allowed

    def listed(self, most: int) -> str:
        """The kind."""
        return "a number"

    @property
    def allowed(self) -> str:
        """The number with its unit and bounds."""
        return self.number.allowed(_in(self.unit))

    @property
    def expected(self) -> str:
        """The number with its unit and bounds."""
        return self.allowed

    def outside(self, value: object) -> str:
        """The bounds in words, for a number that is outside."""
        number = self.number.read(self.name, value)
        try:
            self.number.check(self.name, number)
        except GraphError as error:
            return str(error)
        return ""

    def code(self, value: object) -> int:
        """0, for a number within its bounds."""
        return self.code_of_number(self.number.read(self.name, value))

    def code_of_number(self, number: float) -> int:
        """0, for a number within its bounds."""
        self.number.check(self.name, number)
        return 0

    @property
    def about(self) -> dict[str, Any]:
        """The fields of the number."""
        return {"number": asdict(self.number)}

    @property
    def usual(self) -> tuple[float, float] | None:
        """The start and the reach of the kind of number."""
        return self.number.usual

    def measures(self, text: str) -> bool:
        """Every text is."""
        return True

    def number_or(self, why: str) -> Number:
        """The number."""
        return self.number

    def values_or(self, why: str) -> tuple[str, ...]:
        """No values exist: raises GraphError."""
        raise GraphError(why)

    @property
    def sketch(self) -> str:
        """The number with its unit and bounds."""
        return self.allowed

    def cell(self, told: str) -> str | float | None:
        """The number."""
        return read_number(self.name, told) if told else None

    def written(self, value: object) -> str:
        """The number as it was written."""
        return str(value).strip()


Kind: TypeAlias = Labels | Cuts | Measure
"""The kind of a variable: its possible values, and how they are read and written."""


def kind_of(name: str, values: tuple[str, ...], unit: str, cut: tuple[float, ...], number: Number | None) -> Kind:
    """The kind of a variable."""
    if number is not None:
        return Measure(name, number, unit)
    return Cuts(name, values, unit, cut) if cut else Labels(name, values, unit)


def _first_of(values: tuple[str, ...], most: int) -> str:
    """The first values, and how many there are."""
    return ", ".join(values[:most]) + (f", … ({len(values)})" if len(values) > most else "")


def _values_of(values: tuple[str, ...], most: int) -> str:
    """The first values, on a line of their own."""
    return f"values: {', '.join(values[:most])}{', …' if len(values) > most else ''}"


def _listed(values: tuple[str, ...]) -> str:
    """The first values, for a message."""
    some = values[:_MOST_SHOWN]
    more = len(values) - len(some)
    return f"{', '.join(some)} or {more} more" if more else " or ".join(some)


def _in(unit: str) -> str:
    return f" in {unit}" if unit else ""
