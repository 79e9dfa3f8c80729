"""What old data are worth: rounds until the regret is 0.05, after 10,000 rounds of watching that cost nothing and without."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner, with_old
from bestdo.bandit.problem import Problem
from bestdo.bandit.rounds import Plan
from bestdo.bandit.statistic import Statistic
from bestdo.bandit.tally import Tally
from bestdo.causal.action import do
from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.learners import by_title
from bestdo.simulate import World, paper_parallel
from bestdo.simulate.samplers import tally

__all__ = ["After", "experiment", "measured", "rounds_needed"]

OLD = 10_000
GOAL = 0.05
_HORIZONS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)


@dataclass(frozen=True)
class After:
    """A learner that is told old rounds of do() before its first."""

    inner: Learner[Any]
    old: int = OLD

    @property
    def _knowing(self) -> Learner[Any]:
        return with_old(self.inner, self.old)

    def statistic(self, problem: Problem, horizon: float) -> Statistic:
        """As the learner's."""
        return self._knowing.statistic(problem, horizon)

    def start(self, problem: Problem, horizon: float, lanes: int, rng: np.random.Generator) -> Any:
        """As the learner's."""
        return self._knowing.start(problem, horizon, lanes, rng)

    def ask(self, state: Any, rng: np.random.Generator) -> Plan | None:
        """As the learner's."""
        return self._knowing.ask(state, rng)

    def tell(self, state: Any, plan: Plan, tally: Tally) -> Any:
        """As the learner's."""
        return self._knowing.tell(state, plan, tally)

    def best(self, state: Any) -> NDArray[np.int64]:
        """As the learner's."""
        return self._knowing.best(state)

    def estimates(self, state: Any) -> Estimates:
        """As the learner's."""
        return self._knowing.estimates(state)


@lru_cache(maxsize=1)
def experiment() -> Experiment:
    """The paper's world with 50 variables, of which 2, 10 or 20 are never seen to be 1."""
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
        measure=measured,
    )


def measured(
    world: World, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, NDArray[np.float64]]:
    """The regret of each lane; old rounds are drawn for each, where the learner is told some."""
    problem = world.problem
    statistic = learner.statistic(problem, horizon)
    state = learner.start(problem, horizon, lanes, rng)
    if isinstance(learner, After) and learner.old:
        watching = np.arange(len(problem.actions)) == problem.actions.index(do())
        old = Plan(np.tile(learner.old * watching, (lanes, 1)))
        state = learner.tell(state, Plan(0 * old.counts), tally(world, statistic, old, rng))
    while (plan := learner.ask(state, rng)) is not None:
        state = learner.tell(state, plan, tally(world, statistic, plan, rng))
    return {"regret": np.asarray(world.means.max() - world.means[learner.best(state)])}


def rounds_needed(rows: list[Row]) -> list[Row]:
    """For each m and learner the number of rounds at which the regret falls to the goal, by interpolation in log T."""
    lots: dict[tuple[Any, str], list[Row]] = {}
    for row in rows:
        lots.setdefault((row["x"], row["learner"]), []).append(row)
    found = []
    for lot in lots.values():
        error = [row["regret_error"] for row in lot]
        middle, low, high = (_crossing(lot, [sign * e for e in error]) for sign in (0, -1, 1))
        found.append({**lot[0], "rounds_needed": middle, "rounds_error": (high - low) / 2})
    return found


def _crossing(lot: list[Row], shift: list[float]) -> float:
    """Where the regret, shifted, falls to the goal and stays below; NaN where it does not."""
    points = sorted((row["horizon"], max(row["regret"] + s, 1e-9)) for row, s in zip(lot, shift, strict=True))
    above = [i for i, (_, regret) in enumerate(points) if regret > GOAL]
    if not above:
        return float(points[0][0])
    if above[-1] == len(points) - 1:
        return math.nan
    (t, regret), (later, less) = points[above[-1]], points[above[-1] + 1]
    share = (regret - GOAL) / (regret - less)
    return float(math.exp(math.log(t) + share * (math.log(later) - math.log(t))))
