"""Twenty fixed random worlds of four kinds, to measure what must hold beyond the paper's worlds."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.experiments.engine.experiment import Setting
from bestdo.simulate import World

__all__ = [
    "Arrows",
    "benchmark_settings",
    "benchmark_worlds",
    "common",
    "hidden",
    "parallel",
    "random_worlds",
    "tree",
]

_GAP = 0.1
"""The least advantage of the best action over the second: large enough to be found within the rounds of the
figures, which say it in their captions."""

Arrows = list[tuple[str, str]]


def parallel(names: list[str], rng: np.random.Generator) -> tuple[Arrows, Arrows]:
    """Every variable causes the reward and no other: seeing is as good as doing."""
    return [(n, "Y") for n in names], []


def tree(names: list[str], rng: np.random.Generator) -> tuple[Arrows, Arrows]:
    """Every variable has one direct effect, a later variable or the reward: seeing is as good as doing."""
    rest = [*names, "Y"]
    return [(n, rest[int(rng.integers(i + 1, min(i + 4, len(rest))))]) for i, n in enumerate(names)], []


def common(names: list[str], rng: np.random.Generator) -> tuple[Arrows, Arrows]:
    """The first variable causes the others: for them seeing is as good as doing only after adjusting for it."""
    return [(names[0], n) for n in names[1:]] + [(n, "Y") for n in names[1:]], []


def hidden(names: list[str], rng: np.random.Generator) -> tuple[Arrows, Arrows]:
    """A third of the variables share a hidden cause with the reward: for them seeing is not doing."""
    return [(n, "Y") for n in names], [(n, "Y") for n in names[: max(1, len(names) // 3)]]


_KINDS: dict[str, tuple[int, Callable[[list[str], np.random.Generator], tuple[Arrows, Arrows]]]] = {
    "parallel": (6, parallel),
    "tree": (5, tree),
    "common cause": (5, common),
    "hidden cause": (4, hidden),
}


@lru_cache(maxsize=1)
def benchmark_worlds() -> dict[str, World]:
    """The twenty worlds by name. Learners know the graph only; one action is better than all others by at least 0.1."""
    worlds = {}
    for k, (kind, (count, arrows)) in enumerate(_KINDS.items()):
        for i in range(count):
            size = 3 + i
            rng = np.random.default_rng([2016, k, i])
            worlds[f"{kind}, {size} variables"] = _random_world([f"X{j + 1}" for j in range(size)], arrows, rng)
    return worlds


def benchmark_settings(horizon: int) -> tuple[Setting, ...]:
    """The twenty worlds as settings: x is the number of variables, with a panel for each kind of graph."""
    settings = []
    for name, world in benchmark_worlds().items():
        kind, _, size = name.partition(", ")
        settings.append(Setting(int(size.split()[0]), world, horizon, panel=kind))
    return tuple(settings)


def random_worlds(number: int) -> list[World]:
    """Random worlds of the four kinds in turn, with three to six variables and any gap between the two best actions."""
    worlds = []
    for i in range(number):
        arrows = list(_KINDS.values())[i % len(_KINDS)][1]
        rng = np.random.default_rng([2017, i])
        worlds.append(_random_world([f"X{j + 1}" for j in range(int(rng.integers(3, 7)))], arrows, rng, 0.0))
    return worlds


def _random_world(
    names: list[str],
    arrows: Callable[[list[str], np.random.Generator], tuple[Arrows, Arrows]],
    rng: np.random.Generator,
    gap: float = _GAP,
) -> World:
    """Draws graphs and tables, uniform over tables, until the best action is better than the second by the gap."""
    while True:
        directed, both = arrows(names, rng)
        graph = Graph.of([*map(Variable, names), Variable("Y")], directed, both, reward="Y")
        tables = {n: rng.dirichlet([1, 1], size=[2] * len(graph.parents[n])) for n in graph.names}
        world = World(Problem(graph, Actions.single(graph)), Model(graph, tables))
        best = np.sort(world.means)
        if best[-1] - best[-2] >= gap:
            return world
