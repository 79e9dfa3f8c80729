"""The worlds of Lee & Bareinboim (2018), in which setting fewer variables can be better, and those of HAC-UCB's authors."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.where import minimal_sets, possibly_optimal_sets
from bestdo.errors import BestdoError, unknown
from bestdo.simulate.world import World

__all__ = ["ARMS", "contradicting_context", "pomis_iv", "pomis_markovian", "pomis_xyzwst", "screening_context"]

ARMS = ("POMIS", "MIS", "all", "all at once")
"""The sets of arms that the authors compare: settings of possibly-optimal minimal sets, of minimal sets, of all sets, and of
all variables at once."""


def pomis_iv(arms: str = "") -> World:
    """Lee & Bareinboim's instrument Z -> X -> Y, X and Y with a hidden common cause: do(Z=0) is better than setting X.

    X = U_X ^ U ^ Z and Y = 1 ^ U_Y ^ U ^ X with P(U_X) = 0.11, P(U_Y) = 0.15, P(Z) = 0.6, P(U) = 0.51. `arms` is one of
    POMIS, MIS, "all" and "all at once", which then all compete, as in the paper; without it all, pruned by the graph.
    """
    flips = {"Z": 0.6, "U": 0.51, "X": 0.11, "Y": 0.15}
    return _flipped(flips, [("Z", "X"), ("U", "X"), ("X", "Y"), ("U", "Y")], {"Y": 1}, arms)


def pomis_markovian(arms: str = "") -> World:
    """Lee & Bareinboim's world without hidden causes, Z1, Z2 -> X1, X2 -> Y: the best arm sets X1 and X2.

    X1 = U_X1 ^ Z1 ^ Z2, X2 = 1 ^ U_X2 ^ Z1 ^ Z2, Y = U_Y or (X1 and X2); the chances are the authors' draw with seed 0.
    """
    flips = {"Z1": 0.54, "Z2": 0.44, "X1": 0.54, "X2": 0.67}
    arrows = [(z, x) for x in ("X1", "X2") for z in ("Z1", "Z2")]
    variables = [Variable(n) for n in (*flips, "Y")]
    graph = Graph.of(variables, [*arrows, ("X1", "Y"), ("X2", "Y")], reward="Y")
    tables = {n: _flip(graph, n, p, n == "X2") for n, p in flips.items()}
    success = np.array([[0.58, 0.58], [0.58, 1.0]])
    tables["Y"] = np.stack([1 - success, success], axis=-1)
    return _world(graph, tables, arms)


def pomis_xyzwst(arms: str = "") -> World:
    """Lee & Bareinboim's six variables Z -> X -> Y, S -> W -> Y, T -> X, Y with hidden causes of X and W, and of Z and Y.

    W = U_W ^ V ^ S, Z = U_Z ^ U, X = 1 ^ U_X ^ Z ^ V ^ T, Y = U_Y ^ U ^ X ^ W ^ T; the chances are the authors' draw with
    seed 0.
    """
    flips = {"S": 0.45, "T": 0.81, "U": 0.54, "V": 0.51, "W": 0.07, "Z": 0.05, "X": 0.06, "Y": 0.06}
    arrows = [("Z", "X"), ("X", "Y"), ("W", "Y"), ("S", "W"), ("T", "X"), ("T", "Y")]
    hidden = [("V", "X"), ("V", "W"), ("U", "Z"), ("U", "Y")]
    return _flipped(flips, arrows + hidden, {"X": 1}, arms)


def _flipped(flips: Mapping[str, float], arrows: list[tuple[str, str]], adds: Mapping[str, int], arms: str) -> World:
    """The world in which each variable is the parity of its parents, flipped with its chance; U and V are hidden."""
    graph = Graph.of([Variable(n, hidden=n in ("U", "V")) for n in flips], arrows, reward="Y")
    return _world(graph, {n: _flip(graph, n, p, bool(adds.get(n))) for n, p in flips.items()}, arms)


def _flip(graph: Graph, name: str, chance: float, odd: bool) -> Floats:
    """The table of a variable that is the parity of its parents (and 1, if `odd`), flipped with this chance."""
    parents = len(graph.parents[name])
    parity = np.indices((2,) * parents).sum(axis=0) + odd
    success = np.where(parity % 2 == 1, 1 - chance, chance)
    return np.stack([1 - success, success], axis=-1)


def _world(graph: Graph, tables: Mapping[str, ArrayLike], arms: str) -> World:
    """The world with these tables and arms."""
    if arms not in ("", *ARMS):
        raise BestdoError(unknown("set of arms", arms, ARMS))
    names = [n for n in graph.observed if n != graph.reward]
    if arms == "POMIS":
        sets = possibly_optimal_sets(graph)
    elif arms == "MIS":
        sets = minimal_sets(graph)
    elif arms == "all at once":
        sets = [frozenset(names)]
    else:
        sets = [frozenset(s) for size in range(len(names) + 1) for s in itertools.combinations(names, size)]
    settings = [
        Intervention(dict(zip(ordered, values, strict=True)))
        for each in sets
        for ordered in [[n for n in names if n in each]]
        for values in itertools.product(*(graph.variable(n).values for n in ordered))
    ]
    return World(Problem(graph, Actions(graph, settings), all_compete=bool(arms)), Model(graph, tables))


_LIKELY = 0.0005
"""The chance of the rarer value of Z under every action of `screening_context`."""


def screening_context(rounds: int, actions: int = 20) -> World:
    """The setting of Bilodeau, Wang & Roy (2022) in which Z, seen after acting, tells all: X -> Z -> Y.

    Z = 0 with probability 0.9995 after the first action and 0.0005 after the others; P(Y = 1 | Z) is 1/2, and higher by
    √(K ln T / T) where Z = 0, for the number of rounds that are to be played. The law of Z is known.
    """
    gap = math.sqrt(actions * math.log(rounds) / rounds)
    if gap > 0.5:
        raise BestdoError(
            f"with {actions} actions the chance of success would be {0.5 + gap:.2f}: more rounds are needed"
        )
    zero = np.where(np.arange(actions) == 0, 1 - _LIKELY, _LIKELY)
    success = np.tile([0.5 + gap, 0.5], (actions, 1))
    return _after_acting(np.stack([zero, 1 - zero], axis=-1), success)


def contradicting_context(actions: int = 20) -> World:
    """The setting of Bilodeau, Wang & Roy (2022) that contradicts the graph X -> Z -> Y: X also acts on Y directly.

    P(Z = 1) is 6/8 for the first half of the actions and 7/8 for the rest; given Z = 1 the chance of success is 5.5/6 in the
    first half and 1/6 in the rest, and given Z = 0 it is 1 minus these. The law of Z is known.
    """
    better = np.arange(actions) < actions // 2
    one = np.where(better, 6 / 8, 7 / 8)
    success = np.where(better, 5.5 / 6, 1 / 6)
    return _after_acting(np.stack([1 - one, one], axis=-1), np.stack([1 - success, success], axis=-1))


def _after_acting(law: Floats, success: Floats) -> World:
    """The world X -> Z -> Y (and X -> Y in truth) with P(Z | X) and P(Y = 1 | X, Z), both float[K, 2]."""
    actions = len(law)
    variables = [Variable("X", tuple(f"arm {i + 1}" for i in range(actions))), Variable("Z"), Variable("Y")]
    believed = Graph.of(variables, [("X", "Z"), ("Z", "Y")], reward="Y")
    truth = Graph.of(variables, [("X", "Z"), ("X", "Y"), ("Z", "Y")], reward="Y")
    uniform = np.full(actions, 1 / actions)
    settings = [do(X=v) for v in variables[0].values]
    given = Model(believed, {"X": uniform, "Z": law, "Y": [[0.5, 0.5], [0.5, 0.5]]})
    known = given.law_of(["Z"], Actions(believed, settings))
    model = Model(truth, {"X": uniform, "Z": law, "Y": np.stack([1 - success, success], axis=-1)})
    return World(Problem(believed, Actions(believed, settings), known), model, mistaken=True)
