"""The kinds of limits: which quantity of a variable is limited, and everything that depends on it.

A further kind needs a class here, its place in `LimitedOutcome`, its fields in `FIELDS` and `outcome_of`, what forms ask
(`HINT` and the names below it, `typed_fields`), and the same fields of `Limit`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.bandit.rounds import Rounds, rewards
from bestdo.causal.graph import Graph
from bestdo.causal.number import read_number
from bestdo.causal.outcome import Outcome
from bestdo.causal.variable import Variable
from bestdo.causal.variable_kind import Cuts, Labels, Measure
from bestdo.errors import GraphError, shown
from bestdo.text import quoted

__all__ = [
    "BESIDE",
    "BOUND_IN_UNIT",
    "FIELDS",
    "HINT",
    "OF_A_NUMBER",
    "ChanceOfValue",
    "LimitedOutcome",
    "MeanOfNumber",
    "TailOfNumber",
    "outcome_of",
    "typed_fields",
]

FIELDS: Mapping[str, type[str] | type[float]] = {"value": str, "above": float, "below": float}
"""The fields of a limit that say its kind, in Python and in files, each text or a number."""

HINT = "how often a variable has a value, or a number is above or below another (from 0 to 1), or the mean of a number"
"""The kinds of limits in words, as a form explains them."""
OF_A_NUMBER: Mapping[str, str] = {"": "on average", "above": "is above", "below": "is below"}
"""The choices that a form offers for a number, in words; all but the first need a number beside them."""
BESIDE = "the number above or below which"
"""The label of the number beside such a choice."""
BOUND_IN_UNIT = ("",)
"""The choices whose bound has the unit of the variable; with the others, the number beside them has it."""

_BEYOND = ("no", "yes")  # whether a number lies beyond another one

_Tables = Mapping[str, Floats]
_Numbers = Mapping[str, Outcome]


@dataclass(frozen=True)
class ChanceOfValue:
    """The chance that a variable has a value."""

    name: str
    value: str
    measured = False
    """Whether the quantity is worked out from measured numbers, not from values."""

    def compared(self, bound: float) -> float:
        """The number with which the mean of the graph that `of` makes is compared, from the bound of a limit."""
        return bound

    @property
    def words(self) -> str:
        """The chance in words."""
        return f"P({quoted(self.name)} = {quoted(self.value)})"

    @property
    def typed(self) -> tuple[str, str]:
        """The choice in a form, and the number typed beside it, as `typed_fields` reads them: the value alone."""
        return self.value, ""

    def ends(self, variable: Variable) -> tuple[float, float]:
        """The ends of a chance, 0 and 1; raises GraphError where the variable has no such value."""
        name = shown(self.name)
        if self.value not in variable.kind.values_or(f"{name} is a number, and its mean is limited: leave out value"):
            variable.code(self.value)
            raise GraphError(f"{shown(self.value)} is no value of {name}, but a number that is cut into its values")
        return 0.0, 1.0

    def of(self, graph: Graph) -> Graph:
        """The graph whose reward is the quantity: its success is the value."""
        return graph.rewarding(self.name, self.value)

    def rounds(self, rounds: Rounds, graph: Graph) -> Rounds:
        """The rounds with the quantity as the reward of this graph, which `of` made: those in which the variable was seen."""
        rounds = _picked(rounds, rounds.x[:, graph.names.index(self.name)] >= 0)
        return rounds._replace(y=rewards(graph, rounds.x))

    def truth(self, graph: Graph, tables: _Tables, numbers: _Numbers) -> tuple[_Tables, _Numbers]:
        """The tables and numbers of a model of the graph that `of` makes, from those of a model of this graph: unchanged."""
        return tables, numbers


@dataclass(frozen=True)
class MeanOfNumber:
    """The mean of a variable that is a number."""

    name: str
    measured = True

    def compared(self, bound: float) -> float:
        """The bound itself."""
        return bound

    @property
    def words(self) -> str:
        """The mean in words."""
        return f"the mean of {quoted(self.name)}"

    @property
    def typed(self) -> tuple[str, str]:
        """An empty text: the mean is the first choice."""
        return "", ""

    def ends(self, variable: Variable) -> tuple[float | None, float | None]:
        """The bounds of the number, where it has some."""
        values = ", ".join(map(shown, variable.values[:8]))
        why = f"which value of {shown(self.name)} is limited? Say value: one of {values}"
        number = variable.kind.number_or(why)
        return number.low, number.high

    def of(self, graph: Graph) -> Graph:
        """The graph in which the number is the reward, and large is better."""
        return graph.rewarding(self.name, aim="maximise")

    def rounds(self, rounds: Rounds, graph: Graph) -> Rounds:
        """The rounds in which the number is known."""
        numbers, known = _known_numbers(rounds, graph, self.name)
        rounds = _picked(rounds, known)
        return rounds._replace(y=rewards(graph, rounds.x, {**rounds.numbers, self.name: numbers[known]}))

    def truth(self, graph: Graph, tables: _Tables, numbers: _Numbers) -> tuple[_Tables, _Numbers]:
        """The tables and numbers as they are."""
        return tables, numbers


@dataclass(frozen=True)
class TailOfNumber:
    """The chance that a variable which is a number lies beyond another number, on one side of it: a success or a failure.

    A number that equals the other one does not lie beyond it.
    """

    name: str
    side: str
    """The side: above or below, as the field of a limit has it."""
    at: float
    measured = True

    def compared(self, bound: float) -> float:
        """The bound itself."""
        return bound

    @property
    def words(self) -> str:
        """The chance in words."""
        return f"P({quoted(self.name)} {'>' if self.side == 'above' else '<'} {self.at:g})"

    @property
    def typed(self) -> tuple[str, str]:
        """The side, and the number."""
        return self.side, f"{self.at:.12g}"

    def ends(self, variable: Variable) -> tuple[float, float]:
        """The ends of a chance, 0 and 1."""
        name = shown(self.name)
        values = ", ".join(map(shown, variable.values[:8]))
        why = f"{name} is no number that can be {self.side} {self.at:g}: say value, one of {values}"
        number = variable.kind.number_or(why)
        low, high = number.ends
        if not (low <= self.at < high if self.side == "above" else low < self.at <= high):
            raise GraphError(
                f"{name} is {number.span} by the problem, so it is always or never {self.side} {self.at:g}: say "
                "a number between"
            )
        return 0.0, 1.0

    def of(self, graph: Graph) -> Graph:
        """The graph in which the variable has two values, and success is that it lies beyond."""
        two = (replace(v, values=_BEYOND, number=None) if v.name == self.name else v for v in graph.variables)
        return replace(graph, variables=tuple(two), reward=self.name, success=_BEYOND[1], worth=None, aim=None)

    def rounds(self, rounds: Rounds, graph: Graph) -> Rounds:
        """The rounds in which the number is known; those in which it lies beyond are successes."""
        numbers, known = _known_numbers(rounds, graph, self.name)
        rounds, numbers = _picked(rounds, known), numbers[known]
        x = rounds.x.copy()
        x[:, graph.names.index(self.name)] = numbers > self.at if self.side == "above" else numbers < self.at
        return rounds._replace(x=x, y=rewards(graph, x))

    def truth(self, graph: Graph, tables: _Tables, numbers: _Numbers) -> tuple[_Tables, _Numbers]:
        """The tables with that of the two values in place of the number; what the number causes does not depend on them."""
        number = graph.variable(self.name).number
        assert number is not None
        least = self.at if self.side == "above" else float(np.nextafter(self.at, -np.inf))
        within = numbers[self.name].at_most(least, number.bounds)
        chances = (within, 1 - within) if self.side == "above" else (1 - within, within)
        tables = {**tables, self.name: np.stack(chances, axis=-1)}
        numbers = {name: outcome for name, outcome in numbers.items() if name != self.name}
        for child in graph.children[self.name]:
            axis = graph.parents[child].index(self.name) - len(graph.parents[child])
            if child in tables:
                tables[child] = np.repeat(tables[child], 2, axis - 1)
            if child in numbers:
                mean, spread = (np.repeat(each, 2, axis) for each in (numbers[child].mean, numbers[child].spread))
                numbers[child] = replace(numbers[child], mean=mean, spread=spread)
        return tables, numbers


LimitedOutcome: TypeAlias = ChanceOfValue | MeanOfNumber | TailOfNumber
"""A quantity of a variable that is limited, under the name of the variable."""


def _picked(rounds: Rounds, which: NDArray[np.bool_]) -> Rounds:
    """The rounds of a mask (bool[R])."""
    return rounds if which.all() else rounds.pick(np.flatnonzero(which))


def _known_numbers(rounds: Rounds, graph: Graph, name: str) -> tuple[Floats, NDArray[np.bool_]]:
    """The numbers of a variable (float[R]), and in which rounds they are known (bool[R])."""
    numbers = rounds.numbers.get(name, np.full(len(rounds.x), np.nan))
    return numbers, (rounds.x[:, graph.names.index(name)] >= 0) & ~np.isnan(numbers)


def outcome_of(
    name: str, bound: float, value: str | None = None, above: float | None = None, below: float | None = None
) -> LimitedOutcome:
    """The quantity of a variable that the fields of a limit name: those of `FIELDS`; raises GraphError where two do.

    The bound is for a quantity whose graph (`of`) depends on it, as that of a median does: no kind needs it yet.
    """
    given = [field for field, said in zip(FIELDS, (value, above, below), strict=True) if said is not None]
    if len(given) > 1:
        raise GraphError(
            f"the limit on {shown(name)} has both {given[0]} and {given[1]}; say one of them in each limit"
        )
    if value is not None:
        return ChanceOfValue(name, value)
    at = above if below is None else below
    return MeanOfNumber(name) if at is None else TailOfNumber(name, given[0], at)


def typed_fields(chosen: str, beside: str, variable: Variable) -> dict[str, str | float]:
    """The fields of a limit on a variable, from what was chosen in a form and the number that was typed beside it."""
    return _TYPED[type(variable.kind)](chosen, beside, variable)


def _typed_value(chosen: str, beside: str, variable: Variable) -> dict[str, str | float]:
    """The value of which the chance is limited."""
    return {"value": chosen} if chosen else {}


def _typed_side(chosen: str, beside: str, variable: Variable) -> dict[str, str | float]:
    """The side and the number beyond which a number must not be too often; nothing for its mean."""
    if chosen not in ("above", "below"):
        return {}
    if not beside:
        raise GraphError(f"{chosen} which number must {shown(variable.name)} not be too often? Give it")
    return {chosen: read_number(variable.name, beside)}


_TYPED = {Labels: _typed_value, Cuts: _typed_value, Measure: _typed_side}
"""The readers of what was chosen in a form, by the kind of variable."""
