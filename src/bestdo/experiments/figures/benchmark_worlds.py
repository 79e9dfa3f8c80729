"""Twenty worlds of four kinds, drawn once and for all: for what must hold everywhere, not only in the paper's worlds."""

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

__all__ = ["random_worlds", "twenty", "twenty_settings"]

_GAP = 0.1  # by how much the best action is better than the second

Arrows = list[tuple[str, str]]


def _parallel(names: list[str], rng: np.random.Generator) -> tuple[Arrows, Arrows]:
    """Every variable causes the reward, none another: seeing is as good as doing."""
    return [(n, "Y") for n in names], []


def _tree(names: list[str], rng: np.random.Generator) -> tuple[Arrows, Arrows]:
    """Every variable has one effect: seeing is as good as doing here too."""
    rest = [*names, "Y"]
    return [(n, rest[int(rng.integers(i + 1, min(i + 4, len(rest))))]) for i, n in enumerate(names)], []


def _common(names: list[str], rng: np.random.Generator) -> tuple[Arrows, Arrows]:
    """The first variable causes the others: for them seeing is not doing, unless one adjusts for it."""
    return [(names[0], n) for n in names[1:]] + [(n, "Y") for n in names[1:]], []


def _hidden(names: list[str], rng: np.random.Generator) -> tuple[Arrows, Arrows]:
    """Some variables share a hidden cause with the reward: what is seen of them misleads."""
    return [(n, "Y") for n in names], [(n, "Y") for n in names[: max(1, len(names) // 3)]]


_KINDS: dict[str, tuple[int, Callable[[list[str], np.random.Generator], tuple[Arrows, Arrows]]]] = {
    "parallel": (6, _parallel),
    "tree": (5, _tree),
    "common cause": (5, _common),
    "hidden cause": (4, _hidden),
}


@lru_cache(maxsize=1)
def twenty() -> dict[str, World]:
    """The worlds by name; tables are random, and unknown to learners; one action is better than all others by 0.1."""
    worlds = {}
    for k, (kind, (count, arrows)) in enumerate(_KINDS.items()):
        for i in range(count):
            size = 3 + i
            rng = np.random.default_rng([2016, k, i])
            worlds[f"{kind}, {size} variables"] = _drawn([f"X{j + 1}" for j in range(size)], arrows, rng)
    return worlds


def twenty_settings(horizon: int) -> tuple[Setting, ...]:
    """The worlds by their number of variables, in a panel for each kind."""
    settings = []
    for name, world in twenty().items():
        kind, _, size = name.partition(", ")
        settings.append(Setting(int(size.split()[0]), world, horizon, panel=kind))
    return tuple(settings)


def random_worlds(number: int) -> list[World]:
    """Worlds of the four kinds in turn, three to six variables, however good their second best action is."""
    worlds = []
    for i in range(number):
        arrows = list(_KINDS.values())[i % len(_KINDS)][1]
        rng = np.random.default_rng([2017, i])
        worlds.append(_drawn([f"X{j + 1}" for j in range(int(rng.integers(3, 7)))], arrows, rng, 0.0))
    return worlds


def _drawn(
    names: list[str],
    arrows: Callable[[list[str], np.random.Generator], tuple[Arrows, Arrows]],
    rng: np.random.Generator,
    gap: float = _GAP,
) -> World:
    while True:
        directed, both = arrows(names, rng)
        graph = Graph.of([*map(Variable, names), Variable("Y")], directed, both, reward="Y")
        tables = {n: rng.dirichlet([1, 1], size=[2] * len(graph.parents[n])) for n in graph.names}
        world = World(Problem(graph, Actions.single(graph)), Model(graph, tables))
        best = np.sort(world.means)
        if best[-1] - best[-2] >= gap:
            return world
