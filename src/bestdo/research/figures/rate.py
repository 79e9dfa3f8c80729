"""The rate of the paper's theorems: the worst regret over all gaps, times √(T / m), is flat for causal learners."""

from __future__ import annotations

import math

from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.learners import by_title
from bestdo.simulate import paper_parallel

__all__ = ["experiment", "worst_gap"]

_GAPS = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0)
"""The gaps tried, in units of √(m / T), each about √2 times the one before; the worst of them is drawn."""
_LARGEST = 0.5
"""The largest gap that the paper's world can have."""


def experiment() -> Experiment:
    """The worst regret for each m and T over many gaps: multiples of √(m / T) below 1/2, and 1/2 itself."""
    variables = 64
    settings = []
    for horizon in (400, 1600, 6400):
        for m in (2, 4, 8, 16):
            unit = math.sqrt(m / horizon)
            for epsilon in (*(unit * c for c in _GAPS if unit * c < _LARGEST), _LARGEST):
                settings.append(
                    Setting(
                        variables / m,
                        paper_parallel(variables, m, epsilon),
                        horizon,
                        panel=f"T = {horizon:,} rounds",
                        given={"m": m, "epsilon": epsilon},
                    )
                )
    return Experiment(
        name="rate",
        title="The regret of causal learners follows √(m / T), whatever N / m",
        x_label="N / m, variables for each one that watching teaches nothing about",
        settings=tuple(settings),
        learners=by_title("algorithm-1", "algorithm-2", "sequential-halving", "uniform"),
        caption=f"N = {variables} variables; the worst of up to {len(_GAPS) + 1} gaps for each point",
        y="scaled_regret",
        y_error="scaled_error",
        y_label="worst regret × √(T / m)",
        log_x=True,
        summary=worst_gap,
    )


def worst_gap(rows: list[Row]) -> list[Row]:
    """The row of the gap with the largest regret, for each panel, x and learner, with columns scaled by √(T / m)."""
    worst: dict[tuple[object, ...], Row] = {}
    for row in rows:
        key = row["panel"], row["x"], row["learner"]
        if key not in worst or row["regret"] > worst[key]["regret"]:
            worst[key] = row
    scaled = []
    for row in worst.values():
        unit = math.sqrt(row["horizon"] / row["m"])
        scaled.append({**row, "scaled_regret": row["regret"] * unit, "scaled_error": row["standard_error"] * unit})
    return scaled
