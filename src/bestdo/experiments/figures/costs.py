"""Money: regret against the budget when setting a variable costs 20 times as much as watching."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import replace

from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.learners import by_title, title
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import World, paper_parallel, parallel

__all__ = ["experiment", "with_money_needed"]

_ENOUGH = 0.05


def experiment() -> Experiment:
    """Of 20 variables ten are seen to be 1 in one round of ten, or four never are: then these have to be set."""
    rare, never = parallel([0.1] * 10 + [0.5] * 10), paper_parallel(20, 4, 0.3)
    panels = {"The best action is seen in a tenth of all rounds": rare, "The best action is never seen": never}
    budgets = (50, 100, 200, 300, 400, 600, 800, 1200, 1600, 2400)
    return Experiment(
        name="costs",
        title="What a round tells, divided by what it costs",
        x_label="the budget; watching costs 1, setting a variable 20",
        settings=tuple(Setting(x, _priced(world), x, panel=panel) for panel, world in panels.items() for x in budgets),
        learners={
            title("causal-top-two"): CausalTopTwo(law=False),
            "Causal top-two, blind to costs": CausalTopTwo(law=False, thrifty=False),
            **by_title("algorithm-1", "successive-rejects", "sequential-halving"),
        },
        caption="20 variables, gap 0.3",
        log_x=True,
        summary=with_money_needed,
    )


def _priced(world: World) -> World:
    cost = tuple(20.0 if action else 1.0 for action in world.problem.actions)
    return replace(world, problem=replace(world.problem, cost=cost))


def with_money_needed(rows: list[Row]) -> list[Row]:
    """Adds the budget at which each learner's regret falls to 0.05, between two budgets on a logarithmic scale."""
    lots: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        lots[row["panel"], row["learner"]].append(row)
    needed = {key: _needed(sorted(lot, key=lambda row: float(row["x"]))) for key, lot in lots.items()}
    return [{**row, "budget_for_0.05": needed[row["panel"], row["learner"]]} for row in rows]


def _needed(rows: list[Row]) -> float | None:
    """None where no budget was enough."""
    if rows[0]["regret"] <= _ENOUGH:
        return float(rows[0]["x"])
    for low, high in itertools.pairwise(rows):
        if low["regret"] > _ENOUGH >= high["regret"]:
            part = (low["regret"] - _ENOUGH) / (low["regret"] - high["regret"])
            return float(math.exp((1 - part) * math.log(low["x"]) + part * math.log(high["x"])))
    return None
