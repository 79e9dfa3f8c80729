"""A verb of a study as a value: carried out where the journal is in a database, sent where it is on a server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from bestdo.arguments import whole_number
from bestdo.study.remote_answers import NOTHING, Shape

if TYPE_CHECKING:
    from bestdo.bandit.problem import Problem
    from bestdo.study.journal import DatabaseJournal, Journal

__all__ = ["RoundVerb", "Verb"]

_A = TypeVar("_A")


@dataclass(frozen=True)
class Verb(ABC, Generic[_A]):
    """A change of a study; its fields are those of the request that a server takes, with their defaults there."""

    path: ClassVar[str]
    """The address of the request, below that of the study."""
    command: ClassVar[str]
    """The name of the verb, as a command and in the description of the JSON interface."""
    about: ClassVar[str]
    """The effect of the verb, as an order: in the description of the JSON interface."""
    heading: ClassVar[str] = ""
    """The heading of the verb's form on the page of settings, which asks for `choices`; no form where it is empty."""
    button: ClassVar[str] = ""
    """The words on the button of that form."""
    shape: ClassVar[Shape] = NOTHING
    """The answer of a server."""

    @abstractmethod
    def carry_out(self, journal: DatabaseJournal) -> _A:
        """Changes the study in a database, in one transaction."""

    @classmethod
    def choices(cls, problem: Problem) -> Mapping[str, Sequence[str]]:
        """The values of fields between which a form lets people choose; there is no form while a field has none."""
        return {}

    def address(self) -> str:
        """The address of the request, below that of the study."""
        return self.path

    def body(self) -> dict[str, Any]:
        """The fields of the request; those that are not said are left out, so that older servers take it."""
        said = [(field, getattr(self, field.name)) for field in fields(self)]
        return {field.name: value for field, value in said if value is not None and value is not field.default}

    def read(self, answer: Any, journal: Journal) -> _A:
        """The result, from the answer of a server; what it does not hold is read in the journal."""
        result: _A = answer
        return result


@dataclass(frozen=True)
class RoundVerb(Verb[None]):
    """A change of one round."""

    number: int

    def address(self) -> str:
        """The address of the request: the number of the round is part of it."""
        return f"rounds/{whole_number('the number of a round', self.number)}/{self.path}"

    def body(self) -> dict[str, Any]:
        """The fields of the request, without the number."""
        return {name: value for name, value in super().body().items() if name != "number"}
