"""Intervals and P(best) of causal top-two on every class of worlds, from 2 to 150 rounds for each action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.learner import Learner
from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.learners import by_title
from bestdo.research.figures.intervals import coverage
from bestdo.research.figures.p_best import in_bins, reliability
from bestdo.research.figures.world_classes import world_classes
from bestdo.simulate import World, final
from bestdo.simulate.world_batch import Worlds

__all__ = ["by_horizon", "coverage_table", "experiment", "measure"]

_TIMES = 2, 10, 50, 150
"""The horizons: so many rounds for each action, or what they would cost."""
_MANY_ACTIONS, _FEWER_TIMES = 60, (2, 10)
"""Worlds with more actions than this, or with costs, have shorter horizons: they would take most of the time."""
_COVERED = {"covered": "all actions", "kept_covered": "the one kept", "best_covered": "the best"}


def experiment() -> Experiment:
    """All classes of the figure every-world, those of held-out kinds included."""
    settings = []
    for name, world in world_classes().items():
        prices, cost = world.problem.prices, world.problem.cost
        for times in _FEWER_TIMES if cost is not None or len(prices) > _MANY_ACTIONS else _TIMES:
            horizon = times * prices.sum()
            settings.append(Setting(times, world, horizon if cost else round(horizon), panel=name))
    return Experiment(
        name="calibration",
        title="95 % intervals and probabilities of being best, on every kind of world",
        x_label="predicted probability of being the best action",
        settings=tuple(settings),
        learners=by_title("causal-top-two"),
        caption="All classes of every-world; calibration-simulated.csv has the coverage of intervals in each",
        y="happened",
        y_error="happened_error",
        y_label="share of them that are the best",
        summary=by_horizon,
        measure=measure,
    )


def measure(
    world: World | Worlds, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """The coverage of intervals, and the actions in each bin of P(best)."""
    state = final(world, learner, horizon, lanes, rng)
    estimates = learner.estimates(state)
    return {**coverage(world, estimates, learner.best(state)), **in_bins(world, estimates.p_best)}


def by_horizon(rows: list[Row]) -> list[Row]:
    """The reliability of P(best) over all classes, in a panel for each horizon."""
    table = []
    for times in sorted({row["x"] for row in rows}):
        found = reliability([row for row in rows if row["x"] == times])
        table += [{**row, "panel": f"{times:g} rounds for each action", "horizon": times} for row in found]
    return table


def coverage_table(rows: list[Row]) -> str:
    """The coverage of intervals in each class and horizon as a Markdown table, the worst class first; then all together."""
    lines = ["| class | T / K | sims | " + " | ".join(_COVERED.values()) + " |", "|---|---|---|---|---|---|"]
    worst: dict[str, float] = {}
    for row in rows:
        worst[row["panel"]] = min(worst.get(row["panel"], 1.0), *(row[what] for what in _COVERED))
    for row in sorted(rows, key=lambda row: (worst[row["panel"]], row["panel"], row["x"])):
        cells = (f"{row[what]:.3f} ± {row[f'{what}_error']:.3f}" for what in _COVERED)
        lines.append(f"| {row['panel']} | {row['x']:g} | {row['sims']} | {' | '.join(cells)} |")
    for times in sorted({row["x"] for row in rows}):
        own = [row for row in rows if row["x"] == times]
        means = " | ".join(f"{sum(row[what] for row in own) / len(own):.3f}" for what in _COVERED)
        lines.append(f"| all {len(own)} classes | {times:g} | | {means} |")
    return "\n".join(lines)
