"""The law of the reward's parents that follows from the tables of the other variables."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from bestdo.causal.action import Actions, states
from bestdo.causal.law import Law, ParentLaw
from bestdo.causal.model import Model
from bestdo.causal.unlisted_law import ModelLaw, ProductLaw, parents_of
from bestdo.errors import TooLarge

__all__ = ["MOST_LISTED", "law_for", "law_from_tables"]

Floats = NDArray[np.float64]

MOST_LISTED = 2**22
"""How many numbers a law may have that is kept as an explicit table: 32 MB of floats."""


def law_from_tables(actions: Actions, tables: Mapping[str, Floats]) -> Law:
    """P(parents of the reward | a), from tables of all variables but the reward and, as they do not matter, its effects.

    It is an explicit table where that has at most `MOST_LISTED` numbers, and evaluated on rows elsewhere; the latter is
    refused (ActionError) where a parent of the reward is hidden.
    """
    graph, parents = actions.graph, parents_of(actions)
    reward = str(graph.reward)
    tables = {n: t for n, t in tables.items() if n != reward}
    if states(graph, parents) * len(actions) <= MOST_LISTED:
        with suppress(TooLarge):
            rest = {
                n: _uniform([graph.size(m) for m in (*graph.parents[n], n)]) for n in graph.names if n not in tables
            }
            return ParentLaw(actions, parents, Model(graph, {**tables, **rest}).parent_law(actions).table, tables)
    effects = graph.descendants([reward])
    before = [n for n in graph.names if n not in effects]
    if set(before) == set(parents) and not any(graph.parents[p] or graph.variable(p).hidden for p in parents):
        return ProductLaw(actions, tuple(tables[p] for p in parents))
    return ModelLaw(actions, Model(graph.subgraph(before), {n: tables[n] for n in before}))


def law_for(actions: Actions, law: Law | None) -> Law | None:
    """The law of the parents under other actions, where it follows from what is known; None where it does not."""
    if law is None:
        return None
    found = law.with_actions(actions)
    return law_from_tables(actions, law.known) if found is None and law.known is not None else found


def _uniform(shape: list[int]) -> Floats:
    """A table that stands for one that does not matter."""
    return np.full(shape, 1 / shape[-1])
