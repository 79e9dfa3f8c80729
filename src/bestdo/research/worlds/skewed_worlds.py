"""The world of SRM's experiments (Maiti, Nair & Sinha 2022): many causes, a few of which are seldom 1."""

from __future__ import annotations

from numpy.typing import ArrayLike

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.simulate.world import World

__all__ = ["skewed_causes"]

_VARIABLES, _SELDOM, _BEST = 50, 9, 45
"""The number of causes; the number of those, the last, that are seldom 1; and the cause that the reward depends on."""
_GAIN = 0.3
"""The rise of the chance of success above 1/2 when the best cause is set to 1."""
_ARROWS = (
    "1:0 2:0 4:0,1 5:0,1 8:6 12:0,6 13:1,3 14:9,10 16:0,12 19:4,9 20:4 21:3,18 22:17 23:3,5 24:18,20 26:3 27:2,22 28:1,19 "
    "30:21 31:13,24 32:29 33:23,29 34:15 36:5,15 37:19,33 38:21 39:18,28 40:4,7 41:10,26 42:9 43:26 45:4,35 46:20,21 "
    "47:22,38 48:37 49:4"
)
"""The parents of each cause that has some: the graph that the authors' program `regret_T_single` draws with its seed 7."""


def skewed_causes() -> World:
    """50 causes of the reward with random arrows between them: the world of the authors' program for one graph.

    As there, every cause is drawn independently of its parents, so that the arrows exist in the graph only: X1 … X41 are 1
    with probability 1/2 and X42 … X50 with 1/18. The reward depends on X46: success has probability 0.5 + 0.3 where it is
    1, and 0.5 − (1/18)·0.3/(1 − 0.3) where it is 0. The paper's construction divides by 1 − 1/18 instead, which gives all
    actions on other causes the mean 1/2; with the program's number they have 0.494. Learners know the graph only.
    """
    names = [f"X{i + 1}" for i in range(_VARIABLES)]
    arrows = [
        (names[int(parent)], names[int(child)])
        for child, _, parents in (each.partition(":") for each in _ARROWS.split())
        for parent in parents.split(",")
    ]
    variables = [Variable(n) for n in (*names, "Y")]
    graph = Graph.of(variables, [*arrows, *((n, "Y") for n in names)], reward="Y")
    truth = Graph.of(variables, [(names[_BEST], "Y")], reward="Y")
    seldom = 1 / (2 * _SELDOM)
    chance = [0.5] * (_VARIABLES - _SELDOM) + [seldom] * _SELDOM
    tables: dict[str, ArrayLike] = {n: [1 - p, p] for n, p in zip(names, chance, strict=True)}
    below = seldom * _GAIN / (1 - _GAIN)
    tables["Y"] = [[0.5 + below, 0.5 - below], [0.5 - _GAIN, 0.5 + _GAIN]]
    actions = [*(do({n: v}) for v in "01" for n in names), do()]
    return World(Problem(graph, Actions(graph, actions), all_compete=True), Model(truth, tables))
