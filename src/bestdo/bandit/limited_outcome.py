"""The kinds of limits: which quantity of a variable is limited, and everything that depends on it.

A further kind needs a class here, its fields in `FIELDS`, and the same fields of `Limit`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.bandit.rounds import Rounds, rewards
from bestdo.causal.graph import Graph
from bestdo.causal.outcome import Outcome
from bestdo.causal.variable import Variable
from bestdo.errors import GraphError, shown
from bestdo.text import quoted

__all__ = ["FIELDS", "ChanceOfValue", "LimitedOutcome", "MeanOfNumber", "outcome_of", "typed_fields"]

FIELDS: Mapping[str, type[str] | type[float]] = {"value": str}
"""The fields of a limit that say its kind, in Python and in files, each text or a number."""

Tables = Mapping[str, Floats]
Numbers = Mapping[str, Outcome]


class LimitedOutcome(Protocol):
    """A quantity of a variable that is limited, under the name of the variable."""

    @property
    def name(self) -> str:
        """The name of the variable."""
        ...

    @property
    def words(self) -> str:
        """The quantity in words."""
        ...

    @property
    def typed(self) -> str:
        """The kind as a form shows it, and as `typed_fields` reads it."""
        ...

    @property
    def measured(self) -> bool:
        """Whether the quantity is worked out from measured numbers, not from values."""
        ...

    def ends(self, variable: Variable) -> tuple[float | None, float | None]:
        """The ends between which the quantity lies; raises GraphError where the variable has no such quantity."""
        ...

    def of(self, graph: Graph) -> Graph:
        """The graph whose reward is the quantity: its chance, or its mean, is that of the reward."""
        ...

    def rounds(self, rounds: Rounds, graph: Graph) -> Rounds:
        """The rounds with the quantity as the reward of this graph, which `of` made; without those that do not show it."""
        ...

    def truth(self, graph: Graph, tables: Tables, numbers: Numbers) -> tuple[Tables, Numbers]:
        """The tables and numbers of a model of the graph that `of` made, from those of a model of another reward."""
        ...


@dataclass(frozen=True)
class ChanceOfValue:
    """The chance that a variable has a value."""

    name: str
    value: str
    measured = False

    @property
    def words(self) -> str:
        """The chance in words."""
        return f"P({quoted(self.name)} = {quoted(self.value)})"

    @property
    def typed(self) -> str:
        """The value."""
        return self.value

    def ends(self, variable: Variable) -> tuple[float, float]:
        """The ends of a chance, 0 and 1."""
        name = shown(self.name)
        if variable.number is not None:
            raise GraphError(f"{name} is a number, and its mean is limited: leave out value")
        if self.value not in variable.values:
            variable.code(self.value)
            raise GraphError(f"{shown(self.value)} is no value of {name}, but a number that is cut into its values")
        return 0.0, 1.0

    def of(self, graph: Graph) -> Graph:
        """The graph whose success is the value."""
        return graph.rewarding(self.name, self.value)

    def rounds(self, rounds: Rounds, graph: Graph) -> Rounds:
        """The rounds in which the variable was seen; those with the value are successes."""
        rounds = _picked(rounds, rounds.x[:, graph.names.index(self.name)] >= 0)
        return rounds._replace(y=rewards(graph, rounds.x))

    def truth(self, graph: Graph, tables: Tables, numbers: Numbers) -> tuple[Tables, Numbers]:
        """The tables and numbers as they are."""
        return tables, numbers


@dataclass(frozen=True)
class MeanOfNumber:
    """The mean of a variable that is a number."""

    name: str
    measured = True

    @property
    def words(self) -> str:
        """The mean in words."""
        return f"the mean of {quoted(self.name)}"

    @property
    def typed(self) -> str:
        """An empty text: a form asks for the mean unless something is typed."""
        return ""

    def ends(self, variable: Variable) -> tuple[float | None, float | None]:
        """The bounds of the number, where it has some."""
        if variable.number is None:
            values = ", ".join(map(shown, variable.values[:8]))
            raise GraphError(f"which value of {shown(self.name)} is limited? Say value: one of {values}")
        return variable.number.low, variable.number.high

    def of(self, graph: Graph) -> Graph:
        """The graph in which the number is the reward, and large is better."""
        return graph.rewarding(self.name, aim="maximise")

    def rounds(self, rounds: Rounds, graph: Graph) -> Rounds:
        """The rounds in which the number is known."""
        numbers, known = _known_numbers(rounds, graph, self.name)
        rounds = _picked(rounds, known)
        return rounds._replace(y=rewards(graph, rounds.x, {**rounds.numbers, self.name: numbers[known]}))

    def truth(self, graph: Graph, tables: Tables, numbers: Numbers) -> tuple[Tables, Numbers]:
        """The tables and numbers as they are."""
        return tables, numbers


def _picked(rounds: Rounds, which: NDArray[np.bool_]) -> Rounds:
    """The rounds of a mask (bool[R])."""
    return rounds if which.all() else rounds.pick(np.flatnonzero(which))


def _known_numbers(rounds: Rounds, graph: Graph, name: str) -> tuple[Floats, NDArray[np.bool_]]:
    """The numbers of a variable (float[R]), and in which rounds they are known (bool[R])."""
    numbers = rounds.numbers.get(name, np.full(len(rounds.x), np.nan))
    return numbers, (rounds.x[:, graph.names.index(name)] >= 0) & ~np.isnan(numbers)


def outcome_of(name: str, value: str | None) -> LimitedOutcome:
    """The quantity of a variable that the fields of a limit name."""
    return MeanOfNumber(name) if value is None else ChanceOfValue(name, value)


def typed_fields(text: str, variable: Variable) -> dict[str, str]:
    """The fields of a limit on a variable that were typed in a form as one text."""
    return {"value": text} if text and variable.number is None else {}
