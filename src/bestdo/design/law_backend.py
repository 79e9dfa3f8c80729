"""The choice of how a design sums over the states of the reward's parents: list, counts, product or forest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.causal.action import Actions
from bestdo.causal.law import MOST_LISTED, Law
from bestdo.causal.unlisted_law import ModelLaw, ProductLaw
from bestdo.design.exchangeable import CountLaw, groups_of, law_of_counts, states_of
from bestdo.design.forest import Forest
from bestdo.design.parallel_design import Settings
from bestdo.errors import NotValid, TooLarge

__all__ = ["ForestLaw", "Listed", "backend_of"]


# Numbers in the largest table that is written out where there is no other way: 256 MB, a limit of memory.
_MOST_IF_NEEDED = 2**25
# Numbers in one pass of messages along a forest, at _NODES nodes: 1 GB, a limit of memory. The quadrature takes 30
# nodes for one decade of the integrand's range and 64 for five, so that this counts somewhat more than are used.
_MOST_MESSAGES = 2**27
_NODES = 100


@dataclass(frozen=True, eq=False)
class Listed:
    """The law with all states listed, one row per action, one column per state: float[A, X]."""

    table: Floats


@dataclass(frozen=True, eq=False)
class ForestLaw:
    """The parents form a forest; `classes` (int[A]) says which of its actions each action of the problem is."""

    forest: Forest
    classes: NDArray[np.intp]


_Backend = Listed | CountLaw | Settings | ForestLaw


def backend_of(law: Law) -> _Backend:
    """The form of a law in which sums over its states are exact and quick; raises TooLarge where there is none."""
    if law.explicit is not None:
        return Listed(law.explicit)
    if law.marginals is not None:
        return _product_backend(cast("ProductLaw", law))
    if law.model is not None:
        return _model_backend(cast("ModelLaw", law))
    raise NotValid(f"{type(law).__name__} is given neither as a table, nor as marginals, nor by a model")


def _product_backend(law: ProductLaw) -> _Backend:
    """The form of a law of independent parents: listed, or a product."""
    single = _single_settings(law.actions, law.parents)
    table = law.listed(MOST_LISTED if single is not None else _MOST_IF_NEEDED)
    if table is not None:
        return Listed(table)
    if single is None:
        raise TooLarge(
            f"the {len(law.parents)} parents of the reward have too many states to list, and some actions set several "
            "of them at once; an optimal design can be computed there only for actions that set one variable"
        )
    return Settings(law.marginals, *single)


def _single_settings(actions: Actions, names: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """The variable that each action sets (-1: none) and its value; None when some action sets two of them."""
    number = {n: i for i, n in enumerate(names)}
    variable, value = np.full(len(actions), -1, np.intp), np.zeros(len(actions), np.intp)
    for a, action in enumerate(actions):
        set_here = [n for n in action if n in number]
        if len(set_here) > 1:
            return None
        for name in set_here:
            variable[a], value[a] = number[name], actions.graph.variable(name).code(action[name])
    return variable, value


def _model_backend(law: ModelLaw) -> _Backend:
    """The form of a law that is given by a model: counts, listed, a product, or a forest."""
    graph = law.model.graph
    listed = len(law.actions) * math.prod(graph.size(n) for n in law.parents)
    groups = groups_of(law)
    grouped = len(law.actions) * states_of(law, groups)
    if groups and grouped <= min(MOST_LISTED, listed):
        return law_of_counts(law, groups)
    if (table := law.listed(MOST_LISTED)) is not None:
        return Listed(table)
    closed = set(law.order) == set(law.parents)
    single = _single_settings(law.actions, law.parents)
    if closed and single is not None and not any(graph.parents[n] for n in law.parents):
        return Settings([law.model.tables[n] for n in law.parents], *single)
    if closed and single is not None and all(len(graph.parents[n]) <= 1 for n in law.parents):
        forest = _forest_law(law)
        if forest is not None:
            return forest
    if groups and grouped <= _MOST_IF_NEEDED:
        return law_of_counts(law, groups)
    if (table := law.listed(_MOST_IF_NEEDED)) is not None:
        return Listed(table)
    raise TooLarge(
        f"the {len(law.parents)} parents of the reward have {float(listed // len(law.actions)):.3g} states: too many "
        "to list. An optimal design can be computed there when the parents are independent, or form a forest (each has at "
        "most one cause, itself a parent of the reward), with actions that set one variable; or when enough of them "
        "are interchangeable"
    )


def _forest_law(law: ModelLaw) -> ForestLaw | None:
    """The parents as a forest, in which actions that set none of them are do(); None where it would not fit."""
    graph, order = law.model.graph, law.order
    number = {n: i for i, n in enumerate(order)}
    cause = tuple(number[graph.parents[n][0]] if graph.parents[n] else -1 for n in order)
    tables = tuple(law.model.tables[n].reshape(-1, graph.size(n)) for n in order)
    single = _single_settings(law.actions, order)
    if single is None:
        return None
    variable, value = single
    natural = variable < 0
    others = np.flatnonzero(~natural)
    classes = np.zeros(len(variable), np.intp)
    classes[others] = np.arange(len(others)) + bool(natural.any())
    variable = np.concatenate([[-1] * bool(natural.any()), variable[others]]).astype(np.intp)
    value = np.concatenate([[0] * bool(natural.any()), value[others]]).astype(np.intp)
    if len(variable) * _NODES * sum(t.size for t in tables) > _MOST_MESSAGES:
        return None
    marginals: list[Floats] = []
    for i, table in enumerate(tables):
        marginals.append((marginals[cause[i]] if cause[i] >= 0 else np.ones(1)) @ table)
    above = [marginals[c] if c >= 0 else np.ones(1) for c in cause]
    alone = np.array(
        [above[i] @ (tables[i][:, j] == 0) if i >= 0 else 0.0 for i, j in zip(variable, value, strict=True)]
    )
    return ForestLaw(Forest(cause, tables, variable, value, alone), classes)
