"""The law of the reward's parents where many are interchangeable: a state is how many of them have each value.

Variables are interchangeable when they have the same parents and the same table, no effect but the reward, and are
set alike and alone. Exchanging two of them maps the problem onto itself, so with eta also the exchanged design has
the same m, and by convexity so has, or less, the mean of all exchanges: some optimal design weights them equally,
and the best of those is the best of all.

For such a design Q depends on a state x only through the counts of each group. Let n be the size of the group,
n_j the count of value j, P~ the law of counts and M the number of states x with these counts. Under do(X_i=j) only
the M n_j/n states with x_i = j are reached, all equally likely, so the sum of P_a(x)^2/Q(x) over them is

    (M n_j/n) (P~_a / (M n_j/n))^2 / (Q~ / M) = P~_a^2 (n/n_j) / Q~:

a matrix criterion with V = P~^2 n/n_j, and V = P~^2 for actions that treat the group alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats, Ints
from bestdo.causal.action import Intervention
from bestdo.causal.inference import Factor, contract
from bestdo.causal.unlisted_law import ModelLaw

__all__ = ["CountLaw", "groups_of", "law_of_counts"]


_GROUP = "\0group"  # no variable can have this name


@dataclass(frozen=True, eq=False)
class CountLaw:
    """The law of the counts of values, with one row per class of actions that a symmetric design treats alike."""

    law: Floats
    """P~: float[C, X]."""
    square: Floats
    """V: float[C, X]."""
    classes: NDArray[np.intp]
    """int[A]: the row of each action."""


def groups_of(law: ModelLaw) -> list[tuple[str, ...]]:
    """The groups of interchangeable parents of the reward, those of one variable left out."""
    graph, model = law.model.graph, law.model
    together = {name for action in law.actions if len(action) > 1 for name in action}
    settable: dict[str, set[str]] = {}
    for action in law.actions:
        for name, value in action.items():
            settable.setdefault(name, set()).add(value)
    groups: dict[object, list[str]] = {}
    for name in law.parents:
        if name in together or any(c in law.order for c in graph.children[name]):
            continue
        parents = sorted(graph.parents[name])
        table = model.tables[name].transpose([*(graph.parents[name].index(p) for p in parents), len(parents)])
        key = (
            tuple(parents),
            table.shape,
            table.tobytes(),
            frozenset(settable.get(name, ())),
            graph.variable(name).values,
        )
        groups.setdefault(key, []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def states_of(law: ModelLaw, groups: list[tuple[str, ...]]) -> int:
    """The number of states when the members of each group are told apart by their counts only."""
    graph = law.model.graph
    grouped = {name for group in groups for name in group}
    count = 1
    for group in groups:
        count *= _multisets(len(group), graph.size(group[0]))
    for name in law.parents:
        count *= 1 if name in grouped else graph.size(name)
    return count


def _multisets(size: int, values: int) -> int:
    """The number of multisets of `size` elements out of `values`."""
    count = 1
    for k in range(1, values):
        count = count * (size + k) // k
    return count


def law_of_counts(law: ModelLaw, groups: list[tuple[str, ...]]) -> CountLaw:
    """The law of the groups' counts and all other parents, under one action of each class."""
    group_of = {name: g for g, group in enumerate(groups) for name in group}
    keys = [_class(action, group_of) for action in law.actions]
    number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    one_of = dict(zip(keys, law.actions, strict=True))
    rows, squares = [], []
    for key in number:
        row, more = _row(law, groups, group_of, one_of[key])
        rows.append(row.ravel())
        squares.append((row * row * more).ravel())
    return CountLaw(np.array(rows), np.array(squares), np.array([number[key] for key in keys]))


def _class(action: Intervention, group_of: Mapping[str, int]) -> object:
    """A key that is the same for two actions if and only if they are treated alike."""
    names = list(action)
    return (group_of[names[0]], action[names[0]]) if len(names) == 1 and names[0] in group_of else action


def _row(
    law: ModelLaw, groups: list[tuple[str, ...]], group_of: Mapping[str, int], action: Intervention
) -> tuple[Floats, Floats]:
    """The law of counts and other parents under one action, and the factor n/n_j, which broadcasts with it."""
    graph, tables = law.model.graph, law.model.tables
    sizes = {n: graph.size(n) for n in law.order}
    factors = []
    for name in law.order:
        if name in group_of:
            continue
        if name in action:
            factors.append(Factor((name,), np.eye(sizes[name])[graph.variable(name).code(action[name])]))
        else:
            factors.append(Factor((*graph.parents[name], name), tables[name]))
    out = [n for n in law.parents if n not in group_of]
    more = np.ones([])
    axes = []
    for g, group in enumerate(groups):
        setting = next((n for n in group if n in action), None)
        which = None if setting is None else graph.variable(setting).code(action[setting])
        counts = _counts(len(group), sizes[group[0]])
        axes.append(_GROUP + str(g))
        sizes[axes[-1]] = len(counts)
        table = _multinomial(counts, tables[group[0]], which)
        factors.append(Factor((*graph.parents[group[0]], axes[-1]), table))
        with np.errstate(divide="ignore"):
            lift = np.ones(len(counts)) if which is None else len(group) / counts[:, which]
        more = more[..., None] * np.where(np.isfinite(lift), lift, 0.0)
    row = contract(factors, [*out, *axes], sizes)
    return row, more


def _counts(size: int, values: int) -> Ints:  # int[states, values]
    """All vectors of counts of the values that add up to `size`."""
    if values == 1:
        return np.array([[size]])
    parts = [
        np.concatenate([np.full((len(rest), 1), first), rest], axis=1)
        for first in range(size + 1)
        for rest in [_counts(size - first, values - 1)]
    ]
    return np.concatenate(parts)


def _multinomial(counts: Ints, table: Floats, which: int | None) -> Floats:  # float[*parents, states]
    """P(counts | parents) of variables with this table, one of them set to the value `which` when given."""
    from scipy.special import gammaln, xlogy

    drawn = counts.astype(float)
    if which is not None:
        drawn[:, which] -= 1
    possible = (drawn >= 0).all(axis=1)
    drawn = np.maximum(drawn, 0)
    ways = gammaln(drawn.sum(axis=1) + 1) - gammaln(drawn + 1).sum(axis=1)
    logs = ways + xlogy(drawn, table[..., None, :]).sum(axis=-1)
    return np.where(possible, np.exp(logs), 0.0)
