"""Worlds in which an action sets several variables at once: a layered graph, and linear models of success."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.simulate.world import World

__all__ = ["covering_layers", "linear_parallel", "linear_two_layers"]

_LAYERS = {
    "V8": (4, 5, 6, 7),
    "V9": (2, 4, 5, 7),
    "V10": (2, 3, 5, 6),
    "V11": (1, 2, 4, 5),
    "V12": (1, 2, 3, 7),
    "V13": (9, 10, 11, 12),
    "V14": (8, 9, 10, 12),
    "V15": (9, 10, 11, 12),
    "V16": (8, 9, 10, 12),
    "Y": (13, 14, 15, 16),
}
"""The four parents of each variable of the layers after the first, by number: those of the authors' sample model."""
_ROOTS = 7
_USUAL, _ALL_ONES, _REWARDED = 0.4, 0.8, 0.9
"""The chance of 1 unless all four parents are 1; where they are; and that of the reward where they are."""
_ROOT = 0.8
"""The chance that a variable of the first layer is 1 when it is not set."""


def covering_layers() -> World:
    """The 17 variables of Sawarni et al. (2023) in layers of 7, 5, 4 and 1; an action sets all seven of the first layer.

    A variable of a later layer has four parents in the one before. It is 1 with probability 0.8 (the reward: 0.9) where
    all four are 1, and 0.4 otherwise. 128 actions. The problem holds nothing but the graph.
    """
    roots = [f"V{i + 1}" for i in range(_ROOTS)]
    arrows = [(f"V{p}", name) for name, parents in _LAYERS.items() for p in parents]
    graph = Graph.of(map(Variable, [*roots, *_LAYERS]), arrows, reward="Y")
    tables: dict[str, ArrayLike] = {name: [1 - _ROOT, _ROOT] for name in roots}
    for name in _LAYERS:
        one = np.full((2,) * 4, _USUAL)
        one[1, 1, 1, 1] = _REWARDED if name == "Y" else _ALL_ONES
        tables[name] = _two_valued(one)
    actions = [Intervention(dict(zip(roots, values, strict=True))) for values in itertools.product("01", repeat=_ROOTS)]
    return World(Problem(graph, Actions(graph, actions), all_compete=True), Model(graph, tables))


def linear_parallel(q: Sequence[float], weights: Sequence[float], at_once: int) -> World:
    """The parallel linear model of Feng & Chen (2023): P(Y = 1 | X) is the sum of the weights of the X_i that are 1.

    X_i = 1 with probability q_i. An action sets exactly `at_once` of them to 1, as in the authors' code, or none.
    """
    names = [f"X{i + 1}" for i in range(len(q))]
    tables: dict[str, ArrayLike] = {n: [1 - p, p] for n, p in zip(names, q, strict=True)}
    tables["Y"] = _two_valued(_weighted(0.0, weights))
    return _setting_to_1(names, [(n, "Y") for n in names], tables, at_once)


def linear_two_layers() -> World:
    """The two-layer linear model of Feng & Chen (2023): X1, X2 -> X3, X4, X5 -> Y; an action sets two of the X_i to 1.

    P(X1 = 1) = P(X2 = 1) = 0.1; P(X3 = 1) = 0.1 + 0.1 X1 + 0.2 X2; P(X4 = 1) and P(X5 = 1) are 0.1 + 0.7 X1 + 0.1 X2;
    P(Y = 1) = 0.6 X3 + 0.1 X4 + 0.1 X5.
    """
    names = [f"X{i + 1}" for i in range(5)]
    arrows = [(a, b) for a in names[:2] for b in names[2:]] + [(n, "Y") for n in names[2:]]
    tables: dict[str, ArrayLike] = {"X1": [0.9, 0.1], "X2": [0.9, 0.1]}
    tables |= {
        n: _two_valued(_weighted(0.1, by)) for n, by in zip(names[2:], [(0.1, 0.2)] + [(0.7, 0.1)] * 2, strict=True)
    }
    tables["Y"] = _two_valued(_weighted(0.0, (0.6, 0.1, 0.1)))
    return _setting_to_1(names, arrows, tables, 2)


def _setting_to_1(names: list[str], arrows: list[tuple[str, str]], tables: dict[str, ArrayLike], at_once: int) -> World:
    """The world with do() and all actions that set so many of the variables to 1; it holds nothing but the graph."""
    graph = Graph.of(map(Variable, [*names, "Y"]), arrows, reward="Y")
    chosen = [do(dict.fromkeys(some, "1")) for some in itertools.combinations(names, at_once)]
    return World(Problem(graph, Actions(graph, [do(), *chosen])), Model(graph, tables))


def _weighted(base: float, weights: Sequence[float]) -> Floats:
    """The base and the weights of the parents that are 1, added, for all values of the parents."""
    return np.asarray(base + sum(w * one for w, one in zip(weights, np.indices((2,) * len(weights)), strict=True)))


def _two_valued(one: Floats) -> Floats:
    """The table of a two-valued variable from its chances of 1; sums of weights that exceed 1 by rounding are 1."""
    sure = np.clip(one, 0.0, 1.0)
    return np.stack([1 - sure, sure], axis=-1)
