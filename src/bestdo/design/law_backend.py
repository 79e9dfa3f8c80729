"""How the law of the reward's parents is best summed over: listed, counted, as a product, or along a forest."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.action import Actions
from bestdo.causal.law import MOST_LISTED, Law
from bestdo.causal.unlisted_law import ModelLaw, ProductLaw
from bestdo.design.exchangeable import Counted, counted, groups_of, states_of
from bestdo.design.forest import Forest
from bestdo.design.parallel_design import Settings
from bestdo.errors import NotValid, TooLarge

__all__ = ["Along", "Listed", "Route", "route"]

Floats = NDArray[np.float64]

_MOST_LISTED = 2**25
"""Numbers in the largest table that is written out where there is no other way: 256 MB."""
_MOST_MESSAGES = 2**27  # numbers in one pass of messages


@dataclass(frozen=True, eq=False)
class Listed:
    """One row per action, one column per state: float[A, X]."""

    table: Floats


@dataclass(frozen=True, eq=False)
class Along:
    """A forest, and which of its actions each action of the problem is: int[A]."""

    forest: Forest
    classes: NDArray[np.intp]


Route = Listed | Counted | Settings | Along


def route(law: Law) -> Route:
    """The way that is exact and quick; refused in words when the states can be neither listed nor avoided."""
    if law.explicit is not None:
        return Listed(law.explicit)
    if law.marginals is not None:
        return _product_route(cast("ProductLaw", law))
    if law.model is not None:
        return _model_route(cast("ModelLaw", law))
    raise NotValid(f"{type(law).__name__} is given neither as a table, nor as marginals, nor by a model")


def _product_route(law: ProductLaw) -> Route:
    single = single_settings(law.actions, law.parents)
    table = law.listed() if single is not None else law.listed(_MOST_LISTED)
    if table is not None:
        return Listed(table)
    if single is None:
        raise TooLarge(
            f"the {len(law.parents)} parents of the reward have too many states to list, and some actions set several "
            "of them at once; an optimal design is covered there only for actions that set one variable"
        )
    return Settings(law.marginals, *single)


def single_settings(actions: Actions, names: tuple[str, ...]) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Which of these variables each action sets (-1: none) and to which value; None when some set two of them."""
    number = {n: i for i, n in enumerate(names)}
    variable, value = np.full(len(actions), -1, np.intp), np.zeros(len(actions), np.intp)
    for a, action in enumerate(actions):
        set_here = [n for n in action if n in number]
        if len(set_here) > 1:
            return None
        for name in set_here:
            variable[a], value[a] = number[name], actions.graph.variable(name).code(action[name])
    return variable, value


def _model_route(law: ModelLaw) -> Route:
    graph = law.model.graph
    listed = len(law.actions) * math.prod(graph.size(n) for n in law.parents)
    groups = groups_of(law)
    grouped = len(law.actions) * states_of(law, groups)
    if groups and grouped <= min(MOST_LISTED, listed):
        return counted(law, groups)
    if (table := law.listed()) is not None:
        return Listed(table)
    closed = set(law.order) == set(law.parents)
    single = single_settings(law.actions, law.parents)
    if closed and single is not None and not any(graph.parents[n] for n in law.parents):
        return Settings([law.model.tables[n] for n in law.parents], *single)
    if closed and single is not None and all(len(graph.parents[n]) <= 1 for n in law.parents):
        along = _along(law)
        if along is not None:
            return along
    if groups and grouped <= _MOST_LISTED:
        return counted(law, groups)
    if (table := law.listed(_MOST_LISTED)) is not None:
        return Listed(table)
    raise TooLarge(
        f"the {len(law.parents)} parents of the reward have {float(listed // len(law.actions)):.3g} states: too many "
        "to list. An optimal design is covered there when the parents are independent, or form a forest (each has at "
        "most one cause, itself a parent of the reward), with actions that set one variable; or when enough of them "
        "are interchangeable"
    )


def _along(law: ModelLaw) -> Along | None:
    """The parents as a forest; actions that change nothing are one with do()."""
    graph, order = law.model.graph, law.order
    number = {n: i for i, n in enumerate(order)}
    cause = tuple(number[graph.parents[n][0]] if graph.parents[n] else -1 for n in order)
    tables = tuple(law.model.tables[n].reshape(-1, graph.size(n)) for n in order)
    single = single_settings(law.actions, order)
    if single is None:
        return None
    variable, value = single
    natural = variable < 0
    kept = np.flatnonzero(~natural)
    classes = np.zeros(len(variable), np.intp)
    classes[kept] = np.arange(len(kept)) + bool(natural.any())
    variable = np.concatenate([[-1] * bool(natural.any()), variable[kept]]).astype(np.intp)
    value = np.concatenate([[0] * bool(natural.any()), value[kept]]).astype(np.intp)
    if len(variable) * 100 * sum(t.size for t in tables) > _MOST_MESSAGES:
        return None
    seen: list[Floats] = []
    for i, table in enumerate(tables):
        seen.append((seen[cause[i]] if cause[i] >= 0 else np.ones(1)) @ table)
    above = [seen[c] if c >= 0 else np.ones(1) for c in cause]
    alone = np.array(
        [above[i] @ (tables[i][:, j] == 0) if i >= 0 else 0.0 for i, j in zip(variable, value, strict=True)]
    )
    return Along(Forest(cause, tables, variable, value, alone), classes)
