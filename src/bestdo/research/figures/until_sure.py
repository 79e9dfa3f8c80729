"""Rounds until a learner is 95 % sure which action is the best, and how often it is wrong, on twenty worlds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.learner import Learner
from bestdo.experiments.engine.experiment import SAME_MEAN, Experiment
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.lucb import LUCB
from bestdo.learners.track_and_stop import TrackAndStop
from bestdo.learners.until_sure import UntilSure
from bestdo.research.figures.benchmark_worlds import benchmark_settings
from bestdo.simulate import World, final

__all__ = ["experiment", "measure"]

_MOST_ROUNDS = 10_000
_BLOCK = 16
"""Rounds for each block of Track-and-Stop: larger blocks are faster and overshoot the stopping time more. Not measured."""
_NEVER = 1e-12
"""The error probability of Track-and-Stop inside `UntilSure`: so small that only `UntilSure` stops it."""


def experiment() -> Experiment:
    """Rounds until sure of the rule `UntilSure`, with and without the graph, and of two classical learners."""
    return Experiment(
        name="until-sure",
        title="Seeing saves rounds until one is sure",
        x_label="the number of variables",
        settings=benchmark_settings(_MOST_ROUNDS),
        learners={
            "Causal top-two until sure": UntilSure(CausalTopTwo(block=4, seen=True)),
            "Track-and-Stop until sure, plays alone": UntilSure(TrackAndStop(_NEVER, block=_BLOCK), trusting=False),
            "Track-and-Stop": TrackAndStop(block=_BLOCK),
            "Track-and-Stop, threshold without a proof": TrackAndStop(block=_BLOCK, proven=False),
            "LUCB1": LUCB(),
        },
        caption="confidence 0.95; one action is better than all others by at least 0.1",
        y="rounds",
        y_error="rounds_error",
        y_label="rounds until sure",
        measure=measure,
    )


def measure(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """The rounds played; whether the learner was sure of an action that is not best; whether it was not sure at the end."""
    state = final(world, learner, horizon, lanes, rng)
    sure = learner.sure(state)  # type: ignore[attr-defined]  # all learners here stop by themselves
    wrong = world.gains[learner.best(state)] < world.gains.max() - SAME_MEAN
    rounds = learner.estimates(state).played.sum(axis=1)
    return {"rounds": rounds, "wrong": (sure & wrong).astype(np.float64), "unsure": (~sure).astype(np.float64)}
