"""How often 95 % intervals contain the true mean at the end of a study, on twenty worlds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.estimate import in_unit
from bestdo.bandit.learner import Learner
from bestdo.experiments.engine.experiment import SAME_MEAN, Experiment
from bestdo.learners import by_title
from bestdo.research.figures.benchmark_worlds import benchmark_settings
from bestdo.simulate import World, final

__all__ = ["LEARNERS", "experiment", "measure"]

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
    kept, actions = learner.best(state), world.problem.actions
    _, low, high = in_unit(learner.estimates(state), actions)
    holds = (low <= world.means + SAME_MEAN) & (world.means <= high + SAME_MEAN)
    length, each = high - low, np.arange(lanes)
    return {
        "covered": holds.mean(axis=1),
        "kept_covered": holds[each, kept].astype(np.float64),
        "length": length.mean(axis=1),
        "kept_length": length[each, kept],
    }
