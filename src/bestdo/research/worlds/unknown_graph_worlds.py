"""Random worlds whose graph nobody knows: which few of many variables cause the reward?"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.simulate.world import World

__all__ = ["unknown_causes", "unknown_tree"]


def unknown_causes(
    seed: int = 0, variables: int = 8, values: int = 3, at_once: int = 3, causes: int = 1, strength: float = 0.7
) -> World:
    """The setting of UCB+ (Shahverdikondori, Etesami & Kiyavash 2026): random arrows, one cause of the reward, unknown.

    An arrow leads from an earlier to a later variable of a random order with probability 2 / n. Each variable has a base
    distribution, of which a share `strength` is replaced by one of its own for every state of its parents; the chance of
    success is uniform for every state of the reward's causes. Actions set `at_once` variables. The problem's graph, in which
    every variable may cause the reward and none another, is wrong about the arrows between them.
    """
    rng = np.random.default_rng(seed)
    names = [f"X{i + 1}" for i in range(variables)]
    order = rng.permutation(variables)
    arrows = [
        (names[order[i]], names[order[j]])
        for i, j in itertools.combinations(range(variables), 2)
        if rng.random() < 2 / variables
    ]
    arrows += [(names[i], "Y") for i in sorted(rng.choice(variables, causes, replace=False))]
    labels = tuple(str(v + 1) for v in range(values))
    all_ = [*(Variable(n, labels) for n in names), Variable("Y")]
    truth = Graph.of(all_, arrows, reward="Y")
    known = Graph.of(all_, [(n, "Y") for n in names], reward="Y")
    tables = {}
    for name in names:
        rows = (values,) * len(truth.parents[name])
        base, own = rng.dirichlet(np.ones(values)), rng.dirichlet(np.ones(values), rows)
        tables[name] = (1 - strength) * base + strength * own
    success = rng.random((values,) * causes)
    tables["Y"] = np.stack([1 - success, success], axis=-1)
    actions = [
        Intervention(dict(zip(chosen, setting, strict=True)))
        for chosen in itertools.combinations(names, at_once)
        for setting in itertools.product(labels, repeat=at_once)
    ]
    return World(Problem(known, Actions(known, actions), all_compete=True), Model(truth, tables), mistaken=True)


def unknown_tree(seed: int = 0, variables: int = 20, copy: float = 0.9, gain: float = 0.3) -> World:
    """A random tree of two-valued variables, one of which causes the reward, and nobody knows the arrows: RAPS's setting.

    Konobeev, Etesami & Kiyavash (2023) play on trees of 20 variables with two values; the chances are this library's. Every
    variable but the first has one parent, drawn from those before it, whose value it has with probability `copy`; the
    first is 1 in half of all rounds. The chance of success is 1/2 ± `gain` by the value of the one cause. Actions set one
    variable. The problem's graph, in which every variable may cause the reward and none another, is wrong about the arrows.
    """
    rng = np.random.default_rng(seed)
    names = [f"X{i + 1}" for i in range(variables)]
    arrows = [(names[int(rng.integers(i))], names[i]) for i in range(1, variables)]
    all_ = [*map(Variable, names), Variable("Y")]
    truth = Graph.of(all_, [*arrows, (names[int(rng.integers(variables))], "Y")], reward="Y")
    known = Graph.of(all_, [(n, "Y") for n in names], reward="Y")
    tables: dict[str, ArrayLike] = {n: [[copy, 1 - copy], [1 - copy, copy]] for n in names[1:]}
    tables |= {"X1": [0.5, 0.5], "Y": [[0.5 + gain, 0.5 - gain], [0.5 - gain, 0.5 + gain]]}
    actions = Actions(known, [do({n: v}) for n in names for v in "01"])
    return World(Problem(known, actions, all_compete=True), Model(truth, tables), mistaken=True)
