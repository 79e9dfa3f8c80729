"""Simulated studies with a limit: what they say of actions that keep it, and whether that is so.

The rates are 0.5, 1, 2, 3 or 5 times the limit, in half of the studies the same for all actions; the limits are 2, 10 and
30 %, in 10 to 200 rounds, with a hidden common cause of harm and cure or none, and with what is seen first or nothing.
"""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo import Actions, Graph, Limit, Model, Problem, Variable, World, do
from bestdo.bandit.learner import in_study
from bestdo.learners import learner
from bestdo.learners.game import game_of
from bestdo.simulate.driver import play_out

TIMES = 0.5, 1.0, 2.0, 3.0, 5.0
LIMITS = 0.02, 0.1, 0.3
ROUNDS = 10, 20, 50, 100, 200


class Said(NamedTuple):
    """What a study says at its end: of each action (in each context), and of what it recommends."""

    probability: NDArray[np.float64]
    """float[P]: with which probability each pair of context and action is said to keep the limit."""
    true: NDArray[np.bool_]
    """bool[P]: whether it does."""
    kept: NDArray[np.int64]
    """int[C]: the pair that is recommended in each context."""


def world_of(rng: np.random.Generator, limit: float, hidden: bool, context: bool, settings: int) -> World:
    """A random world: one setting of two to five values, or several of two values, cause harm and cure."""
    sizes = [int(rng.integers(2, 6))] if settings == 1 else [2] * settings
    names = ["dose"] if settings == 1 else [f"drug{i}" for i in range(settings)]
    first = ["age"] if context else []
    variables = [Variable(n, tuple(map(str, range(size)))) for n, size in zip(names, sizes, strict=True)]
    variables += [Variable("age", ("young", "old"))] * context
    variables += [Variable("harm", ("no", "yes")), Variable("cure", ("no", "yes"))]
    causes = [*first, *names]
    graph = Graph.of(
        variables, [(n, o) for n in causes for o in ("harm", "cure")], [("harm", "cure")] if hidden else []
    ).rewarding("cure", "yes")
    actions = Actions(graph, [do({n: v}) for n, size in zip(names, sizes, strict=True) for v in map(str, range(size))])
    size = {**dict(zip(names, sizes, strict=True)), "age": 2, "harm<->cure": 2, "cure<->harm": 2}
    tables: dict[str, Any] = {n: rng.dirichlet(np.full(size[n], 2.0)) for n in causes}
    shape = tuple(size[n] for n in causes)
    times = np.full(shape, rng.choice(TIMES)) if rng.random() < 0.5 else rng.choice(TIMES, size=shape)
    own = times * limit
    for name in ("harm", "cure"):
        parents = graph.parents[name]
        chance = own if name == "harm" else rng.beta(2, 2, own.shape)
        chance = np.minimum(chance, 0.97)
        order = [causes.index(p) for p in parents if p in causes]
        chance = np.transpose(chance, order)
        for place, parent in enumerate(parents):
            if parent not in causes:  # the hidden cause: half of people have it, and it moves both
                step = np.minimum(chance, 1 - chance) * 0.8
                chance = np.stack([chance - step, chance + step], axis=place)
                tables[parent] = [0.5, 0.5]
        tables[name] = np.stack([1 - chance, chance], axis=-1)
    limits = (Limit("harm", "yes", at_most=limit),)
    return World(Problem(graph, actions, limits=limits, first=tuple(first)), Model(graph, tables))


_KINDS = tuple(product(LIMITS, ROUNDS, (False, True), (False, True), (1, 3)))


def kind_of(seed: int) -> tuple[float, int, bool, bool, int]:
    """The limit, the rounds, whether a cause is hidden, whether something is seen first, and how many settings there are."""
    return _KINDS[seed % len(_KINDS)]


def study(seed: int, name: str = "causal-top-two") -> tuple[tuple[float, int, bool, bool, int], Said]:
    """One study, with its kind."""
    kind = limit, rounds, hidden, context, settings = kind_of(seed)
    rng = np.random.default_rng([seed, 30])
    world = world_of(rng, limit, hidden, context, settings)
    made = game_of(in_study(learner(name)), world.problem)
    state = play_out(world, made, rounds, 1, rng)
    pairs = len(world.problem.actions)
    kept = made.recommended(state)[0][0] + pairs * np.arange(len(world.problem.contexts))
    return kind, Said(np.asarray(made.keeps(state))[0].ravel(), truth(world, limit), kept)


def truth(world: World, limit: float) -> NDArray[np.bool_]:
    """Which pairs of context and action keep the limit."""
    problem, model = world.problem, world.model
    rates = []
    for values in [()] if not problem.first else [("young",), ("old",)]:
        for action in problem.actions:
            seen = dict(zip(problem.first, values, strict=True))
            rates.append(model.distribution(of=["harm"], do=do({**seen, **dict(action)}))[1])
    return np.asarray(rates) <= limit + 1e-9
