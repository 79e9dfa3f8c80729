"""The law of the reward's parents under each action, P(parents of Y | a): what Algorithm 2 needs to know."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.action import Actions

__all__ = ["Law", "ParentLaw"]

Floats = NDArray[np.float64]


class Law(Protocol):
    """How the reward's parents are distributed under each action."""

    @property
    def actions(self) -> Actions:
        """The actions it is for."""
        ...

    @property
    def parents(self) -> tuple[str, ...]:
        """The variables it is about."""
        ...

    def ratios(self, x: NDArray[np.integer], eta: Floats) -> Floats:  # float[R, A]
        """P(x | a) / Q(x) for each row of x (int[R, P]) and action, Q the mixture by eta; 0 / 0 is 0."""
        ...


@dataclass(frozen=True, eq=False)
class ParentLaw:
    """The law as an explicit table of all states of the parents."""

    actions: Actions
    parents: tuple[str, ...]
    table: Floats
    """float[A, *values of the parents]: each action's row sums to 1."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ParentLaw)
            and self.actions == other.actions
            and self.parents == other.parents
            and np.array_equal(self.table, other.table)
        )

    @cached_property
    def _hash(self) -> int:
        return hash((self.actions, self.parents, self.table.tobytes()))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def flat(self) -> Floats:  # float[A, S]
        """The table with one column per state of the parents."""
        return self.table.reshape(len(self.actions), -1)

    def ratios(self, x: NDArray[np.integer], eta: Floats) -> Floats:  # float[R, A]
        """P(x | a) / Q(x) for each row of x (int[R, P]) and action."""
        mixture = eta @ self.flat
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(mixture > 0, self.flat / mixture, 0.0)
        states = np.ravel_multi_index(tuple(x.T), self.table.shape[1:]) if x.shape[1] else np.zeros(len(x), int)
        return np.asarray(ratio.T[states])
