"""Causal top-two beside every other learner on 126 classes of worlds: where is it worse than the best?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.learner import Learner
from bestdo.errors import NotValid
from bestdo.experiments.engine.experiment import SAME_MEAN, Experiment, Row, Setting
from bestdo.learners import by_title, title
from bestdo.research.figures.world_classes import world_classes
from bestdo.simulate import World, final
from bestdo.simulate.world_batch import Worlds

__all__ = ["experiment", "measure", "verdicts"]

_JUDGED = title("causal-top-two")
_LEARNERS = (
    *("algorithm-1", "algorithm-1-as-in-paper", "algorithm-1-as-in-authors-code", "algorithm-1-rejects"),
    *("algorithm-2", "algorithm-2-as-in-paper", "algorithm-2-as-in-authors-code", "algorithm-2-phases"),
    *("uniform", "watching", "watch-then-act", "successive-rejects", "sequential-halving", "successive-elimination"),
    *("ucb", "c-ucb", "thompson", "top-two", "lucb", "causal-top-two"),
    *("regression-thompson", "regression-top-two"),
)
"""The learners, without Track-and-Stop, which took 3/4 of the time (two classes, T = 50 K, 40 simulations); LUCB1, made for
the same goal, plays. And without NPTS: where rewards have two values it is Thompson sampling with one failure less. The two
regressions now take most of the time, about two hours each with 200 simulations: they are what anybody would write."""
_TIMES = 0.5, 2, 10, 50
"""The horizons: so many rounds for each action, or what they would cost."""
_MANY_ACTIONS, _FEWER_TIMES = 100, (0.5, 2, 10)
"""Worlds with more actions than this, or with costs, have shorter horizons: they would take most of the time.

With costs, a budget of one round of each action pays for hundreds of rounds of do().
"""
_MORE, _ERRORS = 1.1, 2.0
"""Worse: the regret is more than 10 % and more than two standard errors of the difference above the best rival's."""
_FALLING, _NEGLIGIBLE = 0.8, 0.002
"""A regret goes on falling if the longest horizon has at most 4/5 of that of the horizon before, or at most 0.002."""
_HALVES = 0, 1


def experiment() -> Experiment:
    """All classes, those of held-out kinds included, with horizons from half a round to fifty rounds for each action."""
    settings = []
    for name, world in world_classes().items():
        prices, cost = world.problem.prices, world.problem.cost
        long = cost is not None or len(prices) > _MANY_ACTIONS
        for times in _FEWER_TIMES if long else _TIMES:
            horizon = times * prices.sum()
            settings.append(Setting(times, world, horizon if cost else max(1, round(horizon)), panel=name))
    return Experiment(
        name="every-world",
        title="Causal top-two beside the best of all other learners, on every kind of world",
        x_label="(regret of causal top-two + 0.001) / (regret of the best other learner + 0.001)",
        settings=tuple(settings),
        learners=by_title(*_LEARNERS),
        caption="The best other learner of each point is chosen on one half of the simulations and measured on the other",
        judged=_JUDGED,
        summary=verdicts,
        measure=measure,
    )


def measure(
    world: World | Worlds, learner: Learner[Any], horizon: float, lanes: int, rng: np.random.Generator
) -> Mapping[str, Floats]:
    """The regret of the even and of the odd lanes; NaN in the other half, and everywhere if the learner is not valid."""
    regret = np.full(lanes, np.nan)
    try:
        best = learner.best(final(world, learner, horizon, lanes, rng))
    except NotValid:
        pass
    else:
        gains = np.broadcast_to(world.gains, (lanes, len(world.problem.actions)))
        regret = gains.max(axis=1) - gains[np.arange(lanes), best]
    return {f"half_{half}": np.where(np.arange(lanes) % 2 == half, regret, np.nan) for half in _HALVES}


def verdicts(rows: list[Row]) -> list[Row]:
    """A row for each class and horizon: the regret of causal top-two, that of the best rival, and whether it is worse."""
    points: dict[tuple[str, float], list[Row]] = {}
    for row in rows:
        points.setdefault((row["panel"], row["x"]), []).append(row)
    table = [_verdict(group) for group in points.values()]
    by_class: dict[str, list[Row]] = {}
    for row in table:
        by_class.setdefault(row["panel"], []).append(row)
    falls = {name: _falls(sorted(group, key=lambda row: float(row["x"]))) for name, group in by_class.items()}
    return [{**row, "falls": falls[row["panel"]]} for row in table]


def _verdict(rows: Sequence[Row]) -> Row:
    """The verdict on one class and horizon.

    The smallest of many noisy means is too small. So the rival whose regret is taken from one half of the lanes is the one
    that is best in the other half; both halves are used in turn. Lanes of all learners have the same worlds, which makes
    the standard error of the difference a little too large.
    """
    mine = next(row for row in rows if row["learner"] == _JUDGED)
    rivals = [row for row in rows if row["learner"] != _JUDGED and not math.isnan(row["half_0"])]
    chosen = [min(rivals, key=lambda row: _number(row[f"half_{1 - half}"])) for half in _HALVES]
    regret, error = _mean([mine, mine])
    rival, rival_error = _mean(chosen)
    least = max(SAME_MEAN, _ERRORS * math.hypot(error, rival_error))
    short = {k: v for k, v in mine.items() if not k.startswith("half_")}
    return {
        **short,
        "regret": regret,
        "standard_error": error,
        "rivals": len(rivals),
        "rival": " or ".join(dict.fromkeys(row["learner"] for row in chosen)),
        "rival_regret": rival,
        "rival_error": rival_error,
        "worse": regret > _MORE * rival and regret - rival > least,
    }


def _number(value: float) -> float:
    """The number, or infinity where it is NaN."""
    return math.inf if math.isnan(value) else value


def _mean(by_half: Sequence[Row]) -> tuple[float, float]:
    """The mean of the regrets in both halves, of the learner given for each, and its standard error."""
    regret = sum(row[f"half_{half}"] for half, row in zip(_HALVES, by_half, strict=True)) / 2
    error = math.hypot(*(row[f"half_{half}_error"] for half, row in zip(_HALVES, by_half, strict=True))) / 2
    return regret, error


def _falls(rows: Sequence[Row]) -> bool:
    """Whether the regret still falls at the longest horizon."""
    return len(rows) < 2 or bool(rows[-1]["regret"] <= max(_NEGLIGIBLE, _FALLING * rows[-2]["regret"]))
