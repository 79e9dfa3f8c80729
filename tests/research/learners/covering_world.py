"""Two layers of two causes each, all settings allowed: the world on which the code of Sawarni et al. (2023) was run."""

from __future__ import annotations

import itertools

import numpy as np

import bestdo

PARENTS = {"a": (), "b": (), "c": ("a", "b"), "d": ("a", "b"), "e": ("c", "d"), "y": ("d", "e")}


def two_layers(actions: str = "all") -> bestdo.World:
    """The world; its actions are all settings of the five causes, or only those that set both roots."""
    graph = bestdo.Graph.of(
        [bestdo.Variable(n) for n in PARENTS], [(p, n) for n, ps in PARENTS.items() for p in ps], reward="y"
    )
    rng = np.random.default_rng(5)
    one = {n: rng.uniform(0.1, 0.9, 2 ** len(ps)).reshape([2] * len(ps)) for n, ps in PARENTS.items()}
    model = bestdo.Model(graph, {n: np.stack([1 - p, p], axis=-1) for n, p in one.items()})
    settings = [
        bestdo.do({n: v for n, v in zip("abcde", values, strict=True) if v is not None})
        for values in itertools.product([None, 0, 1], repeat=5)
    ]
    some = [a for a in settings if actions == "all" or set(a) == {"a", "b"}]
    return bestdo.World(bestdo.Problem(graph, some, all_compete=True), model)
