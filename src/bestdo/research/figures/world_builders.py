"""Builders of the classes of worlds of the figure every-world: graph, actions and how tables are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.simulate import World
from bestdo.simulate.random_rows import Rows, additive, alike, copies, first_parent, uniform
from bestdo.simulate.world_class import WorldClass

__all__ = [
    "ANY",
    "FIRST",
    "NEVER",
    "OFTEN",
    "RARE",
    "cause_names",
    "chain_of",
    "common_cause",
    "graph_alone",
    "graph_of",
    "hidden_causes",
    "law_known",
    "layers",
    "nothing_best",
    "one_mediator",
    "parallel_causes",
    "priced",
    "strata",
    "valued_causes",
]

ANY: Rows = partial(uniform, low=0.2, high=0.8)
"""P(1) of a variable that is often 0 and often 1."""
NEVER, RARE, OFTEN = (partial(uniform, low=p, high=p) for p in (0.0, 0.05, 0.4))
"""P(X1 = 1) where do() never shows the best action, shows it rarely, and shows it often."""
FIRST = do(X1=1)
_PRICE = 20.0
"""The price of a round that sets a variable in the classes with costs; a round of do() costs 1."""


def cause_names(number: int) -> list[str]:
    """X1, X2, …"""
    return [f"X{i + 1}" for i in range(number)]


def graph_of(
    names: Sequence[str],
    arrows: Sequence[tuple[str, str]],
    both: Sequence[tuple[str, str]] = (),
    sizes: Mapping[str, int] | None = None,
) -> Graph:
    """The graph of these variables and the reward Y; variables have two values where `sizes` says nothing else."""
    many = sizes or {}
    variables = [Variable(n, tuple(map(str, range(many.get(n, 2))))) for n in (*names, "Y")]
    return Graph.of(variables, arrows, both, reward="Y")


def parallel_causes(number: int, reward: Rows, first: Rows = ANY, best: Intervention | None = None) -> WorldClass:
    """Independent causes of the reward: X1 … XN -> Y."""
    names = cause_names(number)
    graph = graph_of(names, [(n, "Y") for n in names])
    rows: dict[str, Rows] = {**dict.fromkeys(names, ANY), "X1": first, "Y": reward}
    return WorldClass(Problem(graph, Actions.single(graph)), rows, best=best)


def valued_causes(sizes: tuple[int, ...], reward: Rows) -> WorldClass:
    """Independent causes of several values each."""
    names = cause_names(len(sizes))
    graph = graph_of(names, [(n, "Y") for n in names], sizes=dict(zip(names, sizes, strict=True)))
    return WorldClass(Problem(graph, Actions.single(graph)), {"Y": reward})


def law_known(number: int, reward: Rows, first: float) -> WorldClass:
    """Independent causes whose law is known: P(1) is `first` for X1 and rises evenly from 0.3 to 0.8 for the others."""
    made = parallel_causes(number, reward, best=FIRST if first == 0 else None)
    graph, actions = made.problem.graph, made.problem.actions
    rates = [first, *np.linspace(0.3, 0.8, number - 1)]
    known = {n: np.array([1 - p, p]) for n, p in zip(cause_names(number), rates, strict=True)}
    law = Model(graph, {**known, "Y": np.full([2] * (number + 1), 0.5)}).parent_law(actions)
    return replace(made, problem=replace(made.problem, law=law), rows={"Y": reward}, known=known)


def graph_alone(world: World) -> World:
    """The world without the law of the reward's parents."""
    return replace(world, problem=replace(world.problem, law=None))


def priced(made: WorldClass) -> WorldClass:
    """The class with a cost of 1 for do() and 20 for every other action."""
    cost = tuple(_PRICE if action else 1.0 for action in made.problem.actions)
    return replace(made, problem=replace(made.problem, cost=cost))


def one_mediator(number: int, mediator: Rows, first: Rows = ANY, best: Intervention | None = None) -> WorldClass:
    """X1 … XN -> M -> Y, where Y copies M; the causes alone can be set."""
    names = cause_names(number)
    graph = graph_of([*names, "M"], [*((n, "M") for n in names), ("M", "Y")])
    copied = partial(copies, low=0.95, high=0.98)
    rows: dict[str, Rows] = {**dict.fromkeys(names, ANY), "X1": first, "M": mediator, "Y": copied}
    return WorldClass(Problem(graph, Actions.single(graph, names)), rows, best=best)


def layers(number: int, mediators: int) -> WorldClass:
    """Causes of all mediators, which are the causes of the reward; all effects additive; the causes alone can be set."""
    names, between = cause_names(number), [f"M{i + 1}" for i in range(mediators)]
    graph = graph_of([*names, *between], [(n, m) for n in names for m in between] + [(m, "Y") for m in between])
    strong: Rows = partial(additive, base=0.5, spread=1.4)
    rows = {**dict.fromkeys(names, ANY), **dict.fromkeys([*between, "Y"], strong)}
    return WorldClass(Problem(graph, Actions.single(graph, names)), rows)


def chain_of(number: int, first: Rows, low: float, high: float) -> WorldClass:
    """X1 -> … -> XN -> Y: each copies the one before it, and success has the high rate where XN = 1."""
    names = cause_names(number)
    graph = graph_of(names, list(zip(names, [*names[1:], "Y"], strict=True)))
    rows: dict[str, Rows] = {**dict.fromkeys(names, partial(copies, low=0.8, high=0.95)), "X1": first}
    rows["Y"] = partial(first_parent, base=low, effect=float(np.log(high / (1 - high) * (1 - low) / low)))
    return WorldClass(Problem(graph, Actions.single(graph)), rows)


def strata(number: int) -> WorldClass:
    """Two-valued Z1 … Zk cause X1, X2 and Y: 2^k strata. X1 = 1 is rare and the best; X1 and X2 alone can be set."""
    strata, names = [f"Z{i + 1}" for i in range(number)], cause_names(2)
    arrows = [(z, n) for z in strata for n in (*names, "Y")] + [(n, "Y") for n in names]
    graph = graph_of([*strata, *names], arrows)
    share = 1 / np.sqrt(number)
    rows = {
        **dict.fromkeys(strata, partial(uniform, low=0.3, high=0.7)),
        "X1": partial(additive, base=0.05, spread=0.7 * share),
        "X2": partial(additive, base=0.5, spread=0.7 * share),
        "Y": partial(additive, base=0.5, spread=1.4 * share, last=(1.5, 0.3)),
    }
    return WorldClass(Problem(graph, Actions.single(graph, names)), rows, best=FIRST)


def common_cause(number: int, reward: Rows, first: Rows | None = None, best: Intervention | None = None) -> WorldClass:
    """Z -> X1 … XN -> Y."""
    names = cause_names(number)
    graph = graph_of(["Z", *names], [("Z", n) for n in names] + [(n, "Y") for n in names])
    middle, any_rate = partial(uniform, low=0.3, high=0.7), partial(uniform, low=0.0, high=1.0)
    rows: dict[str, Rows] = {"Z": middle, **dict.fromkeys(names, any_rate), "X1": first or any_rate, "Y": reward}
    return WorldClass(Problem(graph, Actions.single(graph)), rows, best=best)


def nothing_best(number: int) -> WorldClass:
    """Z makes X1 … XN alike, and success is likely where all are alike: whoever sets one of them spoils it."""
    names = cause_names(number)
    graph = graph_of(["Z", *names], [("Z", n) for n in names] + [(n, "Y") for n in names])
    like_z, matched = partial(copies, low=0.85, high=0.98), partial(alike, low=0.35, high=0.75)
    rows: dict[str, Rows] = {"Z": ANY, **dict.fromkeys(names, like_z), "Y": matched}
    return WorldClass(Problem(graph, Actions.single(graph, names)), rows, best=do())


def hidden_causes(arrows: Sequence[tuple[str, str]], both: Sequence[tuple[str, str]]) -> WorldClass:
    """Additive effects of seen and hidden causes; pairs in `both` share a hidden one."""
    names = [n for n in dict.fromkeys(n for arrow in arrows for n in arrow) if n != "Y"]
    graph = graph_of(names, arrows, both)
    strong = partial(additive, base=0.5, spread=1.2)
    rows = {n: strong if graph.parents[n] else ANY for n in graph.names}
    return WorldClass(Problem(graph, Actions.single(graph)), rows)
