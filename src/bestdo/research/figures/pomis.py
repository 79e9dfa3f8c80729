"""Summed regret with four sets of arms: possibly-optimal sets (POMIS), minimal sets (MIS), all, all at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.learner import Learner
from bestdo.causal.action import Actions
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title, learner, title
from bestdo.research.worlds.earning_worlds import ARMS, pomis_iv, pomis_markovian, pomis_xyzwst
from bestdo.simulate import World, final
from bestdo.statistics.played import Played

__all__ = ["experiment", "measure"]

_WORLDS = {"IV": (pomis_iv, 5000), "Markovian": (pomis_markovian, 10_000), "XYZWST": (pomis_xyzwst, 10_000)}


def experiment() -> Experiment:
    """The authors' three worlds, four sets of arms and two learners, and Thompson sampling with what the graph says."""
    return Experiment(
        name="pomis",
        title="Where to intervene is worth more than how to choose",
        x_label="arms that compete",
        settings=tuple(
            Setting(arms, make(arms), rounds, panel=f"{name}, {rounds:,} rounds", left_out=_without_graph(arms))
            for name, (make, rounds) in _WORLDS.items()
            for arms in ARMS
        ),
        learners={**by_title("thompson"), "kl-UCB": learner("kl-ucb", c=3.0), **by_title("causal-thompson")},
        caption="Lee & Bareinboim (2018); regret against the best of all actions, also where it is not among the arms",
        y="regret",
        y_error="regret_error",
        y_label="regret, summed over the rounds",
        measure=measure,
    )


def _without_graph(arms: str) -> frozenset[str]:
    """The learners that do not play these arms: causal Thompson knows the possibly optimal arms by the graph."""
    return frozenset() if arms == "POMIS" else frozenset([title("causal-thompson")])


def measure(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """The summed regret of each lane by true means, and by the rewards that were drawn, as the authors have it.

    The latter only for learners that count plays alone; for others it is NaN.
    """
    state = final(world, learner, horizon, lanes, rng)
    best = _best_of_all(world)
    realised = np.full(lanes, np.nan)
    if isinstance(learner.statistic(world.problem, horizon), Played):  # of other sums a round may be in several
        realised = horizon * best - state.tally.reward.sum(axis=1)
    return {"regret": learner.estimates(state).played @ (best - world.means), "realised": realised}


def _best_of_all(world: World) -> float:
    """The mean of the best setting of any variables, whichever arms compete."""
    graph = world.model.graph
    names = [n for n in graph.observed if n != graph.reward]
    return float(world.model.means(Actions.up_to(graph, len(names), names)).max())
