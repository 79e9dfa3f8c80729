"""The twenty worlds of MODL (Malek, Aglietti & Chiappa 2023): random graphs, and a normal reward with one cause."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.number import Number
from bestdo.causal.outcome import Outcome
from bestdo.simulate import World

__all__ = ["modl_worlds"]

_WORLDS = 20
_VARIABLES, _DEGREE = 10, 3.0
_FEWEST, _MOST = 3, 6
"""Values of a variable."""
_MEAN_BOUND, _NOISE = 5.0, 1.0
"""The largest possible mean of the reward, and its spread in every row."""
_ROOTS = 0.5
"""The parameter of the Dirichlet distribution of variables without causes."""
_BETA = 2.0, 5.0
"""The parameters of the Beta distribution of the reward's means (times the bound), and of unscaled chances."""
_EFFECT = 0.5
"""The probability that the reward causes a variable that comes after its cause."""


@lru_cache(maxsize=1)
def modl_worlds() -> list[World]:
    """The worlds of seeds 0 to 19, drawn with numpy's old generator in the authors' order: they are the same worlds.

    Arrows out of the reward are left out: they change no mean. The actions are do() and every value of every variable;
    the authors set all variables at once, and the best of their actions has the mean of the best value of the one cause.
    """
    return [_world(np.random.RandomState(seed)) for seed in range(_WORLDS)]


def _world(rng: np.random.RandomState) -> World:
    """A world of these authors."""
    n = _VARIABLES
    arrows = np.tril(rng.rand(n, n) < _DEGREE / (n - 1), k=-1)  # [effect, cause]
    cause = int(rng.choice(n, size=1, replace=False)[0])
    caused = [i for i in range(cause + 1, n) if rng.binomial(1, _EFFECT)]  # by the reward
    sizes = [int(rng.randint(_FEWEST, _MOST + 1)) for _ in range(n)]
    reward_values = int(np.ceil(_MEAN_BOUND)) + 1  # as which it causes others
    tables = {}
    for i in range(n):
        causes = [j for j in range(n) if arrows[i, j]]
        shape = [*(sizes[j] for j in causes), *([reward_values] if i in caused else []), sizes[i]]
        if len(shape) == 1:
            table = rng.dirichlet([_ROOTS] * sizes[i])
        elif len(shape) == 2:
            table = np.full(shape, 1 / sizes[i])
        else:
            chances = rng.beta(*_BETA, size=shape)
            table = chances / chances.sum(axis=-1, keepdims=True)
        tables[f"X{i}"] = (
            table.mean(axis=-2) if i in caused else table
        )  # any value of the reward: no mean depends on it
    mean = _MEAN_BOUND * rng.beta(*_BETA, size=sizes[cause])
    variables = [Variable(f"X{i}", tuple(map(str, range(size)))) for i, size in enumerate(sizes)]
    reward = Variable("Y", number=Number(spread=_MEAN_BOUND / 2))
    edges = [(f"X{j}", f"X{i}") for i in range(n) for j in range(n) if arrows[i, j]]
    graph = Graph.of([*variables, reward], [*edges, (f"X{cause}", "Y")], reward="Y", aim="maximise")
    model = Model(graph, tables, {"Y": Outcome(mean, np.full(mean.shape, _NOISE))})
    return World(Problem(graph, Actions.single(graph)), model)
