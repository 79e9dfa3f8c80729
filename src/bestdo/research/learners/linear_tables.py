"""Functions that BLM-LR and BGLM-OFU share: linear models of two-valued variables, and optimistic means by them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.problem import Problem, require_bounds
from bestdo.causal.graph import Graph
from bestdo.errors import NotValid, shown
from bestdo.learners.count_state import Counts
from bestdo.memory_cache import memory_cache
from bestdo.research.learners.empirical_tables import start_tables
from bestdo.statistics.tables import cells

__all__ = ["CODE_SCALE", "Radius", "nodes", "optimistic_means", "start_linear"]


CODE_SCALE = 0.1
"""The factor of ρ in the authors' experiments (fengtony686/CCB); the paper does not say so."""


class Radius(NamedTuple):
    """The width of the confidence sets, and whether all is done as in the authors' code."""

    rho: float | Floats
    """ρ of the paper: one for all lanes, or float[L]."""
    as_in_code: bool


class _Family(NamedTuple):
    """A variable with its parents: the features of each row of its table, and its cells."""

    name: str
    place: int
    """The variable's place among the variables of the graph."""
    parents: tuple[int, ...]
    features: Floats
    """float[rows, 1 + parents]: 1, and the value of each parent."""
    first: int
    last: int
    values: int


def start_linear(problem: Problem, who: str, horizon: float, lanes: int, rng: np.random.Generator) -> Counts:
    """The counts before the first round; NotValid where a cause of the reward has more than two values or is hidden."""
    state = start_tables(who)(problem, horizon, lanes, rng)
    require_bounds(problem, who)
    graph = problem.graph
    for name in cells(graph).names[:-1]:
        if graph.size(name) != 2:
            raise NotValid(
                f"{who} needs causes with two values, and {shown(name)} has {graph.size(name)}: take causal-thompson"
            )
    return state


def nodes(problem: Problem) -> int:
    """N of the paper: the reward and its causes, and the variable that is always 1."""
    return len(cells(problem.graph).names) + 1


@memory_cache
def _families(graph: Graph) -> tuple[_Family, ...]:
    """The families of the reward and its causes, causes before effects."""
    layout, place = cells(graph), {n: i for i, n in enumerate(graph.names)}
    families = []
    for k, name in enumerate(layout.names):
        parents = tuple(place[p] for p in graph.parents[name])
        values = np.indices((2,) * len(parents)).reshape(len(parents), 2 ** len(parents)).T
        features = np.concatenate([np.ones((len(values), 1)), values], axis=1)
        first, last = int(layout.start[k]), int(layout.start[k + 1])
        families.append(_Family(name, place[name], parents, features, first, last, int(layout.values[k])))
    return tuple(families)


def optimistic_means(state: Counts, radius: Radius) -> Floats:  # float[L, A]
    """The highest mean of each action that linear models within their confidence sets allow.

    A variable is 1 with probability θ·v, v being 1 and the values of its parents. θ̂ = M⁻¹ b with M = I + Σ v vᵀ and
    b = Σ v x over the rounds that did not set it; θ is within ‖θ - θ̂‖_M ≤ ρ. Where effects are not negative, the highest
    mean follows from cause to effect: the value of a variable is what the action sets, or θ̂·v + ρ ‖v‖_M⁻¹ with the values of
    its parents.
    """
    problem, graph = state.problem, state.problem.graph
    codes, lanes = problem.actions.codes, len(state.played)
    rho = np.broadcast_to(radius.rho, lanes)
    value = np.zeros((lanes, len(graph.names), len(codes)))  # float[L, V, A]
    for family in _families(graph):
        is_reward = family.name == graph.reward
        features = family.features[:, 1:] if radius.as_in_code and is_reward else family.features
        own = slice(family.first, family.last)
        shape = (lanes, -1, family.values)
        n = state.tally.weight[:, own].reshape(shape).sum(axis=2)  # float[L, rows]
        part = state.tally.reward if is_reward else state.tally.weight
        ones = part[:, own].reshape(shape)
        s = ones.sum(axis=2) if is_reward else ones[:, :, 1]
        if radius.as_in_code and not family.parents:
            optimum = _share(n[:, 0], s[:, 0], rho)[:, None]
        else:
            v = np.stack([value[:, p] for p in family.parents], axis=2) if family.parents else np.zeros((lanes, 1, 0))
            if features.shape[1] > len(family.parents):
                v = np.concatenate([np.ones((*v.shape[:2], 1)), v], axis=2)  # float[L, A, d]
            optimum = _upper(features, n, s, v, rho)
            if not radius.as_in_code:
                optimum = np.clip(optimum, 0.0, 1.0)
        set_to = codes[:, family.place]
        value[:, family.place] = np.where(set_to >= 0, set_to, optimum)
    return np.asarray(value[:, graph.names.index(str(graph.reward))])


def _upper(features: Floats, n: Floats, s: Floats, v: Floats, rho: Floats) -> Floats:  # float[L, A]
    """θ̂·v + ρ ‖v‖_M⁻¹ for features v (float[L, A, d]), from the rounds and ones of each row (float[L, rows])."""
    design = np.eye(features.shape[1]) + np.einsum("lr,ri,rj->lij", n, features, features)
    inverse = np.linalg.inv(design)
    theta = (inverse @ (s @ features)[:, :, None])[:, :, 0]
    width = np.sqrt(np.maximum(np.einsum("lai,lij,laj->la", v, inverse, v), 0.0))
    return np.asarray(np.einsum("lai,li->la", v, theta) + rho[:, None] * width)


def _share(n: Floats, s: Floats, rho: Floats) -> Floats:  # float[L]
    """The share of ones of a variable without parents plus ρ / √n, 1 where it was always set: as in the authors' code."""
    return np.where(n > 0, s / np.maximum(n, 1) + rho / np.sqrt(np.maximum(n, 1)), 1.0)
