"""Laws of the reward's parents with too many states for a table: evaluated on the rows that occur."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats
from bestdo.causal.action import Actions, Intervention
from bestdo.causal.inference import Factor, contract
from bestdo.causal.law import MOST_LISTED
from bestdo.causal.model import Model
from bestdo.errors import ActionError, GraphError, TableError, shown

__all__ = ["ModelLaw", "ProductLaw"]


_ROW = "\0row"  # no variable can have this name
_SUM_TOLERANCE = 1e-9  # how far the sum of a distribution may be from 1: rounding, in numbers that Python computed


def parents_of(actions: Actions) -> tuple[str, ...]:
    """The parents of the reward of the actions' graph."""
    if actions.graph.reward is None:
        raise GraphError("the law of the reward's parents needs a reward: graph.rewarding(name, success)")
    return actions.graph.parents[actions.graph.reward]


@dataclass(frozen=True, eq=False)
class ProductLaw:
    """The law of parents that are independent when nothing is set: one distribution per parent.

    It holds on a parallel graph: every parent of the reward is an observed variable without parents.
    """

    actions: Actions
    marginals: tuple[Floats, ...]
    """The distribution of each parent, in the order of `parents`: float[values]."""

    explicit = None  # the states are not written out
    model = None  # the law is not given by a model

    def __post_init__(self) -> None:
        graph = self.actions.graph
        marginals = tuple(np.array(m, float) for m in self.marginals)
        if len(marginals) != len(self.parents):
            raise TableError(f"{len(marginals)} distributions for {len(self.parents)} parents of the reward")
        for name, marginal in zip(self.parents, marginals, strict=True):
            if graph.parents[name] or graph.variable(name).hidden:
                raise GraphError(f"{shown(name)} is hidden or has causes of its own: the parents are not independent")
            good = marginal.shape == (graph.size(name),) and (marginal >= 0).all()
            if not good or abs(marginal.sum() - 1) > _SUM_TOLERANCE:
                raise TableError(f"the distribution of {shown(name)} is not {graph.size(name)} numbers that sum to 1")
            marginal.setflags(write=False)
        object.__setattr__(self, "marginals", marginals)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ProductLaw)
            and self.actions == other.actions
            and all(map(np.array_equal, self.marginals, other.marginals))
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.actions, *(m.tobytes() for m in self.marginals)))

    def __reduce__(self) -> tuple[object, ...]:  # hashes of texts differ between processes
        return ProductLaw, (self.actions, self.marginals)

    @property
    def parents(self) -> tuple[str, ...]:
        """The parents of the reward."""
        return parents_of(self.actions)

    def listed(self, most: int = MOST_LISTED) -> Floats | None:  # float[A, S]
        """P(state of the parents | action) for all states; None where it has more numbers."""
        return self._listed if len(self.actions) * math.prod(len(m) for m in self.marginals) <= most else None

    @cached_property
    def _listed(self) -> Floats:  # float[A, S]
        """P(state of the parents | action) for all states."""
        return np.array([self._row(action) for action in self.actions])

    def _row(self, action: Intervention) -> Floats:  # float[S]
        """P(state of the parents | action) for all states and one action."""
        parts = []
        for name, marginal in zip(self.parents, self.marginals, strict=True):
            variable = self.actions.graph.variable(name)
            parts.append(np.eye(len(marginal))[variable.code(action[name])] if name in action else marginal)
        return np.asarray(functools.reduce(np.multiply.outer, parts, np.ones([]))).ravel()

    def natural_chance(self, action: Intervention) -> float:
        """The probability that the values set by an action on parents occur when nothing is set."""
        chance = dict(zip(self.parents, self.marginals, strict=True))
        return float(np.prod([chance[n][self.actions.graph.variable(n).code(v)] for n, v in action.items()]))

    def same_as_watching(self) -> Bools:  # bool[A]
        """A mask of the actions that set only values that are certain anyway."""
        a, i, j = self.settings
        unsure = [self.marginals[k][c] < 1 for k, c in zip(i, j, strict=True)]
        return np.asarray(np.bincount(a, unsure, len(self.actions)) == 0)

    @property
    def known(self) -> dict[str, Floats]:
        """The distribution of each parent."""
        return self.tables()

    def tables(self) -> dict[str, Floats]:
        """The distribution of each parent."""
        return dict(zip(self.parents, self.marginals, strict=True))

    def with_actions(self, actions: Actions) -> ProductLaw:
        """The law of other actions."""
        return replace(self, actions=actions)

    @cached_property
    def settings(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Action, parent and value of every setting of a parent by an action, as three arrays."""
        column = {n: i for i, n in enumerate(self.parents)}
        graph = self.actions.graph
        listed = [
            (a, column[name], graph.variable(name).code(value))
            for a, action in enumerate(self.actions)
            for name, value in action.items()
            if name in column
        ]
        a, i, j = np.array(listed, np.intp).reshape(-1, 3).T
        return a, i, j

    @cached_property
    def _into(self) -> Any:
        """The sparse matrix that sums over the settings of each action; None where no action has two."""
        import scipy.sparse as sp

        a, settings = self.settings[0], len(self.settings[0])
        if len(np.unique(a)) == settings:
            return None
        return sp.csr_array((np.ones(settings), (np.arange(settings), a)), (settings, len(self.actions)))

    def _by_action(self, values: NDArray[Any]) -> Floats:  # [R, settings] -> float[R, A]
        """The sums of values over the settings of each action."""
        if self._into is not None:
            return np.asarray(values @ self._into)
        sums = np.zeros((len(values), len(self.actions)))
        sums[:, self.settings[0]] = values
        return sums

    def _relative(self, x: NDArray[np.integer]) -> tuple[Floats, Floats]:
        """P_a(x) up to a factor of the row: float[R, A], and the logarithm of that factor: float[R].

        Values of probability 0 are counted, not multiplied: P_a(x) is above 0 when the values that action a sets agree
        with the row and include all of its values of probability 0.
        """
        _, i, j = self.settings
        chance = np.stack([m[x[:, k]] for k, m in enumerate(self.marginals)], axis=1)  # float[R, P]
        never = chance == 0
        logs = np.log(np.where(never, 1.0, chance))
        missed = self._by_action(x[:, i] != j)
        uncovered = never.sum(axis=1)[:, None] - self._by_action(never[:, i])
        gain = -self._by_action(logs[:, i])
        reached = (missed == 0) & (uncovered == 0)
        top = np.where(reached, gain, -np.inf).max(axis=1)
        top = np.where(np.isfinite(top), top, 0.0)
        return np.where(reached, np.exp(np.minimum(gain - top[:, None], 0)), 0.0), logs.sum(axis=1) + top

    def probabilities(self, x: NDArray[np.integer]) -> Floats:  # int[R, P] -> float[R, A]
        """P(parents = x | a) for each row and action; 0 where it is too small for a float."""
        relative, scale = self._relative(np.asarray(x))
        return relative * np.exp(scale)[:, None]

    def ratios(self, x: NDArray[np.integer], eta: Floats) -> Floats:  # int[R, P], float[A] -> float[R, A]
        """P_a(x) / Q(x), Q = eta P, safe for thousands of parents and impossible values; 0/0 = 0."""
        return _ratios(self._relative(np.asarray(x))[0], eta)


@dataclass(frozen=True, eq=False)
class ModelLaw:
    """The law of the parents in a model of all variables but the reward; hidden variables are summed out."""

    actions: Actions
    model: Model
    """The graph without its reward, with tables."""

    explicit = None  # the states are not written out
    marginals = None  # the parents are not known to be independent

    def __post_init__(self) -> None:
        graph, known = self.actions.graph, self.model.graph
        for name in graph.ancestors(self.parents):
            if name not in known.names:
                raise GraphError(f"the model has no {shown(name)}, which the reward's parents depend on")
            if known.parents[name] != graph.parents[name] or known.variable(name).values != graph.variable(name).values:
                raise GraphError(f"the model's {shown(name)} has other parents or values than the actions' graph")
        hidden = [n for n in self.parents if graph.variable(n).hidden]
        if hidden:
            raise ActionError(f"{shown(hidden[0])} is a hidden parent of the reward: its value is never seen")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ModelLaw) and self.actions == other.actions and self.model == other.model

    def __hash__(self) -> int:
        return hash((self.actions, self.model))

    @property
    def parents(self) -> tuple[str, ...]:
        """The parents of the reward."""
        return parents_of(self.actions)

    def listed(self, most: int = MOST_LISTED) -> Floats | None:  # float[A, S]
        """P(state of the parents | action) for all states; None where it has more numbers."""
        states = math.prod(self.model.graph.size(n) for n in self.parents)
        return self._listed if len(self.actions) * states <= most else None

    @cached_property
    def _listed(self) -> Floats:  # float[A, S]
        """P(state of the parents | action) for all states."""
        matter = set(self.order)
        rows = [
            self.model.distribution(
                self.parents, Intervention({n: v for n, v in action.items() if n in matter})
            ).ravel()
            for action in self.actions
        ]
        return np.array(rows)

    def natural_chance(self, action: Intervention) -> float:
        """The probability that the values set by an action on parents occur when nothing is set."""
        joint = self.model.distribution(list(action))
        return float(joint[tuple(self.actions.graph.variable(n).code(v) for n, v in action.items())])

    def same_as_watching(self) -> Bools:  # bool[A]
        """A mask with do() alone; other actions with its law are not searched for."""
        return np.array([not action for action in self.actions])

    @property
    def known(self) -> dict[str, Floats]:
        """The tables of the model."""
        return self.tables()

    def tables(self) -> dict[str, Floats]:
        """The tables of the model."""
        return dict(self.model.tables)

    def with_actions(self, actions: Actions) -> ModelLaw:
        """The law of other actions."""
        return replace(self, actions=actions)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The variables that matter: the parents and all that can cause them, causes first."""
        matter = self.actions.graph.ancestors(self.parents)
        return tuple(n for n in self.actions.graph.order if n in matter)

    def _rows(self, name: str, x: NDArray[np.integer]) -> tuple[Factor, Floats]:
        """A variable's table at the parents' values in each row, divided by its largest number, and that number's log."""
        column = {n: i for i, n in enumerate(self.parents)}
        axes = (*self.model.graph.parents[name], name)
        seen, rest = [n for n in axes if n in column], [n for n in axes if n not in column]
        table = self.model.tables[name].transpose([axes.index(n) for n in (*seen, *rest)])
        if not seen:
            return Factor(tuple(rest), table), np.zeros(len(x))
        table = table[tuple(x[:, column[n]] for n in seen)]
        most = table.reshape(len(x), -1).max(axis=1)
        most = np.where(most > 0, most, 1.0)
        return Factor((_ROW, *rest), table / most.reshape(-1, *[1] * len(rest))), np.log(most)

    def _relative(self, x: NDArray[np.integer]) -> tuple[Floats, Floats]:
        """P_a(x) up to a factor of the row: float[R, A], and the logarithm of that factor: float[R]."""
        graph = self.model.graph
        column = {n: i for i, n in enumerate(self.parents)}
        parts = {name: self._rows(name, x) for name in self.order}
        sizes = {_ROW: len(x), **{n: graph.size(n) for n in self.order}}
        scale = np.sum([log for _, log in parts.values()], axis=0)
        result = np.zeros((len(x), len(self.actions)))
        for a, action in enumerate(self.actions):
            factors, shift = [Factor((_ROW,), np.ones(len(x)))], np.zeros(len(x))
            for name in self.order:
                if name not in action:
                    factors.append(parts[name][0])
                    continue
                code = graph.variable(name).code(action[name])
                shift = shift - parts[name][1]
                if name in column:
                    factors.append(Factor((_ROW,), (x[:, column[name]] == code).astype(float)))
                else:
                    factors.append(Factor((name,), np.eye(graph.size(name))[code]))
            result[:, a] = contract(factors, [_ROW], sizes) * np.exp(shift)
        return result, scale

    def probabilities(self, x: NDArray[np.integer]) -> Floats:  # int[R, P] -> float[R, A]
        """P(parents = x | a) for each row and action."""
        relative, scale = self._relative(np.asarray(x))
        return relative * np.exp(scale)[:, None]

    def ratios(self, x: NDArray[np.integer], eta: Floats) -> Floats:  # int[R, P], float[A] -> float[R, A]
        """P_a(x) / Q(x), Q = eta P; 0/0 = 0."""
        return _ratios(self._relative(np.asarray(x))[0], eta)


def _ratios(relative: Floats, eta: Floats) -> Floats:
    """P_a(x) / Q(x) from P_a(x) up to a factor of the row, which cancels."""
    q = relative @ eta
    return np.divide(relative, q[:, None], out=np.zeros_like(relative), where=q[:, None] > 0)
