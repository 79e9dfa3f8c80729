"""How often 95 % intervals hold the truth at the end of a study, on twenty worlds: all actions, and the one kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import Learner
from bestdo.experiments.engine.experiment import Experiment
from bestdo.experiments.figures.benchmark_worlds import twenty_settings
from bestdo.learners import by_title
from bestdo.simulate import World, final

__all__ = ["LEARNERS", "experiment", "measured"]

LEARNERS = "causal-top-two", "watch-then-act", "top-two"
_ROUNDS = 200


def experiment() -> Experiment:
    """Three learners that are valid in all twenty worlds: two that use the graph, one that does not."""
    return Experiment(
        name="intervals",
        title="95 % intervals hold under adaptive sampling",
        x_label="the number of variables",
        settings=twenty_settings(_ROUNDS),
        learners=by_title(*LEARNERS),
        caption=f"after {_ROUNDS} rounds, all actions of each world",
        y="covered",
        y_error="covered_error",
        y_label="share of the intervals that hold the true mean",
        measure=measured,
    )


def measured(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, NDArray[np.float64]]:
    """The share of all actions whose interval holds the true mean; whether that of the action kept does; their lengths."""
    state = final(world, learner, horizon, lanes, rng)
    found, kept = learner.estimates(state), learner.best(state)
    holds = (found.low <= world.means + 1e-12) & (world.means <= found.high + 1e-12)
    length, each = found.high - found.low, np.arange(lanes)
    return {
        "covered": holds.mean(axis=1),
        "kept_covered": holds[each, kept].astype(np.float64),
        "length": length.mean(axis=1),
        "kept_length": length[each, kept],
    }
