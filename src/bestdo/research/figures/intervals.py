"""How often 95 % intervals contain the true mean at the end of a study, on twenty worlds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates, in_unit
from bestdo.bandit.learner import Learner
from bestdo.experiments.engine.experiment import SAME_MEAN, Experiment
from bestdo.learners import by_title
from bestdo.research.figures.benchmark_worlds import benchmark_settings
from bestdo.simulate import World, final
from bestdo.simulate.world_batch import Worlds

__all__ = ["LEARNERS", "coverage", "experiment", "measure"]

LEARNERS = "causal-top-two", "watch-then-act", "top-two"
"""Learners that are valid in all twenty worlds: two that use the graph, one that does not."""
_ROUNDS = 200


def experiment() -> Experiment:
    """The coverage of the intervals of three learners on the twenty benchmark worlds."""
    return Experiment(
        name="intervals",
        title="95 % intervals hold under adaptive sampling",
        x_label="the number of variables",
        settings=benchmark_settings(_ROUNDS),
        learners=by_title(*LEARNERS),
        caption=f"after {_ROUNDS} rounds, all actions of each world",
        y="covered",
        y_error="covered_error",
        y_label="share of the intervals that hold the true mean",
        measure=measure,
    )


def measure(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """Coverage and length of the intervals, on average over all actions and for the recommended action alone."""
    state = final(world, learner, horizon, lanes, rng)
    return coverage(world, learner.estimates(state), learner.best(state))


def coverage(world: World | Worlds, estimates: Estimates, kept: Ints) -> Mapping[str, Floats]:
    """Coverage and length of the intervals of all actions, of the action kept (int[L]) and of the best ones."""
    _, low, high = in_unit(estimates, world.problem.actions)
    holds = (low <= world.means + SAME_MEAN) & (world.means <= high + SAME_MEAN)
    length, each = high - low, np.arange(len(kept))
    best = np.broadcast_to(world.gains >= world.gains.max(axis=-1, keepdims=True) - SAME_MEAN, holds.shape)
    return {
        "covered": holds.mean(axis=1),
        "kept_covered": holds[each, kept].astype(np.float64),
        "best_covered": (holds & best).sum(axis=1) / best.sum(axis=1),
        "length": length.mean(axis=1),
        "kept_length": length[each, kept],
    }
