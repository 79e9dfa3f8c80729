"""Regret against the number of rounds in flight, on the paper's world and on five real networks."""

from __future__ import annotations

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.research.figures.real_networks import NETWORKS, worlds_of
from bestdo.simulate import World, paper_parallel

__all__ = ["experiment"]

_IN_FLIGHT = (1, 2, 4, 8, 16, 64)
_HORIZON, _ROUNDS = 200, 3
"""Rounds on the paper's world, and for each action on the networks: few, because with many there is no regret left that a
delay could add to."""


def experiment() -> Experiment:
    """Six numbers of rounds in flight on six worlds: whoever asks is not told to wait, and knows so many results less."""
    worlds: dict[str, tuple[World, int]] = {"the paper's world, m = 10": (paper_parallel(50, 10, 0.3), _HORIZON)}
    for name in NETWORKS:
        world = worlds_of(name)[0]
        worlds[name] = world, _ROUNDS * len(world.problem.actions)
    return Experiment(
        name="delays",
        title="What it costs not to wait for results",
        x_label="rounds in flight",
        settings=tuple(
            Setting(k, world, rounds, panel=panel, given={"in_flight": k}, in_flight=k)
            for panel, (world, rounds) in worlds.items()
            for k in _IN_FLIGHT
        ),
        learners={"Causal top-two": CausalTopTwo(law=False), **by_title("successive-rejects")},
        caption=f"{_HORIZON} rounds on the paper's world, {_ROUNDS} for each action on the networks; "
        "results come back in order",
        log_x=True,
    )
