"""Variables: a name and finitely many labelled values, or a number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bestdo.arguments import shown_value
from bestdo.causal.number import MEASURED, Number, cut_of
from bestdo.causal.variable_kind import AIMS, Kind, kind_of
from bestdo.errors import GraphError, NoAim, NoSuccess, shown

__all__ = ["AIMS", "BOTH", "Variable", "first_twice", "no_aim", "no_success"]

BOTH = "<->"
"""Between the names of two variables: the name of their hidden common cause."""
_QUOTES = set('"`\\')  # not allowed in names: other programs disagree on how graph formats escape them
_LONGEST = 200  # characters of a name or a value: what still fits into tables and drawings; chosen, not measured
_MOST_VALUES = 32_767  # of one variable: codes are int16
_MOST_SHOWN = 8  # values of the reward that a message lists; chosen, not measured


def _as_label(value: object) -> object:
    """A value as text: numbers as people write them, 2 and not 2.0; anything else as it is, to be checked."""
    return f"{value:.12g}" if isinstance(value, int | float) and not isinstance(value, bool) else value


def _check_text(text: object, what: str, forbidden: set[str]) -> None:
    """Raises GraphError when a name or a value is not clean, printable text."""
    if not isinstance(text, str):
        raise GraphError(f"{what} must be text, not {text!r:.60}")
    if not text or text != text.strip():
        raise GraphError(f"{what} {shown(text)} is empty or starts or ends with a space")
    if len(text) > _LONGEST:
        raise GraphError(f"{what} {shown(text)} has {len(text)} characters; at most {_LONGEST} are allowed")
    bad = next((c for c in text if c in forbidden or not c.isprintable()), None)
    if bad is not None:
        raise GraphError(
            f"{what} {shown(text)} holds the character {bad!r}; "
            f"control and invisible characters{' and ' + ' '.join(sorted(forbidden)) if forbidden else ''} "
            "are not allowed"
        )


def first_twice(names: Iterable[str]) -> str:
    """The first name that occurs a second time; there must be one."""
    seen = set[str]()
    return next(n for n in names if n in seen or seen.add(n))  # type: ignore[func-returns-value]


@dataclass(frozen=True)
class Variable:
    """A variable, that is a node of the graph: a name and finitely many labelled values.

    A variable that is a number has one value, `MEASURED`, beside which the number is kept; it can be a reward or be limited.

    Raises GraphError for a name or values that cannot be.

    >>> import bestdo
    >>> bestdo.Variable("moisture", ("dry", "wet"), cut=(18.0,), unit="%").code("17,5")
    0
    """

    name: str
    values: tuple[str, ...] = ("0", "1")
    hidden: bool = False
    description: str = ""
    unit: str = ""
    cut: tuple[float, ...] = ()
    """The borders between the values, where numbers are measured. A number on a border has the value above it."""
    number: Number | None = None
    """The bounds, where the variable is a number."""

    def __post_init__(self) -> None:
        if isinstance(self.values, str):
            raise GraphError(
                f"the values of {shown(self.name)} are a list of labels, not the text {shown(self.values)}"
            )
        if not isinstance(self.number, Number | None):
            raise GraphError(
                f"number of {shown(self.name)} is its bounds, as Number(0, 400), not {shown_value(self.number)}"
            )
        for name, given in (("values", self.values), ("cut", self.cut)):
            if not isinstance(given, Iterable):
                example = "('low', 'high')" if name == "values" else "(18.0,)"
                raise GraphError(f"{name} of {shown(self.name)} is a list, as {example}, not {shown_value(given)}")
        object.__setattr__(
            self, "values", (MEASURED,) if self.number is not None else tuple(map(_as_label, self.values))
        )
        parts = self.name.split(BOTH) if self.hidden and isinstance(self.name, str) else [self.name]
        for part in parts:
            _check_text(part, "the variable name", _QUOTES)
            if BOTH in part:
                raise GraphError(
                    f"the variable name {shown(part)} holds {BOTH}, which stands for a hidden common cause"
                )
        for value in self.values:
            _check_text(value, f"variable {shown(self.name)}: the value", set())
        if not self.values or len(self.values) > _MOST_VALUES:
            raise GraphError(
                f"variable {shown(self.name)} has {len(self.values)} values; 1 to {_MOST_VALUES} are allowed"
            )
        if len(set(self.values)) < len(self.values):
            twice = first_twice(self.values)
            raise GraphError(f"variable {shown(self.name)} lists the value {shown(twice)} twice")
        if self.cut:
            object.__setattr__(self, "cut", cut_of(self.name, tuple(self.cut), self.values))
        for label, text in (("description", self.description), ("unit", self.unit)):
            if not isinstance(text, str) or not all(c.isprintable() or c == "\n" for c in text):
                raise GraphError(f"variable {shown(self.name)}: the {label} must be printable text")

    def __repr__(self) -> str:
        return f"Variable({shown(self.name)}: {self.kind.sketch}{', hidden' if self.hidden else ''})"

    @cached_property
    def kind(self) -> Kind:
        """Labelled values, values with cuts between them, or a number."""
        return kind_of(self.name, self.values, self.unit, self.cut, self.number)

    @property
    def measured(self) -> bool:
        """Whether the variable is measured in numbers: it is a number, or its values have cuts between them."""
        return self.kind.measured

    @property
    def grid(self) -> tuple[float, ...]:
        """The values as numbers, in increasing order, where they are some of the possible numbers; else empty."""
        return self.kind.grid

    @cached_property
    def _codes(self) -> dict[str, int]:
        return {value: code for code, value in enumerate(self.values)}

    def code(self, value: object) -> int:
        """The position of a value among this variable's values; of a number, where the variable is measured in numbers."""
        known = self._codes.get(str(value))
        return self.kind.code(value) if known is None else known

    @property
    def allowed(self) -> str:
        """The texts that can be told, for a message: "low or high", "dry or wet, or a number in % (cut at 18)"."""
        return self.kind.allowed

    def kept(self, value: object) -> str:
        """A value as text, as it is kept; in a grid of numbers the value that is the same number, as 7.5 for 7,50."""
        return self.kind.written(value)

    def code_of_number(self, number: float) -> int:
        """The code of a number that was measured: 0 where the variable is a number, else that of its value by the cuts."""
        return self.kind.code_of_number(number)


def no_success(reward: Variable) -> NoSuccess:
    """The error where nothing says which value of the reward is success."""
    some = [shown(value) for value in reward.values[:_MOST_SHOWN]]
    more = len(reward.values) - len(some)
    listed = f"{', '.join(some)} or {more} more" if more else f"{', '.join(some[:-1])} or {some[-1]}"
    error = NoSuccess(f"which value of the reward {shown(reward.name)} is success, {listed}? Name it as success")
    error.value = reward.values[0]
    return error


def no_aim(reward: Variable) -> NoAim:
    """The error where nothing says whether a reward that is a number should be large or small."""
    return NoAim(
        f"should the reward {shown(reward.name)} be as large or as small as possible? Say aim: {' or '.join(AIMS)}"
    )
