"""Tables of means over many problems."""

from __future__ import annotations

import math

from bestdo.experiments.engine.experiment import Row

__all__ = ["averaged"]


def averaged(rows: list[Row], together: str) -> list[Row]:
    """The mean regret over the problems of each panel, and over all of them; the problems are fixed, not a sample."""
    lots: dict[tuple[str, float, str], list[Row]] = {}
    for row in rows:
        for panel in (together, row["panel"]):
            lots.setdefault((panel, row["x"], row["learner"]), []).append(row)
    order = [together, *dict.fromkeys(row["panel"] for row in rows)]
    return [_mean(*key, lots[key]) for key in sorted(lots, key=lambda key: order.index(key[0]))]


def _mean(panel: str, x: float, learner: str, rows: list[Row]) -> Row:
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
