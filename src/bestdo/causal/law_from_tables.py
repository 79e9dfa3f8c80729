"""The law of the reward's parents that follows from the tables of the other variables."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import numpy as np

from bestdo.arrays import Floats
from bestdo.causal.action import Actions, states
from bestdo.causal.law import Law, ParentLaw
from bestdo.causal.model import Model
from bestdo.causal.unlisted_law import ModelLaw, ProductLaw, parents_of
from bestdo.errors import TooLarge

__all__ = ["MOST_IN_TABLE", "law_for", "law_from_tables"]


MOST_IN_TABLE = 2**22
"""The most numbers of a law that is made as an explicit table: 32 MB of floats, a limit of memory; not measured."""


def law_from_tables(actions: Actions, tables: Mapping[str, Floats]) -> Law:
    """The law of the reward's parents under each action, from tables of the variables that are not effects of the reward.

    It is an explicit table where that has at most `MOST_IN_TABLE` numbers; otherwise it is evaluated on rows, and raises
    ActionError where a parent of the reward is hidden.
    """
    graph, parents = actions.graph, parents_of(actions)
    reward = str(graph.reward)
    tables = {n: t for n, t in tables.items() if n != reward}
    if states(graph, parents) * len(actions) <= MOST_IN_TABLE:
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
    """The law of the parents under other actions, where it follows from this one or its tables; None where it does not."""
    if law is None:
        return None
    restricted = law.with_actions(actions)
    return law_from_tables(actions, law.known) if restricted is None and law.known is not None else restricted


def _uniform(shape: list[int]) -> Floats:
    """A uniform table, in place of one that does not matter."""
    return np.full(shape, 1 / shape[-1])
