"""The twenty worlds of MODL: how many rounds until the action kept is within 0.5 of the best with probability 0.9."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph
from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.learners import by_title, learner
from bestdo.memory_cache import memory_cache
from bestdo.research.figures.modl_worlds import modl_worlds
from bestdo.simulate import World, final

__all__ = ["EPSILON", "experiment", "measure", "rounds_needed", "shares"]

EPSILON, _SURE = 0.5, 0.9
"""The authors' ε, and 1 - δ."""
_ROUNDS = 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768
_ENOUGH = 128
"""The most rounds simulated with the graph: the share of good actions is 0.9 in every world long before."""
_NO_GRAPH = "Top-two Thompson sampling without the graph"


@dataclass(frozen=True)
class _OnAllActions:
    """A learner that does not know the graph: any action may be the best."""

    learner: Any


def experiment() -> Experiment:
    """The twenty worlds, from 4 to 768 rounds."""
    learners = by_title("causal-top-two", "top-two")
    settings = [
        Setting(t, world, t, given={"seed": seed}, left_out=frozenset(learners if t > _ENOUGH else ()))
        for seed, world in enumerate(modl_worlds())
        for t in _ROUNDS
    ]
    return Experiment(
        name="modl",
        title="On MODL's worlds: how often the action kept is within 0.5 of the best",
        x_label="T, the number of rounds",
        settings=tuple(settings),
        learners={**learners, _NO_GRAPH: _OnAllActions(learner("top-two"))},  # type: ignore[dict-item]
        caption="Twenty random graphs of ten variables with three to six values; a normal reward with one cause",
        y="good",
        y_error="good_error",
        y_label="share of the simulations in which it is",
        log_x=True,
        summary=shares,
        measure=measure,
    )


@memory_cache
def _without_graph(world: World) -> World:
    """The world with a problem in which every variable may cause the reward, and none another."""
    graph = world.problem.graph
    names = [n for n in graph.names if n != graph.reward]
    unknown = Graph.of(graph.variables, [(n, str(graph.reward)) for n in names], reward=graph.reward, aim=graph.aim)
    return World(Problem(unknown, Actions(unknown, world.problem.actions)), world.model, mistaken=True)


def measure(
    world: World, learner: Learner[Any] | _OnAllActions, horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """Whether the action kept is within ε of the best."""
    played, player = world, learner
    if isinstance(learner, _OnAllActions):
        played, player = _without_graph(world), learner.learner
    kept = player.best(final(played, player, horizon, lanes, rng))  # type: ignore[arg-type, union-attr]
    regret = world.gains.max() - world.gains[kept]
    return {"good": (regret <= EPSILON).astype(np.float64), "regret": regret}


def shares(rows: list[Row]) -> list[Row]:
    """The shares of good actions over all worlds, for each learner and number of rounds."""
    table = []
    for label in dict.fromkeys(row["learner"] for row in rows):
        for x in dict.fromkeys(row["x"] for row in rows):
            here = [row for row in rows if row["learner"] == label and row["x"] == x]
            if not here:
                continue
            means: Row = {
                "experiment": "modl",
                "panel": "",
                "x": x,
                "horizon": x,
                "learner": label,
                "sims": sum(r["sims"] for r in here),
            }
            for what in ("good", "regret"):
                means[what] = float(np.mean([row[what] for row in here]))
                means[f"{what}_error"] = float(np.sqrt(np.sum([row[f"{what}_error"] ** 2 for row in here])) / len(here))
            needed = [_needed([r for r in rows if r["learner"] == label and r["seed"] == row["seed"]]) for row in here]
            table.append({**means, "rounds_needed": float(np.mean(needed))})
    return table


def _needed(rows: list[Row]) -> float:
    """The least number of rounds from which on the share of good actions is at least 0.9; infinite where there is none."""
    least = float("inf")
    for row in sorted(rows, key=lambda row: -float(row["x"])):
        if row["good"] < _SURE:
            break
        least = float(row["x"])
    return least


def rounds_needed(table: list[Row]) -> dict[str, float]:
    """The number of rounds that each learner needs in a world, on average over the twenty."""
    return {row["learner"]: row["rounds_needed"] for row in table}
