"""Numbers as rewards on twenty worlds: causal top-two beside the same on the reward cut at its median, and others."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.estimate import in_unit
from bestdo.bandit.learner import Learner
from bestdo.experiments.engine.experiment import SAME_MEAN, Experiment, Row, Setting
from bestdo.experiments.engine.problem_means import means_by_panel
from bestdo.learners import by_title, learner
from bestdo.memory_cache import memory_cache
from bestdo.research.figures.number_worlds import cut_at_median, number_worlds, spreads
from bestdo.simulate import World, final

__all__ = ["CUT", "experiment", "means_over_worlds", "measure", "rounds_for_the_same"]

CUT = "Causal top-two, cut at the median"
_ALL = "all twenty"
_TIMES = 3, 6, 12, 24, 48
"""The horizons: so many rounds for each action."""
_CLASSICAL = (
    "top-two",
    "thompson",
    "npts",
    "ucb",
    "successive-rejects",
    "sequential-halving",
    "uniform",
)
_MEASURED = "regret", "p_best", "covered", "kept_covered"


@dataclass(frozen=True)
class _OnCut:
    """A learner that is told whether the number is on the better side of its median, instead of the number."""

    learner: Any


def experiment() -> Experiment:
    """All twenty worlds, with horizons from 3 to 48 rounds for each action."""
    settings = []
    for number, (name, world) in enumerate(number_worlds().items()):
        shape = name.split(", ")[2]
        for times in _TIMES:
            rounds = times * len(world.problem.actions)
            settings.append(Setting(times, world, rounds, panel=shape, given={"world": number + 1}))
    causal = by_title("causal-top-two")
    return Experiment(
        name="numbers",
        title="Numbers as rewards: what cutting them in two costs, and what the graph brings",
        x_label="rounds for each action",
        settings=tuple(settings),
        learners={**causal, CUT: _OnCut(learner("causal-top-two")), **by_title(*_CLASSICAL)},  # type: ignore[dict-item]
        caption="Twenty worlds, all single actions on 3 to 10 causes; regret in spreads of the reward when nothing is set",
        y_error="regret_error",
        y_label="regret of the action kept, in spreads",
        log_x=True,
        summary=means_over_worlds,
        measure=measure,
    )


@memory_cache
def _cut(world: World) -> World:
    return cut_at_median(world)


def measure(
    world: World, learner: Learner[Any] | _OnCut, horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """Regret in spreads and whether the best action is kept; how many intervals of all actions hold, and of the kept one."""
    cut = isinstance(learner, _OnCut)
    player: Learner[Any] = learner.learner if isinstance(learner, _OnCut) else learner
    state = final(_cut(world) if cut else world, player, horizon, lanes, rng)
    kept, each = player.best(state), np.arange(lanes)
    regret = world.gains.max() - world.gains[kept]
    holds = np.full((lanes, len(world.problem.actions)), np.nan)
    if not cut:
        _, low, high = in_unit(player.estimates(state), world.problem.actions)
        holds = ((low <= world.means + SAME_MEAN) & (world.means <= high + SAME_MEAN)).astype(np.float64)
    return {
        "regret": regret / spreads(world)[_nothing(world)],
        "p_best": (regret < SAME_MEAN).astype(np.float64),
        "covered": holds.mean(axis=1),
        "kept_covered": holds[each, kept],
    }


def _nothing(world: World) -> int:
    """The index of do() among the actions."""
    return next(i for i, action in enumerate(world.problem.actions) if not action)


def means_over_worlds(rows: list[Row]) -> list[Row]:
    """The means over the worlds of each shape, and over all of them; standard errors are those of the simulations.

    `least_covered` is the smallest coverage of a world.
    """
    return means_by_panel(rows, _ALL, _mean)


def _mean(panel: str, x: float, label: str, rows: Sequence[Row]) -> Row:
    """A row with the means of these rows."""
    means: Row = {
        "experiment": rows[0]["experiment"],
        "panel": panel,
        "x": x,
        "horizon": sum(row["horizon"] for row in rows) / len(rows),
        "worlds": len(rows),
        "learner": label,
        "sims": sum(row["sims"] for row in rows),
    }
    for what in _MEASURED:
        means[what] = sum(row[what] for row in rows) / len(rows)
        means[f"{what}_error"] = math.sqrt(sum(row[f"{what}_error"] ** 2 for row in rows)) / len(rows)
    means["least_covered"] = min(row["covered"] for row in rows)
    return means


def rounds_for_the_same(rows: Sequence[Row], mine: str, other: str, panel: str = _ALL) -> dict[float, float]:
    """The share of another learner's rounds that one needs for the same regret, at each x of the other where it is known.

    Between two points of the table, the logarithm of the regret is a straight line in that of the rounds.
    """
    curves = {
        label: sorted((r["x"], r["regret"]) for r in rows if r["panel"] == panel and r["learner"] == label)
        for label in (mine, other)
    }
    x, regret = (np.log([point[i] for point in curves[mine]]) for i in (0, 1))
    shares = {}
    for at, goal in curves[other]:
        if math.exp(regret.min()) <= goal <= math.exp(regret.max()):
            falling = np.minimum.accumulate(regret)
            shares[at] = math.exp(float(np.interp(-math.log(goal), -falling, x))) / at
    return shares
