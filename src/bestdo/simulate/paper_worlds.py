"""The worlds of the paper, and the classical bandit as one of them.

As in the paper, all actions compete, do() and others that cannot be better than the best of the rest included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.law import Law
from bestdo.causal.model import Model
from bestdo.causal.unlisted_law import ModelLaw, ProductLaw
from bestdo.errors import GraphError
from bestdo.simulate.world import World

__all__ = ["arms", "as_bandit", "chain", "confounded", "paper_parallel", "parallel"]


_MOST_LISTED = 12
"""The most parents of the reward whose 2^12 states are written out as a table; beyond, the law is evaluated on rows that
are seen. Designs and learners are faster on tables, whose size doubles with each parent. Not measured."""


def _binary(names: Sequence[str], arrows: Sequence[tuple[str, str]]) -> Graph:
    """The graph of these two-valued variables and arrows, with the reward Y."""
    return Graph.of(map(Variable, names), arrows, reward="Y")


def parallel(q: Sequence[float], epsilon: float = 0.3) -> World:
    """The paper's parallel bandit: X1 … XN independent, X_i = 1 with probability q_i, all of them may cause Y.

    Y depends on X1 alone: success with probability 1/2 + epsilon where X1 = 1, and 1/2 − q1 epsilon / (1 − q1) where
    X1 = 0, so that do() and all actions but those on X1 have mean 1/2. The actions are those of the paper's code, in
    its order: all X_i = 0, all X_i = 1, do(). The law of the parents is known.
    """
    if not len(q) or not 0 <= q[0] < 1:
        raise GraphError("the parallel bandit needs at least one variable, and P(X1 = 1) below 1")
    names = [f"X{i + 1}" for i in range(len(q))]
    graph = _binary([*names, "Y"], [(n, "Y") for n in names])
    truth = _binary([*names, "Y"], [("X1", "Y")])
    below = q[0] * epsilon / (1 - q[0])
    tables: dict[str, ArrayLike] = {n: [1 - p, p] for n, p in zip(names, q, strict=True)}
    tables["Y"] = [[0.5 + below, 0.5 - below], [0.5 - epsilon, 0.5 + epsilon]]
    model = Model(truth, tables)
    actions = Actions(graph, [*(do({n: v}) for v in "01" for n in names), do()])
    law = ProductLaw(actions, tuple(model.tables[n] for n in names))
    return World(Problem(graph, actions, law, all_compete=True), model)


def paper_parallel(variables: int, m: int, epsilon: float) -> World:
    """The family of the paper's experiments: q_i = 0 for the first m variables and 1/2 for the others."""
    return parallel([0.0] * m + [0.5] * (variables - m), epsilon)


def confounded(given_0: Sequence[float], given_1: Sequence[float], z: float = 0.2) -> World:
    """The confounded graph Z -> X_i -> Y: P(Z = 1) = z, P(X_i = 1 | Z) by the two lists.

    Y depends on the first and the last X. Actions: do() and all single ones, those on Z included. The law of the parents
    is known.
    """
    names = [f"X{i + 1}" for i in range(len(given_0))]
    arrows = [("Z", n) for n in names]
    graph = _binary(["Z", *names, "Y"], [*arrows, *((n, "Y") for n in names)])
    truth = _binary(["Z", *names, "Y"], [*arrows, (names[0], "Y"), (names[-1], "Y")])
    success = np.array([[0.2, 0.8], [0.3, 0.9]])  # P(Y = 1 | X_1, X_N)
    tables: dict[str, ArrayLike] = {"Z": [1 - z, z], "Y": np.stack([1 - success, success], axis=-1)}
    tables |= {n: [[1 - a, a], [1 - b, b]] for n, a, b in zip(names, given_0, given_1, strict=True)}
    return _with_law(graph, Model(truth, tables))


def chain(variables: int, copy: float = 1.0, first: float = 0.0, epsilon: float = 0.3) -> World:
    """The chain X1 -> X2 -> … -> XN -> Y, where a round of one action is informative about many others.

    P(X1 = 1) = first; each variable copies the one before it with probability `copy`; P(Y = 1 | X_N) = 1/2 ± epsilon.
    With the defaults (the paper's example) do() only ever shows zeros, and do(X1 = 1) shows every variable at 1.
    """
    names = [f"X{i + 1}" for i in range(variables)]
    graph = _binary([*names, "Y"], list(zip(names, [*names[1:], "Y"], strict=True)))
    tables: dict[str, ArrayLike] = {n: [[copy, 1 - copy], [1 - copy, copy]] for n in names[1:]}
    tables |= {"X1": [1 - first, first], "Y": [[0.5 + epsilon, 0.5 - epsilon], [0.5 - epsilon, 0.5 + epsilon]]}
    return _with_law(graph, Model(graph, tables))


def _with_law(graph: Graph, model: Model) -> World:
    """The world of all single actions, whose problem knows the law of the reward's parents from the model."""
    actions = Actions.single(graph)
    assert graph.reward is not None
    parents = graph.parents[graph.reward]
    law: Law
    if len(parents) <= _MOST_LISTED:
        law = model.law_of(parents, actions)
    else:
        rest = [n for n in graph.names if n != graph.reward]
        law = ModelLaw(actions, Model(graph.subgraph(rest), {n: model.tables[n] for n in rest}))
    return World(Problem(graph, actions, law, all_compete=True), model)


def arms(means: Sequence[float]) -> World:
    """The classical bandit as a causal problem: one variable X with an arm for each value, X -> Y."""
    values = tuple(f"arm {i + 1}" for i in range(len(means)))
    graph = Graph.of([Variable("X", values), Variable("Y")], [("X", "Y")], reward="Y")
    tables: dict[str, ArrayLike] = {"X": np.full(len(means), 1 / len(means)), "Y": [[1 - p, p] for p in means]}
    return World(Problem(graph, Actions(graph, [do(X=v) for v in values])), Model(graph, tables))


def as_bandit(world: World) -> World:
    """The classical bandit with the same means and costs: each action becomes an arm, and no other variable is seen."""
    bandit = arms([float(m) for m in world.means])
    return replace(bandit, problem=replace(bandit.problem, cost=world.problem.cost))
