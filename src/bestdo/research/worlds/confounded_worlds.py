"""Worlds with hidden common causes, in which observed associations mislead: bow, instrument, front door and napkin."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.simulate.world import World

__all__ = ["bow", "front_door", "instrument", "napkin"]

_DOSES = ("none", "little", "some", "much")
_EFFECT = np.array([0.65, 0.50, 0.45, 0.40])
"""P(success | do(X = dose)): the lowest dose is the best. Chosen by hand, like all tables of this file."""
_TAKEN = np.array([[0.50, 0.30, 0.15, 0.05], [0.05, 0.15, 0.30, 0.50]])
"""P(dose | U): the healthy (U = 1), who do better by themselves, mostly take the highest dose, so that it looks best."""
_CONFOUNDING = np.array([-0.3, 0.3])
"""The part of the probability of success that is due to the hidden cause."""


def _world(variables: list[Variable], arrows: list[tuple[str, str]], tables: Mapping[str, ArrayLike]) -> World:
    """The world with these tables and all single actions; its problem holds nothing but the graph."""
    graph = Graph.of(variables, arrows, reward="Y")
    return World(Problem(graph, Actions.single(graph)), Model(graph, tables))


def _success(p: ArrayLike) -> Floats:
    """The table of a two-valued variable, from its probabilities of the second value."""
    success = np.asarray(p, float)
    return np.stack([1 - success, success], axis=-1)


def bow() -> World:
    """X -> Y with a hidden common cause: observations identify no effect of X, and the worst dose looks best."""
    variables = [Variable("U", hidden=True), Variable("X", _DOSES), Variable("Y")]
    success = _EFFECT[:, None] + _CONFOUNDING
    tables: dict[str, ArrayLike] = {"U": [0.5, 0.5], "X": _TAKEN, "Y": _success(success)}
    return _world(variables, [("U", "X"), ("X", "Y"), ("U", "Y")], tables)


def instrument() -> World:
    """Z -> X -> Y, X and Y with a hidden common cause: observations identify the effect of Z (advice), not of X (dose)."""
    variables = [Variable("Z", ("no", "yes")), Variable("U", hidden=True), Variable("X", _DOSES), Variable("Y")]
    advised = np.array([[1.0, 1.0, 1.0, 1.0], [3.0, 2.0, 1.0, 0.5]])  # the advice is to take less
    taken = advised[:, None] * _TAKEN
    success = _EFFECT[:, None] + _CONFOUNDING
    taken /= taken.sum(axis=-1, keepdims=True)
    tables = {"Z": [0.6, 0.4], "U": [0.5, 0.5], "X": taken, "Y": _success(success)}
    return _world(variables, [("Z", "X"), ("U", "X"), ("X", "Y"), ("U", "Y")], tables)


def front_door() -> World:
    """X -> M -> Y, X and Y with a hidden common cause: observations identify all effects, that of X by a formula."""
    kinds = ("a", "b", "c", "d", "e", "f")
    variables = [Variable("U", hidden=True), Variable("X", kinds), Variable("M", ("low", "mid", "high")), Variable("Y")]
    taken = np.array([[0.30, 0.25, 0.20, 0.10, 0.10, 0.05], [0.05, 0.10, 0.10, 0.20, 0.25, 0.30]])
    through = [[0.1, 0.3, 0.6], [0.2, 0.3, 0.5], [0.3, 0.3, 0.4], [0.4, 0.4, 0.2], [0.5, 0.3, 0.2], [0.6, 0.3, 0.1]]
    success = np.array([0.35, 0.45, 0.60])[:, None] + _CONFOUNDING
    tables: dict[str, ArrayLike] = {"U": [0.5, 0.5], "X": taken, "M": through, "Y": _success(success)}
    return _world(variables, [("U", "X"), ("X", "M"), ("M", "Y"), ("U", "Y")], tables)


def napkin() -> World:
    """W -> R -> X -> Y, hidden causes of W and X and of W and Y: the effect of X is a ratio of observed probabilities."""
    variables = [
        Variable("U", hidden=True),
        Variable("V", hidden=True),
        Variable("W"),
        Variable("R"),
        Variable("X", ("a", "b", "c")),
        Variable("Y"),
    ]
    by_r = np.array([[0.6, 0.3, 0.1], [0.1, 0.3, 0.6]])  # how likely each value of X is given R, before U changes it
    by_both = np.array([[[3.0, 1.0, 0.3], [1.0, 1.0, 1.0]], [[1.0, 1.0, 1.0], [0.3, 1.0, 3.0]]]) * by_r[:, None]
    success = np.array([0.60, 0.35, 0.45])[:, None] + _CONFOUNDING
    tables = {
        "U": [0.5, 0.5],
        "V": [0.5, 0.5],
        "W": _success([[0.1, 0.5], [0.5, 0.9]]),
        "R": [[0.85, 0.15], [0.15, 0.85]],
        "X": by_both / by_both.sum(axis=-1, keepdims=True),
        "Y": _success(success),
    }
    arrows = [("U", "W"), ("V", "W"), ("W", "R"), ("R", "X"), ("U", "X"), ("X", "Y"), ("V", "Y")]
    return _world(variables, arrows, tables)
