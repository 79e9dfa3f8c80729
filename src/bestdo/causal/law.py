"""The law of the reward's parents under each action, P(parents of Y | a), which Algorithm 2 needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats
from bestdo.causal.action import Actions, Intervention, do
from bestdo.errors import NotValid, shown

if TYPE_CHECKING:
    from bestdo.causal.model import Model

__all__ = ["MOST_LISTED", "Law", "ParentLaw"]


MOST_LISTED = 2**20
"""The most numbers in a table of all states that is written out where that can be avoided: 8 MB.

Sums over listed states need no quadrature. On a parallel graph an optimal design from such a table takes 8 ms for 2**17
numbers, in place of 12 ms without a table, and 0.1 s for 2**20, in place of 14 ms.
"""


class Law(Protocol):
    """The distribution of the reward's parents under each action.

    At least one of `explicit`, `marginals` and `model` is not None, and says how the law is given.
    """

    @property
    def actions(self) -> Actions:
        """The actions that the law is for."""
        ...

    @property
    def parents(self) -> tuple[str, ...]:
        """The variables that the law is about."""
        ...

    @property
    def explicit(self) -> Floats | None:  # float[A, S]
        """P(state of the parents | action), where all states are written out."""
        ...

    @property
    def marginals(self) -> tuple[Floats, ...] | None:
        """The distribution of each parent, float[values], where they are independent when nothing is set."""
        ...

    @property
    def model(self) -> Model | None:
        """The model of all variables but the reward, where it follows from one."""
        ...

    def listed(self, most: int = MOST_LISTED) -> Floats | None:  # float[A, S]
        """P(state of the parents | action) for all states, the last parent fastest; None where it has more numbers."""
        ...

    def ratios(self, x: NDArray[np.integer], eta: Floats) -> Floats:  # float[R, A]
        """P(x | a) / Q(x) for each row of x (int[R, P]) and action, Q the mixture by eta; 0 / 0 is 0."""
        ...

    def natural_chance(self, action: Intervention) -> float:
        """The probability that the values set by an action on parents occur when nothing is set."""
        ...

    def same_as_watching(self) -> Bools:  # bool[A]
        """A mask of the actions that certainly have the law of do(), which is among the actions."""
        ...

    @property
    def known(self) -> Mapping[str, Floats] | None:
        """The tables that it follows from, of variables other than the reward; None where only the law is known."""
        ...

    def tables(self) -> dict[str, Floats]:
        """The tables of the parents (and, where a model is known, of their causes) that give this law."""
        ...

    def with_actions(self, actions: Actions) -> Law | None:
        """The law of other actions on the same graph; None where it is not known for all of them."""
        ...


@dataclass(frozen=True, eq=False)
class ParentLaw:
    """The law as an explicit table of all states of the parents."""

    actions: Actions
    parents: tuple[str, ...]
    table: Floats
    """float[A, *values of the parents]: each action's row sums to 1."""
    known: Mapping[str, Floats] | None = None
    """The tables that it follows from, of the variables other than the reward; None where only the law is known."""

    marginals = None  # the parents are not known to be independent
    model = None  # the law is not given by a model

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

    def __reduce__(self) -> tuple[object, ...]:  # hashes of texts differ between processes
        return ParentLaw, (self.actions, self.parents, self.table, self.known)

    @cached_property
    def flat(self) -> Floats:  # float[A, S]
        """The table with one column per state of the parents."""
        return self.table.reshape(len(self.actions), -1)

    @property
    def explicit(self) -> Floats:  # float[A, S]
        """The table with one column per state of the parents."""
        return self.flat

    def listed(self, most: int = MOST_LISTED) -> Floats | None:  # float[A, S]
        """The table with one column per state of the parents; None where it has more numbers."""
        return self.flat if self.flat.size <= most else None

    def natural_chance(self, action: Intervention) -> float:
        """The probability that the values set by an action on parents occur when nothing is set."""
        graph = self.actions.graph
        codes = {self.parents.index(n): graph.variable(n).code(v) for n, v in action.items()}
        natural = self.table[self.actions.index(do())]
        return float(natural[tuple(codes.get(k, slice(None)) for k in range(natural.ndim))].sum())

    def same_as_watching(self) -> Bools:  # bool[A]
        """A mask of the actions with exactly the same row as do()."""
        return np.asarray((self.flat == self.flat[self.actions.index(do())]).all(axis=1))

    def with_actions(self, actions: Actions) -> ParentLaw | None:
        """The rows of other actions; None where one of them has no row here."""
        if not all(action in self.actions for action in actions):
            return None
        return ParentLaw(
            actions, self.parents, self.table[[self.actions.index(action) for action in actions]], self.known
        )

    def tables(self) -> dict[str, Floats]:
        """The tables that are known; else those of the parents, by their conditional distributions given their own parents.

        These are taken in the actions that do not set the parent, and need its parents to be parents of the reward, too.
        Rows for states that no action reaches do not matter.
        """
        if self.known is not None:
            return dict(self.known)
        graph, tables = self.actions.graph, {}
        for name in self.parents:
            outside = [n for n in graph.parents[name] if n not in self.parents]
            if outside:
                raise NotValid(
                    f"the law of the reward's parents is known, but how {shown(name)} depends on {shown(outside[0])} is "
                    "not, so that worlds that agree with the law cannot be drawn: give the tables of all variables but "
                    "the reward"
                )
            tables[name] = self._conditional(name)
        return tables

    def _conditional(self, name: str) -> Floats:
        """P(a parent | its own parents); uniform where these have probability 0."""
        family = [self.parents.index(n) for n in (*self.actions.graph.parents[name], name)]
        free = [name not in action for action in self.actions]
        joint = self.table[free].sum(axis=0)
        joint = joint.sum(axis=tuple(i for i in range(joint.ndim) if i not in family))
        joint = joint.transpose(np.argsort(np.argsort(family)))
        total = joint.sum(axis=-1, keepdims=True)
        even = np.full(joint.shape, 1 / joint.shape[-1])
        return np.where(total > 0, joint / np.where(total > 0, total, 1), even)

    def ratios(self, x: NDArray[np.integer], eta: Floats) -> Floats:  # float[R, A]
        """P(x | a) / Q(x) for each row of x (int[R, P]) and action."""
        mixture = eta @ self.flat
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(mixture > 0, self.flat / mixture, 0.0)
        states = np.ravel_multi_index(tuple(x.T), self.table.shape[1:]) if x.shape[1] else np.zeros(len(x), int)
        return np.asarray(ratio.T[states])
