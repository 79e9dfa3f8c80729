"""The classes of worlds of the figure every-world, by name: everything that a world can be like, one thing at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, Intervention, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.simulate import World, paper_parallel
from bestdo.simulate.random_rows import (
    Rows,
    additive,
    additive_probability,
    alike,
    all_needed,
    copies,
    either_or,
    first_parent,
    first_parents,
    flat,
    uniform,
)
from bestdo.simulate.world_class import WorldClass

__all__ = ["world_classes"]

_ANY: Rows = partial(uniform, low=0.2, high=0.8)
"""P(1) of a variable that is often 0 and often 1."""
_NEVER, _RARE, _OFTEN = (partial(uniform, low=p, high=p) for p in (0.0, 0.05, 0.4))
"""P(X1 = 1) where do() never shows the best action, shows it rarely, and shows it often."""
_SEEN = {"never seen": _NEVER, "rarely seen": _RARE, "often seen": _OFTEN}
_RATES = 0.05, 0.2, 0.5, 0.8, 0.95
_FIRST = do(X1=1)
_PRICE = 20.0
"""The price of a round that sets a variable in the classes with costs; a round of do() costs 1."""


def world_classes() -> dict[str, World | WorldClass]:
    """All classes by name, in the order of the picture. Learners know the graph alone where the name says nothing else."""
    return {
        **_one_cause_matters(),
        **_parallel_classes(),
        **_larger_classes(),
        **_mediator_classes(),
        **_other_classes(),
    }


def _one_cause_matters() -> dict[str, World | WorldClass]:
    """Five causes of which one matters: do() shows its better value never, rarely or often; five base rates."""
    return {
        f"best {seen}, base rate {rate:g}": _parallel(5, partial(first_parent, base=rate, effect=1.5), q, _FIRST)
        for seen, q in _SEEN.items()
        for rate in _RATES
    }


def _parallel_classes() -> dict[str, World | WorldClass]:
    """Up to eight independent causes whose effects are sparse, additive, flat or interacting."""
    few, flat_4 = partial(first_parents, base=0.4), partial(flat, base=0.5)
    return {
        "2 of 6 causes matter, base rate 0.2, best rarely seen": _parallel(
            6, partial(first_parents, base=0.2, number=2), _RARE, _FIRST
        ),
        "2 of 6 causes matter, base rate 0.8, best never seen": _parallel(
            6, partial(first_parents, base=0.8, number=2), _NEVER, _FIRST
        ),
        "3 of 4 causes matter": _parallel(4, partial(few, number=3)),
        "3 of 8 causes matter": _parallel(8, partial(few, number=3)),
        "additive, 3 causes": _parallel(3, partial(additive, base=0.5)),
        "additive, 6 causes": _parallel(6, partial(additive, base=0.5)),
        "additive, 6 causes, base rate 0.1": _parallel(6, partial(additive, base=0.1)),
        "additive, 6 causes, base rate 0.9": _parallel(6, partial(additive, base=0.9)),
        "additive, 6 causes, best never seen": _parallel(6, partial(additive, base=0.3), _NEVER, _FIRST),
        "additive in probability, 7 causes": _parallel(7, partial(additive_probability, base=0.5, spread=0.08)),
        "additive with pairs, 5 causes": _parallel(5, partial(additive, base=0.4, pairs=0.3)),
        "flat rows, 1 cause": _parallel(1, flat_4),
        "flat rows, 2 causes": _parallel(2, flat_4),
        "flat rows, 4 causes": _parallel(4, flat_4),
        "flat rows, 4 causes, base rate 0.15": _parallel(4, partial(flat, base=0.15)),
        "flat rows, 5 causes, base rate 0.8, best never seen": _parallel(5, partial(flat, base=0.8), _NEVER, _FIRST),
        "either or, 4 causes": _parallel(4, partial(either_or, base=0.2, effect=2.0)),
        "three needed, 6 causes": _parallel(6, partial(all_needed, base=0.2, effect=3.0, number=3)),
        "near-deterministic rows, 3 causes": _parallel(3, partial(flat, base=0.5, weight=0.1)),
        "near-deterministic rows, 5 causes": _parallel(5, partial(flat, base=0.5, weight=0.1)),
        "many actions near 1, 6 causes": _parallel(6, partial(additive, base=0.97)),
        "all actions equal, 4 causes": _parallel(4, partial(uniform, low=0.4, high=0.4)),
        "1 cause of 8 values": _valued((8,), partial(flat, base=0.5)),
        "3 causes of 4 values, 1 matters": _valued((4, 4, 4), partial(first_parents, base=0.3, number=1)),
        "3 causes of 4 values, additive": _valued((4, 4, 4), partial(additive, base=0.5)),
    }


def _larger_classes() -> dict[str, World | WorldClass]:
    """Ten and twelve causes, and the worlds of the paper."""
    return {
        "2 of 10 causes matter, best rarely seen": _parallel(
            10, partial(first_parents, base=0.5, number=2), _RARE, _FIRST
        ),
        "1 of 12 causes matters, base rate 0.8, best never seen": _parallel(
            12, partial(first_parent, base=0.8, effect=1.5), _NEVER, _FIRST
        ),
        "additive, 12 causes": _parallel(12, partial(additive, base=0.5)),
        "the paper's world, 5 causes, m = 2": _graph_alone(paper_parallel(5, 2, 0.3)),
        "the paper's world, 50 causes, m = 2": _graph_alone(paper_parallel(50, 2, 0.3)),
        "the paper's world, 50 causes, m = 30": _graph_alone(paper_parallel(50, 30, 0.3)),
        "the paper's world, 50 causes, m = 10, law known": paper_parallel(50, 10, 0.3),
    }


def _mediator_classes() -> dict[str, World | WorldClass]:
    """Causes that act through other variables."""
    return {
        "mediator copied, 1 of 9 causes matters, best never seen": _mediator(
            9, partial(first_parent, base=0.7, effect=2.5), _NEVER, _FIRST
        ),
        "mediator copied, 2 of 6 causes matter": _mediator(6, partial(first_parents, base=0.5, number=2)),
        "mediator copied, additive, 6 causes": _mediator(6, partial(additive, base=0.5, spread=0.9)),
        "mediator copied, flat rows, 4 causes": _mediator(4, partial(flat, base=0.5)),
        "mediator copied, additive, 7 causes, best never seen": _mediator(
            7, partial(additive, base=0.6, spread=0.9), _NEVER, _FIRST
        ),
        "two layers, 4 causes, 3 mediators": _layers(4, 3),
        "chain of 5": _chain(5, _ANY, 0.3, 0.7),
        "chain of 4, base rate 0.75, X1 = 1 never seen": _chain(4, _NEVER, 0.75, 0.95),
    }


def _other_classes() -> dict[str, World | WorldClass]:
    """Common causes seen and hidden, do() best, costs, and known laws."""
    one, two = partial(first_parent, base=0.7, effect=1.5), partial(first_parents, base=0.4, number=2)
    return {
        **{f"{2**k} strata, best rarely seen": _strata(k) for k in (1, 2, 4, 6)},
        "common cause, 2 of 4 matter": _common(4, two),
        "common cause, additive, 5 causes, best never seen": _common(5, partial(additive, base=0.7), _NEVER, _FIRST),
        "do() best": _do_best(3),
        "hidden causes, 4 causes": _hidden([(f"X{i + 1}", "Y") for i in range(4)], [("X1", "Y"), ("X2", "Y")]),
        "hidden cause, front door": _hidden([("X1", "M"), ("M", "Y"), ("X2", "Y")], [("X1", "Y")]),
        "hidden cause, instrument": _hidden([("Z", "X1"), ("X1", "Y"), ("X2", "Y")], [("X1", "Y")]),
        "costs, 2 of 6 causes matter": _priced(_parallel(6, two, _RARE, _FIRST)),
        "costs, 1 of 5 causes matters, best never seen": _priced(_parallel(5, one, _NEVER, _FIRST)),
        "costs, additive, 6 causes": _priced(_parallel(6, partial(additive, base=0.5))),
        "law known, 2 of 3 causes matter": _law_known(3, two, 0.2),
        "law known, additive, 5 causes": _law_known(5, partial(additive, base=0.5), 0.2),
        "law known, flat rows, 3 causes": _law_known(3, partial(flat, base=0.5), 0.2),
        "law known, 1 of 5 causes matters, best never seen": _law_known(5, one, 0.0),
    }


def _names(number: int) -> list[str]:
    """X1, X2, …"""
    return [f"X{i + 1}" for i in range(number)]


def _graph(
    names: Sequence[str],
    arrows: Sequence[tuple[str, str]],
    both: Sequence[tuple[str, str]] = (),
    sizes: Mapping[str, int] | None = None,
) -> Graph:
    """The graph of these variables and the reward Y; variables have two values where `sizes` says nothing else."""
    many = sizes or {}
    variables = [Variable(n, tuple(map(str, range(many.get(n, 2))))) for n in (*names, "Y")]
    return Graph.of(variables, arrows, both, reward="Y")


def _parallel(number: int, reward: Rows, first: Rows = _ANY, best: Intervention | None = None) -> WorldClass:
    """Independent causes of the reward: X1 … XN -> Y."""
    names = _names(number)
    graph = _graph(names, [(n, "Y") for n in names])
    rows: dict[str, Rows] = {**dict.fromkeys(names, _ANY), "X1": first, "Y": reward}
    return WorldClass(Problem(graph, Actions.single(graph)), rows, best=best)


def _valued(sizes: tuple[int, ...], reward: Rows) -> WorldClass:
    """Independent causes of several values each."""
    names = _names(len(sizes))
    graph = _graph(names, [(n, "Y") for n in names], sizes=dict(zip(names, sizes, strict=True)))
    return WorldClass(Problem(graph, Actions.single(graph)), {"Y": reward})


def _law_known(number: int, reward: Rows, first: float) -> WorldClass:
    """Independent causes whose law is known: P(1) is `first` for X1 and rises evenly from 0.3 to 0.8 for the others."""
    made = _parallel(number, reward, best=_FIRST if first == 0 else None)
    graph, actions = made.problem.graph, made.problem.actions
    rates = [first, *np.linspace(0.3, 0.8, number - 1)]
    known = {n: np.array([1 - p, p]) for n, p in zip(_names(number), rates, strict=True)}
    law = Model(graph, {**known, "Y": np.full([2] * (number + 1), 0.5)}).parent_law(actions)
    return replace(made, problem=replace(made.problem, law=law), rows={"Y": reward}, known=known)


def _graph_alone(world: World) -> World:
    """The world without the law of the reward's parents."""
    return replace(world, problem=replace(world.problem, law=None))


def _priced(made: WorldClass) -> WorldClass:
    """The class with a cost of 1 for do() and 20 for every other action."""
    cost = tuple(_PRICE if action else 1.0 for action in made.problem.actions)
    return replace(made, problem=replace(made.problem, cost=cost))


def _mediator(number: int, mediator: Rows, first: Rows = _ANY, best: Intervention | None = None) -> WorldClass:
    """X1 … XN -> M -> Y, where Y copies M; the causes alone can be set."""
    names = _names(number)
    graph = _graph([*names, "M"], [*((n, "M") for n in names), ("M", "Y")])
    copied = partial(copies, low=0.95, high=0.98)
    rows: dict[str, Rows] = {**dict.fromkeys(names, _ANY), "X1": first, "M": mediator, "Y": copied}
    return WorldClass(Problem(graph, Actions.single(graph, names)), rows, best=best)


def _layers(number: int, mediators: int) -> WorldClass:
    """Causes of all mediators, which are the causes of the reward; all effects additive; the causes alone can be set."""
    names, between = _names(number), [f"M{i + 1}" for i in range(mediators)]
    graph = _graph([*names, *between], [(n, m) for n in names for m in between] + [(m, "Y") for m in between])
    strong: Rows = partial(additive, base=0.5, spread=1.4)
    rows = {**dict.fromkeys(names, _ANY), **dict.fromkeys([*between, "Y"], strong)}
    return WorldClass(Problem(graph, Actions.single(graph, names)), rows)


def _chain(number: int, first: Rows, low: float, high: float) -> WorldClass:
    """X1 -> … -> XN -> Y: each copies the one before it, and success has the high rate where XN = 1."""
    names = _names(number)
    graph = _graph(names, list(zip(names, [*names[1:], "Y"], strict=True)))
    rows: dict[str, Rows] = {**dict.fromkeys(names, partial(copies, low=0.8, high=0.95)), "X1": first}
    rows["Y"] = partial(first_parent, base=low, effect=float(np.log(high / (1 - high) * (1 - low) / low)))
    return WorldClass(Problem(graph, Actions.single(graph)), rows)


def _strata(number: int) -> WorldClass:
    """Two-valued Z1 … Zk cause X1, X2 and Y: 2^k strata. X1 = 1 is rare and the best; X1 and X2 alone can be set."""
    strata, names = [f"Z{i + 1}" for i in range(number)], _names(2)
    arrows = [(z, n) for z in strata for n in (*names, "Y")] + [(n, "Y") for n in names]
    graph = _graph([*strata, *names], arrows)
    share = 1 / np.sqrt(number)
    rows = {
        **dict.fromkeys(strata, partial(uniform, low=0.3, high=0.7)),
        "X1": partial(additive, base=0.05, spread=0.7 * share),
        "X2": partial(additive, base=0.5, spread=0.7 * share),
        "Y": partial(additive, base=0.5, spread=1.4 * share, last=(1.5, 0.3)),
    }
    return WorldClass(Problem(graph, Actions.single(graph, names)), rows, best=_FIRST)


def _common(number: int, reward: Rows, first: Rows | None = None, best: Intervention | None = None) -> WorldClass:
    """Z -> X1 … XN -> Y."""
    names = _names(number)
    graph = _graph(["Z", *names], [("Z", n) for n in names] + [(n, "Y") for n in names])
    middle, any_rate = partial(uniform, low=0.3, high=0.7), partial(uniform, low=0.0, high=1.0)
    rows: dict[str, Rows] = {"Z": middle, **dict.fromkeys(names, any_rate), "X1": first or any_rate, "Y": reward}
    return WorldClass(Problem(graph, Actions.single(graph)), rows, best=best)


def _do_best(number: int) -> WorldClass:
    """Z makes X1 … XN alike, and success is likely where all are alike: whoever sets one of them spoils it."""
    names = _names(number)
    graph = _graph(["Z", *names], [("Z", n) for n in names] + [(n, "Y") for n in names])
    like_z, matched = partial(copies, low=0.85, high=0.98), partial(alike, low=0.35, high=0.75)
    rows: dict[str, Rows] = {"Z": _ANY, **dict.fromkeys(names, like_z), "Y": matched}
    return WorldClass(Problem(graph, Actions.single(graph, names)), rows, best=do())


def _hidden(arrows: Sequence[tuple[str, str]], both: Sequence[tuple[str, str]]) -> WorldClass:
    """Additive effects of seen and hidden causes; pairs in `both` share a hidden one."""
    names = [n for n in dict.fromkeys(n for arrow in arrows for n in arrow) if n != "Y"]
    graph = _graph(names, arrows, both)
    strong = partial(additive, base=0.5, spread=1.2)
    rows = {n: strong if graph.parents[n] else _ANY for n in graph.names}
    return WorldClass(Problem(graph, Actions.single(graph)), rows)
