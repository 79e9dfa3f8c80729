"""Twenty fixed random worlds whose reward is a number, and the same worlds with the reward cut at its median."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions, do
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.research.figures.benchmark_worlds import Arrows, common, hidden, parallel, tree
from bestdo.simulate import World

__all__ = ["cut_at_median", "number_worlds", "spreads"]


_KINDS: dict[str, Callable[[list[str], np.random.Generator], tuple[Arrows, Arrows]]] = {
    "parallel": parallel,
    "tree": tree,
    "common cause": common,
    "hidden cause": hidden,
}
_SIZES = 3, 4, 6, 8, 10
"""The numbers of causes of the five worlds of each kind."""
_SHAPES = "normal", "lognormal", "zeros"
_BASE = 10.0
"""The middle of the means of all rows, in the unit of the reward."""
_NOISE = {"normal": 8.0, "lognormal": 8.0, "zeros": 15.0}
"""The spread of one round where the mean is `_BASE`."""
_GROWS = {"normal": 0.0, "lognormal": 1.0, "zeros": 0.5}
"""The spread is in proportion to this power of the row's mean. With "zeros" a larger mean is then due to a larger share of
rounds that are not zero (two thirds of it) and to larger numbers in them."""
_EFFECT = 0.35
"""The standard deviation, in spreads, of the difference that a cause makes, and of what a pair of two of them adds to it."""
_LEAST, _MOST = 2.0, 20.0
"""Skewed numbers have means between these: they must be positive, and those of "zeros" below the spread."""
_GAP = 0.1
"""The least advantage of the best action over the second, in spreads: small against the noise."""
_STEPS = 200  # of the bisection that finds a median: more than double precision can tell apart


@lru_cache(maxsize=1)
def number_worlds() -> dict[str, World]:
    """The twenty worlds by name. Learners know the graph, the aim, and a bound of the spread, and no table."""
    worlds = {}
    for k, (kind, arrows) in enumerate(_KINDS.items()):
        for i, size in enumerate(_SIZES):
            shape, aim = _SHAPES[(k + i) % 3], "minimise" if (k + i) % 4 == 3 else "maximise"
            rng = np.random.default_rng([2020, k, i])
            name = f"{kind}, {size} causes, {shape}, {aim}"
            worlds[name] = _random_world([f"X{j + 1}" for j in range(size)], arrows, shape, aim, rng)
    return worlds


def _random_world(
    names: list[str],
    arrows: Callable[[list[str], np.random.Generator], tuple[Arrows, Arrows]],
    shape: str,
    aim: str,
    rng: np.random.Generator,
) -> World:
    """Draws graphs, tables and effects until the best action is better than the second by the gap."""
    while True:
        directed, both = arrows(names, rng)
        wide = Graph.of([*map(Variable, names), Variable("Y", number=Number())], directed, both, "Y", aim=aim)
        tables = {n: rng.dirichlet([1, 1], size=[2] * len(wide.parents[n])) for n in wide.names if n != "Y"}
        outcome = _outcome(len(wide.parents["Y"]), shape, rng)
        largest = float(spreads(World(Problem(wide, Actions.single(wide)), Model(wide, tables, {"Y": outcome}))).max())
        number = Number(spread=math.ceil(largest))
        graph = Graph.of([*map(Variable, names), Variable("Y", number=number)], directed, both, "Y", aim=aim)
        world = World(Problem(graph, Actions.single(graph)), Model(graph, tables, {"Y": outcome}))
        best = np.sort(world.gains)
        if best[-1] - best[-2] >= _GAP * _NOISE[shape]:
            return world


def _outcome(parents: int, shape: str, rng: np.random.Generator) -> Outcome:
    """Random means of all rows: each parent adds an effect, and each pair of neighbours a smaller one."""
    codes, noise = np.indices([2] * parents) - 0.5, _NOISE[shape]
    mean = np.full([2] * parents, _BASE)
    for i in range(parents):
        mean += _EFFECT * noise * rng.standard_normal() * codes[i]
        if i:
            mean += _EFFECT * noise * rng.standard_normal() * codes[i] * codes[i - 1]
    if shape != "normal":
        mean = np.clip(mean, _LEAST, _MOST)
    return Outcome(
        mean, noise * (mean / _BASE) ** _GROWS[shape] if _GROWS[shape] else np.full(mean.shape, noise), shape
    )


def spreads(world: World) -> Floats:  # float[A]
    """The standard deviation of the reward under each action."""
    model, reward = world.model, str(world.problem.graph.reward)
    outcome = model.numbers[reward]
    deviations = []
    for action in world.actions:
        chance = model.distribution(model.graph.parents[reward], action)
        mean = float((chance * outcome.mean).sum())
        deviations.append(math.sqrt(float((chance * (outcome.spread**2 + (outcome.mean - mean) ** 2)).sum())))
    return np.array(deviations)


def cut_at_median(world: World) -> World:
    """A world with the reward cut at its median when nothing is set: success is to be on the better side."""
    model, reward = world.model, str(world.problem.graph.reward)
    outcome, parents = model.numbers[reward], model.graph.parents[reward]
    chance = model.distribution(parents, do())
    low, high = -1e6, 1e6
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if float((chance * _below(outcome, middle)).sum()) < 0.5 else (low, middle)
    below = _below(outcome, high)
    small = world.problem.graph.rewarded.scale.sign < 0
    graphs = [
        Graph(
            tuple(Variable(v.name, ("above", "below")) if v.name == reward else v for v in graph.variables),
            dict(graph.parents),
            reward,
            "below" if small else "above",
        )
        for graph in (world.problem.graph, model.graph)
    ]
    tables = {n: t for n, t in model.tables.items() if n != reward}
    truth = Model(graphs[1], {**tables, reward: np.stack([1 - below, below], axis=-1)})
    return World(Problem(graphs[0], Actions(graphs[0], world.problem.actions)), truth)


def _below(outcome: Outcome, border: float) -> Floats:
    """The probability in each row that the number is at most the border."""
    from scipy.special import ndtr

    mean, spread = outcome.mean, outcome.spread
    if outcome.shape == "normal":
        return np.asarray(ndtr((border - mean) / spread))
    if border < 0 or (outcome.shape == "lognormal" and border == 0):
        return np.zeros(mean.shape)
    if outcome.shape == "lognormal":
        log = np.log1p((spread / mean) ** 2)
        return np.asarray(ndtr((math.log(border) - np.log(mean) + log / 2) / np.sqrt(log)))
    share = 2 * mean**2 / (mean**2 + spread**2)
    return np.asarray(1 - share * np.exp(-border * share / mean))
