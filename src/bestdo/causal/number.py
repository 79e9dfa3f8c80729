"""Variables that are measured in numbers: their bounds, and numbers as people write them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from bestdo.errors import GraphError, shown
from bestdo.text import counted

if TYPE_CHECKING:  # graphs are drawn without numpy
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "LARGEST",
    "MEASURED",
    "NUMBERS",
    "Asked",
    "Count",
    "Number",
    "cut_of",
    "grid_labels",
    "is_number",
    "number_of",
    "read_number",
]

MEASURED = "a number"
"""The only value of a variable that is a number: its code 0 says that it was measured, the number is kept beside it."""
# Digits, a point or a comma, and an exponent; the longest number in double precision has 17 digits that matter.
_WRITTEN = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,3})?", re.ASCII)
LARGEST = 1e100
"""The largest number that is taken: sums of squares stay finite in double precision, in the unit of any spread as well."""
_LEAST_SPREAD = 1e-40  # numbers are divided by the spread before they are squared, and the largest one must stay finite
_MOST_STEPS = 1000  # values of a grid: each is an action of its own; chosen, not measured
_DIGITS = 12  # digits of a label in a grid: 0.1 + 0.2 is "0.3"
_LONGEST = 400  # characters of a number: 1e308 written out has 309; a limit of time and of what a message can show


class Asked(NamedTuple):
    """A field of a form that asks for what can be stated of a number."""

    key: str
    words: str
    """The words before the field."""
    label: str
    """The label of the field, before the name of the variable."""
    example: str = ""


@dataclass(frozen=True)
class Number:
    """The prior knowledge about a number: its bounds, where it has them, or how widely it is spread.

    Raises GraphError for bounds that are no numbers, or in the wrong order.

    >>> import bestdo
    >>> bestdo.Variable("harvest", number=bestdo.Number(low=0, high=12), unit="t/ha").unit
    't/ha'
    """

    low: float | None = None
    high: float | None = None
    spread: float | None = None
    """A standard deviation that the number does not exceed whatever is done; for learners that need one and no bounds."""

    def __post_init__(self) -> None:
        for what in ("low", "high", "spread"):
            value = getattr(self, what)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise GraphError(f"{what} is {value!r:.30}; it must be a number")
            if not abs(value) <= LARGEST:
                raise GraphError(f"{what} is {value!r:.30}; it must be a number, at most {LARGEST:g} in size")
            object.__setattr__(self, what, float(value))
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise GraphError(f"low is {self.low:g} and high is {self.high:g}; low must be below high")
        if self.spread is not None and self.spread < _LEAST_SPREAD:
            raise GraphError(
                f"spread is {self.spread:g}; it must be above 0{f', at least {_LEAST_SPREAD:g}' if self.spread > 0 else ''}"
            )

    word: ClassVar[str] = "number"
    """The word with which files and forms declare this kind of number."""

    choice: ClassVar[str] = "a number"
    """The choice by which a form offers this kind of number."""

    asked: ClassVar[tuple[Asked, ...]] = ()
    """The fields with which a form asks for what is stated, beside bounds and spread."""

    family: ClassVar[str] = "real"
    """The family of the means of such numbers, if one is the reward."""

    names_stated: ClassVar[tuple[str, ...]] = ()
    """The statements that are names of other variables."""

    @staticmethod
    def count(typical: float | None = None, exposure: str | None = None) -> Count:
        """A number of events, 0 or more: tickets, defects, infections.

        exposure: the name of a number that is told with each count, as hours or visitors; the mean is then per unit of it.
        typical: a usual count (per unit of exposure), for rehearsals before the first round.

        >>> import bestdo
        >>> bestdo.Variable("tickets", number=bestdo.Number.count(exposure="hours")).allowed
        'a whole number, 0 or more'
        """
        return Count(typical, exposure)

    @classmethod
    def stated_by(cls) -> tuple[str, ...]:
        """The keys of all statements about such a number."""
        return tuple(part.name for part in fields(cls) if part.init)

    @property
    def told_with(self) -> tuple[str, ...]:
        """The variables that must be told where the number is told, each a number."""
        return tuple(self.stated[key] for key in self.names_stated if key in self.stated)

    def read(self, name: str, text: object) -> float:
        """The number that a person wrote; raises GraphError for what cannot be one, and not for one outside the bounds."""
        return read_number(name, text)

    def check_told(self, numbers: Mapping[str, float]) -> None:
        """Raises GraphError for numbers that cannot be told together: that of the variable, and those told with it."""

    def per_unit(self, own: NDArray[np.float64], others: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """The numbers whose mean is wanted, from those of the variable and of those that are told with it (float[R])."""
        return own

    def weight(self, others: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64] | None:
        """The weight of each round (float[R]), from the numbers that are told with it; None where all are worth 1."""
        return None

    def unit_of_mean(self, unit: str) -> str:
        """The unit of the mean of such a number, which has this unit itself."""
        return unit

    @property
    def shape(self) -> str:
        """The shape with which such numbers are drawn (`Outcome.shape`)."""
        return "normal" if self.bounds is None else "beta"

    @property
    def usual(self) -> tuple[float, float] | None:
        """The start and the reach of means before anything is seen; None where nothing says it."""
        if self.bounds is not None:
            return self.bounds[0], self.bounds[1] - self.bounds[0]
        return None if self.spread is None else (0.0, 2 * self.spread)

    @property
    def stated(self) -> dict[str, Any]:
        """The statements about the number, by their keys."""
        return {key: value for key in self.stated_by() if (value := getattr(self, key)) is not None}

    @property
    def ends(self) -> tuple[float, float]:
        """Both bounds; infinite where one is missing."""
        return -math.inf if self.low is None else self.low, math.inf if self.high is None else self.high

    @property
    def span(self) -> str:
        """The bounds in words; empty where there are none."""
        low, high = self.ends
        parts = f"at least {low:g}" if math.isfinite(low) else "", f"at most {high:g}" if math.isfinite(high) else ""
        return f"from {low:g} to {high:g}" if all(parts) else "".join(parts)

    def allowed(self, unit: str) -> str:
        """The texts that can be written, for a message, with the unit as " in t/ha"."""
        return f"a number{unit}{' ' if self.bounds else ', ' if self.span else ''}{self.span}"

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Both bounds; None where one of them is missing."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def check(self, name: str, value: float) -> float:
        """The value; raises GraphError where it lies outside the bounds."""
        low, high = self.ends
        if not low <= value <= high:
            most = f"at least {low:g} and at most {high:g}" if self.bounds else self.span
            raise GraphError(f"{shown(name)} is {value:g}; by the problem it is {most}")
        return value


@dataclass(frozen=True)
class Count(Number):
    """A number of events, 0 or more: tickets, defects, infections.

    exposure: the name of a number that is told with each count, as hours or visitors; the mean is then per unit of it.
    typical: a usual count (per unit of exposure), for rehearsals before the first round. Raises GraphError for what cannot
    be.

    >>> from bestdo import Number, Variable
    >>> Variable("tickets", number=Number.count(exposure="hours")).allowed
    'a whole number, 0 or more'
    """

    low: float | None = field(default=0.0, init=False)
    high: float | None = field(default=None, init=False)
    spread: float | None = field(default=None, init=False)
    typical: float | None = None
    exposure: str | None = None

    word: ClassVar[str] = "count"
    choice: ClassVar[str] = "a count"
    family: ClassVar[str] = "poisson"
    names_stated: ClassVar[tuple[str, ...]] = ("exposure",)
    asked: ClassVar[tuple[Asked, ...]] = (
        Asked("typical", "usually", "Usual count of", "20"),
        Asked("exposure", "per", "Number that is told with", "hours"),
    )
    shape = "counts"

    def __post_init__(self) -> None:
        if self.typical is not None:
            typical = read_number("typical", self.typical)
            if typical <= 0:
                raise GraphError(f"typical is {typical:g}; a usual count is above 0")
            object.__setattr__(self, "typical", typical)
        if self.exposure is not None and (not isinstance(self.exposure, str) or not self.exposure):
            raise GraphError(f"exposure is {self.exposure!r:.30}; it must be the name of a number, such as hours")

    def allowed(self, unit: str) -> str:
        """The texts that can be written, for a message."""
        return f"a whole number{unit}, 0 or more"

    def read(self, name: str, text: object) -> float:
        """The count that a person wrote; raises GraphError for what is none."""
        return self.check(name, read_number(name, text))

    def check(self, name: str, value: float) -> float:
        """The value; raises GraphError where it is no count."""
        if value < 0 or value != math.floor(value):
            raise GraphError(f"{shown(name)} is {value:g}; it is a count, a whole number from 0")
        return value

    def check_told(self, numbers: Mapping[str, float]) -> None:
        """Raises GraphError for an exposure that is not above 0."""
        _check_exposure(self.exposure, numbers.get(self.exposure or "", 1.0))

    def per_unit(self, own: NDArray[np.float64], others: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """Counts per unit of exposure; of 1 where none is drawn in a simulation."""
        exposure = self.weight(others)
        return own if exposure is None else own / exposure

    def weight(self, others: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64] | None:
        """The exposure of each round."""
        exposure = others.get(self.exposure or "")
        if exposure is not None and len(exposure):
            _check_exposure(self.exposure, float(exposure.min()))
        return exposure

    def unit_of_mean(self, unit: str) -> str:
        """The unit, per unit of exposure."""
        return unit if self.exposure is None else f"{unit or 'events'} per {self.exposure}"

    @property
    def usual(self) -> tuple[float, float] | None:
        """Means between 0 and twice the usual count."""
        return None if self.typical is None else (0.0, 2 * self.typical)


def _check_exposure(name: str | None, least: float) -> None:
    """Raises GraphError where an exposure is not above 0."""
    if least <= 0:
        raise GraphError(f"{shown(str(name))} is {least:g}; events are counted per unit of it, so it must be above 0")


NUMBERS: dict[str, type[Number]] = {kind.word: kind for kind in (Number, Count)}
"""The kinds of numbers by the word with which files and forms declare them; a further kind is a further class here."""


def number_of(about: Mapping[str, Any]) -> Number | None:
    """The number that the fields of a variable declare, as `number = true` with bounds; None where they declare none."""
    kind = next((made for word, made in NUMBERS.items() if about.get(word)), None)
    return None if kind is None else kind(**{key: about[key] for key in kind.stated_by() if key in about})


def read_number(name: str, text: object) -> float:
    """The number that a person wrote, with a decimal point or comma; raises GraphError for what is no finite number."""
    if isinstance(text, (int, float)) and not isinstance(text, bool):
        value = float(text) if abs(text) <= LARGEST or text != text else math.inf  # a whole number may have any size
    else:
        written = str(text).strip()
        if len(written) > _LONGEST:
            raise GraphError(f"{shown(name)} is written with {len(written)} characters; at most {_LONGEST} are allowed")
        if not _WRITTEN.fullmatch(written):
            raise GraphError(f"{shown(name)} is {shown(text)}; it must be a number, such as 12.5")
        value = float(written.replace(",", "."))
    if not abs(value) <= LARGEST:
        raise GraphError(f"{shown(name)} is {shown(text)}; it must be a finite number, at most {LARGEST:g} in size")
    return value


def is_number(text: str) -> bool:
    """Whether the text is a number as people write it."""
    return _WRITTEN.fullmatch(text) is not None


def cut_of(name: str, cut: tuple[object, ...], values: tuple[str, ...]) -> tuple[float, ...]:
    """The borders between the values of a variable that is measured in numbers, after checking them."""
    borders = tuple(read_number(f"the cut of {name}", border) for border in cut)
    if any(after <= before for before, after in itertools.pairwise(borders)):
        raise GraphError(
            f"the cuts of {shown(name)} are {', '.join(f'{b:g}' for b in borders)}; each must be above the one before"
        )
    if len(borders) != len(values) - 1:
        raise GraphError(
            f"{shown(name)} has {len(values)} values and {counted(len(borders), 'cut')}; it needs {len(values) - 1}"
        )
    for value in values:
        if is_number(value):
            raise GraphError(
                f"{shown(name)} is cut, and its value {shown(value)} looks like a number that was measured: "
                "give its values names in words"
            )
    return borders


def grid_labels(first: float, last: float, steps: int) -> tuple[str, ...]:
    """Evenly spaced numbers from the first to the last, both included, as values of a variable: "0", "2.5", "5"."""
    if not -LARGEST <= first < last <= LARGEST:
        most = f", both at most {LARGEST:g} in size" if first < last else ""
        raise GraphError(f"a grid goes from a number to a larger one{most}, not from {first:g} to {last:g}")
    if not 2 <= steps <= _MOST_STEPS:
        raise GraphError(f"a grid has 2 to {_MOST_STEPS:,} steps, not {steps}")
    step = (last - first) / (steps - 1)
    labels = tuple(f"{round(first + step * i, _decimals(step)) + 0.0:.{_DIGITS}g}" for i in range(steps))
    if len(set(labels)) < steps:
        raise GraphError(
            f"a grid of {steps} steps from {first!r} to {last!r} is too fine: they differ after {_DIGITS} digits"
        )
    return labels


def _decimals(step: float) -> int:
    """The number of decimals that tell numbers apart one step from each other, as a person would write them."""
    return _DIGITS - 1 - math.floor(math.log10(abs(step)))
