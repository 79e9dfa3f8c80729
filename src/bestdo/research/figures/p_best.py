"""Calibration of P(best): how often actions predicted to be best with probability p are best, on 100 random worlds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.learner import Learner
from bestdo.experiments.engine.experiment import SAME_MEAN, Experiment, Row, Setting
from bestdo.learners import by_title
from bestdo.research.figures.benchmark_worlds import random_worlds
from bestdo.research.figures.intervals import LEARNERS
from bestdo.simulate import World, final
from bestdo.simulate.world_batch import Worlds

__all__ = ["experiment", "in_bins", "measure", "reliability"]

_ROUNDS = 100
_EDGES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""The edges of the bins of predictions; narrower at both ends, where most predictions are."""


def experiment() -> Experiment:
    """The share of actions that are best, by the predicted probability, over all actions of all studies."""
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
        measure=measure,
    )


def measure(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """The actions in each bin of predictions; see `in_bins`."""
    return in_bins(world, learner.estimates(final(world, learner, horizon, lanes, rng)).p_best)


def in_bins(world: World | Worlds, predicted: Floats) -> Mapping[str, Floats]:
    """The actions in each bin of predictions: their number, the sum of their predictions, and the number of best ones.

    Where several actions are equally good, each counts as a fraction of a best one.
    """
    best = np.broadcast_to(world.gains >= world.gains.max(axis=-1, keepdims=True) - SAME_MEAN, predicted.shape)
    bins = np.clip(np.searchsorted(_EDGES, predicted, side="right") - 1, 0, len(_EDGES) - 2)
    sums = {}
    for k in range(len(_EDGES) - 1):
        inside = bins == k
        sums[f"count {k}"] = inside.sum(axis=1).astype(np.float64)
        sums[f"predicted {k}"] = (predicted * inside).sum(axis=1)
        sums[f"happened {k}"] = (best & inside).sum(axis=1) / best.sum(axis=1)
    return sums


def reliability(rows: list[Row]) -> list[Row]:
    """A row for each learner and bin, over all worlds; the standard error treats worlds as independent."""
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
                    "experiment": mine[0]["experiment"],
                    "panel": "",
                    "x": float(predicted.sum() / count.sum()),
                    "horizon": mine[0]["horizon"],
                    "learner": label,
                    "sims": mine[0]["sims"],
                    "from": _EDGES[k],
                    "to": _EDGES[k + 1],
                    "actions": float((count * [row["sims"] for row in mine]).sum()),
                    "happened": float(share),
                    "happened_error": float(error),
                }
            )
    return table
