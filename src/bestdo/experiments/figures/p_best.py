"""Whether "the best with probability p" comes true in a share p of the cases: on 100 random worlds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import Learner
from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.experiments.figures.benchmark_worlds import random_worlds
from bestdo.experiments.figures.intervals import LEARNERS
from bestdo.learners import by_title
from bestdo.simulate import World, final

__all__ = ["experiment", "measured", "reliability"]

_ROUNDS = 100
_EDGES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)


def experiment() -> Experiment:
    """Every action of every study: what was predicted of it, and whether it is the best."""
    worlds = random_worlds(100)
    return Experiment(
        name="p-best",
        title="Probabilities of being best come true",
        x_label="predicted probability of being the best action",
        settings=tuple(Setting(i, world, _ROUNDS) for i, world in enumerate(worlds)),
        learners=by_title(*LEARNERS),
        caption=f"{len(worlds)} random worlds of four kinds, {_ROUNDS} rounds each, all actions",
        y="happened",
        y_error="happened_error",
        y_label="share of them that are the best",
        summary=reliability,
        measure=measured,
    )


def measured(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, NDArray[np.float64]]:
    """For each bin of predictions: how many actions fall into it, the sum of what was predicted, and how many are best."""
    state = final(world, learner, horizon, lanes, rng)
    predicted = learner.estimates(state).p_best
    best = world.means >= world.means.max() - 1e-12
    bins = np.clip(np.searchsorted(_EDGES, predicted, side="right") - 1, 0, len(_EDGES) - 2)
    found = {}
    for k in range(len(_EDGES) - 1):
        inside = bins == k
        found[f"count {k}"] = inside.sum(axis=1).astype(np.float64)
        found[f"predicted {k}"] = (predicted * inside).sum(axis=1)
        found[f"happened {k}"] = (best & inside).sum(axis=1) / max(1, int(best.sum()))
    return found


def reliability(rows: list[Row]) -> list[Row]:
    """A row for each learner and bin, over all worlds; the error is that of independent worlds."""
    table = []
    for label in dict.fromkeys(row["learner"] for row in rows):
        mine = [row for row in rows if row["learner"] == label]
        for k in range(len(_EDGES) - 1):
            count, predicted, happened = (
                np.array([row[f"{what} {k}"] for row in mine]) for what in ("count", "predicted", "happened")
            )
            if not count.sum():
                continue
            share = happened.sum() / count.sum()
            error = np.sqrt(((happened - share * count) ** 2).sum()) / count.sum()
            table.append(
                {
                    "experiment": "p-best",
                    "panel": "",
                    "x": float(predicted.sum() / count.sum()),
                    "horizon": _ROUNDS,
                    "learner": label,
                    "sims": mine[0]["sims"],
                    "from": _EDGES[k],
                    "to": _EDGES[k + 1],
                    "actions": float(count.sum()) * mine[0]["sims"],
                    "happened": float(share),
                    "happened_error": float(error),
                }
            )
    return table
