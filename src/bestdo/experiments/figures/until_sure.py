"""How many rounds it takes to be sure at 95 % which action is the best, on twenty worlds, and how often that is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import Learner
from bestdo.experiments.engine.experiment import Experiment
from bestdo.experiments.figures.benchmark_worlds import twenty_settings
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.learners.lucb import LUCB
from bestdo.learners.track_and_stop import TrackAndStop
from bestdo.learners.until_sure import UntilSure
from bestdo.simulate import World, final

__all__ = ["experiment", "measured"]

_MOST = 10_000


def experiment() -> Experiment:
    """The rule of `UntilSure` twice, with and without the graph, beside the two classical learners."""
    return Experiment(
        name="until-sure",
        title="Seeing saves rounds until one is sure",
        x_label="the number of variables",
        settings=twenty_settings(_MOST),
        learners={
            "Causal top-two until sure": UntilSure(CausalTopTwo(block=4, seen=True)),
            "Track-and-Stop until sure, plays alone": UntilSure(TrackAndStop(1e-12, block=16), trusting=False),
            "Track-and-Stop": TrackAndStop(block=16),
            "Track-and-Stop, threshold without a proof": TrackAndStop(block=16, proven=False),
            "LUCB1": LUCB(),
        },
        caption="confidence 0.95; one action is better than all others by at least 0.1",
        y="rounds",
        y_error="rounds_error",
        y_label="rounds until sure",
        measure=measured,
    )


def measured(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, NDArray[np.float64]]:
    """Rounds used; whether another action than the best was called the best; whether the rounds ran out before that."""
    state = final(world, learner, horizon, lanes, rng)
    sure = learner.sure(state)  # type: ignore[attr-defined]  # all learners here stop by themselves
    wrong = world.means[learner.best(state)] < world.means.max() - 1e-12
    rounds = learner.estimates(state).played.sum(axis=1)
    return {"rounds": rounds, "wrong": (sure & wrong).astype(np.float64), "unsure": (~sure).astype(np.float64)}
