"""Rounds needed until the regret is 0.05, with and without 10,000 old rounds of observation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from bestdo.arrays import Floats, Ints
from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner, with_old
from bestdo.bandit.problem import Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.learners import by_title
from bestdo.simulate import World, paper_parallel
from bestdo.simulate.samplers import tally

__all__ = ["After", "experiment", "measure", "rounds_needed"]

OLD = 10_000
"""The number of old rounds of do() that learners are told."""
GOAL = 0.05
"""The regret for which the number of rounds is computed."""
_SMALLEST_REGRET = 1e-9
"""Regrets minus an error are kept above 0 by this much."""
_HORIZONS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)


@dataclass(frozen=True)
class After:
    """A learner that is told old rounds of do() before its first block; `measure` draws and tells them."""

    inner: Learner[Any]
    old: int = OLD

    @property
    def _learner(self) -> Learner[Any]:
        """The learner, with the number of old rounds where it has to know it."""
        return with_old(self.inner, self.old)

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """The learner's statistic."""
        return self._learner.statistic(problem, horizon)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Any:
        """The learner's first state."""
        return self._learner.start(problem, horizon, lanes, rng)

    def ask(self, state: Any, request: Request, rng: np.random.Generator) -> Plan | None:
        """The learner's next block."""
        return self._learner.ask(state, request, rng)

    def tell(self, state: Any, plan: Plan, tally: Tally) -> Any:
        """The learner's state after a block."""
        return self._learner.tell(state, plan, tally)

    def best(self, state: Any) -> Ints:
        """The learner's recommendation."""
        return self._learner.best(state)

    def estimates(self, state: Any) -> Estimates:
        """The learner's estimates."""
        return self._learner.estimates(state)


@lru_cache(maxsize=1)
def experiment() -> Experiment:
    """The paper's world with 50 variables, for m = 2, 10 and 20, at many horizons, with and without old rounds."""
    plain = by_title("algorithm-1", "causal-top-two")
    learners: dict[str, Learner[Any]] = {}
    for name, learner in plain.items():
        learners |= {name: learner, f"{name}, {OLD:,} old rounds": After(learner)}
    settings = [
        Setting(m, paper_parallel(50, m, 0.3), horizon, given={"m": m, "epsilon": 0.3})
        for m in (2, 10, 20)
        for horizon in _HORIZONS
    ]
    return Experiment(
        name="old-data",
        title="A study that starts with old data needs fewer rounds",
        x_label="m, the number of variables that watching teaches nothing about",
        settings=tuple(settings),
        learners=learners,
        caption=f"50 variables, gap 0.3; {OLD:,} old rounds of watching",
        y="rounds_needed",
        y_error="rounds_error",
        y_label=f"rounds until the regret is {GOAL:g}",
        summary=rounds_needed,
        measure=measure,
    )


def measure(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """The regret of each lane; a learner `After` is first told old rounds, drawn afresh for each lane."""
    problem = world.problem
    statistic = learner.statistic(problem, horizon)
    state = learner.start(problem, horizon, lanes, rng)
    if isinstance(learner, After) and learner.old:
        watching = np.arange(len(problem.actions)) == problem.actions.index(do())
        old = Plan(np.tile(learner.old * watching, (lanes, 1)))
        state = learner.tell(state, Plan(0 * old.counts), tally(world, statistic, old, rng))
    while (plan := learner.ask(state, Request(), rng)) is not None:
        state = learner.tell(state, plan, tally(world, statistic, plan, rng))
    return {"regret": np.asarray(world.gains.max() - world.gains[learner.best(state)])}


def rounds_needed(rows: list[Row]) -> list[Row]:
    """The rounds at which the regret falls to the goal, and their error, for each m and learner.

    Interpolated in log T. The error is half the difference when the regret is one standard error higher and lower.
    """
    groups: dict[tuple[Any, str], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["x"], row["learner"]), []).append(row)
    table = []
    for group in groups.values():
        error = [row["regret_error"] for row in group]
        middle, low, high = (_crossing(group, [sign * e for e in error]) for sign in (0, -1, 1))
        table.append({**group[0], "rounds_needed": middle, "rounds_error": (high - low) / 2})
    return table


def _crossing(rows: list[Row], shift: list[float]) -> float:
    """The horizon at which the regret plus the shift falls to the goal and stays below; NaN where it does not."""
    points = sorted(
        (row["horizon"], max(row["regret"] + s, _SMALLEST_REGRET)) for row, s in zip(rows, shift, strict=True)
    )
    above = [i for i, (_, regret) in enumerate(points) if regret > GOAL]
    if not above:
        return float(points[0][0])
    if above[-1] == len(points) - 1:
        return math.nan
    (t, regret), (later, less) = points[above[-1]], points[above[-1] + 1]
    share = (regret - GOAL) / (regret - less)
    return float(math.exp(math.log(t) + share * (math.log(later) - math.log(t))))
