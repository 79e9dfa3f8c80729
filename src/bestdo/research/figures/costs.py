"""Regret against the budget when a round that sets a variable costs 20 times as much as one of do()."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import replace

from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.learners import by_title, title
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import World, paper_parallel, parallel

__all__ = ["experiment", "with_budget_needed"]

_PRICE = 20.0
"""The price of a round that sets a variable; a round of do() costs 1."""
_GOAL = 0.05
"""The regret for which the budget needed is computed; the column's name has it."""


def experiment() -> Experiment:
    """Two worlds of 20 variables: X1 is 1 in a tenth of the rounds of do(), or never, so that it has to be set."""
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
        summary=with_budget_needed,
    )


def _priced(world: World) -> World:
    """The world with a cost of 1 for do() and 20 for every other action."""
    cost = tuple(_PRICE if action else 1.0 for action in world.problem.actions)
    return replace(world, problem=replace(world.problem, cost=cost))


def with_budget_needed(rows: list[Row]) -> list[Row]:
    """The rows with a column for the budget at which the learner's regret falls to 0.05."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["panel"], row["learner"]].append(row)
    needed = {key: _budget_needed(sorted(group, key=lambda row: float(row["x"]))) for key, group in groups.items()}
    return [{**row, "budget_for_0.05": needed[row["panel"], row["learner"]]} for row in rows]


def _budget_needed(rows: list[Row]) -> float | None:
    """The budget at which the regret falls to the goal, interpolated in its logarithm; None where none is enough."""
    if rows[0]["regret"] <= _GOAL:
        return float(rows[0]["x"])
    for low, high in itertools.pairwise(rows):
        if low["regret"] > _GOAL >= high["regret"]:
            part = (low["regret"] - _GOAL) / (low["regret"] - high["regret"])
            return float(math.exp((1 - part) * math.log(low["x"]) + part * math.log(high["x"])))
    return None
