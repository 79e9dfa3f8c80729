"""Means over many problems of the rows of a table."""

from __future__ import annotations

import math
from collections.abc import Callable

from bestdo.experiments.engine.experiment import Row

__all__ = ["means_by_panel", "problem_means"]


def problem_means(rows: list[Row], overall: str) -> list[Row]:
    """The mean regret over the problems of each panel, and over all problems in a panel called `overall`.

    Standard errors are those of the simulations: the problems are fixed, not a sample.
    """
    return means_by_panel(rows, overall, _mean)


def means_by_panel(rows: list[Row], overall: str, mean: Callable[[str, float, str, list[Row]], Row]) -> list[Row]:
    """A row by `mean` for each panel, x and learner, and for all panels together in one called `overall`, which is first."""
    groups: dict[tuple[str, float, str], list[Row]] = {}
    for row in rows:
        for panel in (overall, row["panel"]):
            groups.setdefault((panel, row["x"], row["learner"]), []).append(row)
    order = [overall, *dict.fromkeys(row["panel"] for row in rows)]
    return [mean(*key, groups[key]) for key in sorted(groups, key=lambda key: order.index(key[0]))]


def _mean(panel: str, x: float, learner: str, rows: list[Row]) -> Row:
    """A row with the means of these rows."""
    return {
        "experiment": rows[0]["experiment"],
        "panel": panel,
        "x": x,
        "horizon": sum(row["horizon"] for row in rows) / len(rows),
        "actions": sum(row["actions"] for row in rows) / len(rows),
        "problems": len(rows),
        "learner": learner,
        "sims": sum(row["sims"] for row in rows),
        "regret": sum(row["regret"] for row in rows) / len(rows),
        "standard_error": math.sqrt(sum(row["standard_error"] ** 2 for row in rows)) / len(rows),
        "p_best": sum(row["p_best"] for row in rows) / len(rows),
    }
