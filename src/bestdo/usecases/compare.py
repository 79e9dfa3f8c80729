"""Compares learners by simulation on models of which all tables are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

import bestdo.display as display
from bestdo.bandit.learner import Learner
from bestdo.data.compose import Composed
from bestdo.errors import BestdoError, NotValid, TooLarge, shown
from bestdo.experiments.engine.experiment import Experiment, Row, Setting
from bestdo.experiments.engine.result_table import texts_of
from bestdo.learners import by_title
from bestdo.simulate import Prior, World
from bestdo.simulate.play import outcomes
from bestdo.text import counted
from bestdo.usecases.simulation import Simulation

__all__ = ["USUAL", "Compared", "Refusal", "compare", "comparison", "table_size"]

USUAL = ("causal-top-two", "algorithm-1", "algorithm-2", "successive-rejects", "uniform")
"""Learners that are compared when none are named."""


class Refusal(NamedTuple):
    """A learner that does not work on a problem, and why."""

    world: str
    learner: str
    rounds: tuple[float, ...]
    """The horizons at which it refuses; all of them, as a rule."""
    reason: str

    def __str__(self) -> str:
        where = f" on {self.world}" if self.world else ""
        return f"{self.learner} is left out{where}: {self.reason}"


class Compared(NamedTuple):
    """A comparison of learners."""

    rows: list[Row]
    """One for each problem, learner and number of rounds."""
    refused: list[Refusal]
    texts: Mapping[str, Any] = MappingProxyType({})
    """What its picture says, as in the manifest of a figure."""

    def __repr__(self) -> str:
        return f"Compared({table_size(self.rows)})"

    def _repr_html_(self) -> str:
        return display.html(self)

    def plot(self) -> Any:
        """The regret against the number of rounds, as a matplotlib figure."""
        return display.plot(self)

    def to_frame(self, library: str | None = None) -> Any:
        """A row for each problem, learner and number of rounds, as a data frame; see `bestdo.display.to_frame`."""
        return display.to_frame(self, library)


def compare(
    problems: Mapping[str, Composed],
    rounds: Sequence[float],
    learners: Sequence[str],
    simulation: Simulation,
) -> Compared:
    """The regret of every learner on every problem for every number of rounds, and how often it keeps the best action.

    Problems are given by short names, and need all their tables: rounds are drawn from these, and learners know of them
    what the problem says. Learners that do not work on a problem are left out, and `simulation.say` is told before the
    simulations begin.
    """
    worlds = {}
    for name, composed in problems.items():
        if composed.model is None:
            raise BestdoError(
                f"{shown(composed.name or name, 300)} holds no tables of probabilities; to compare, the truth must be known"
            )
        worlds[name] = World(composed.problem, composed.model)
    experiment, refused = comparison(worlds, by_title(*learners), rounds)
    for refusal in refused:
        simulation.say(str(refusal))
    return Compared(simulation.table(experiment), refused, texts_of(experiment))


def table_size(rows: Sequence[Row]) -> str:
    """How many learners and numbers of rounds a table has, in words."""
    learners, horizons = ({row[column] for row in rows} for column in ("learner", "horizon"))
    return f"{counted(len(learners), 'learner')}, {counted(len(horizons), 'horizon')}, {counted(len(rows), 'row')}"


def comparison(
    worlds: Mapping[str, World | Prior],
    learners: Mapping[str, Learner[Any]],
    rounds: Sequence[float],
    name: str = "compare",
) -> tuple[Experiment, list[Refusal]]:
    """The experiment of every learner in every world for every number of rounds, and the learners that refuse, with reasons.

    Each learner is tried on one lane to find out.
    """
    settings, refused = [], []
    for panel, world in worlds.items():
        left_out: dict[str, dict[float, str]] = {}
        for label, learner in learners.items():
            reasons: dict[float, str] = {t: reason for t in rounds if (reason := _refuses(world, learner, label, t))}
            if reasons:
                left_out[label] = reasons
                refused.append(Refusal(panel, label, tuple(reasons), next(iter(reasons.values()))))
        for t in rounds:
            out = frozenset(label for label, reasons in left_out.items() if t in reasons)
            settings.append(Setting(t, world, t, panel=panel, left_out=out))
    if all(s.left_out.issuperset(learners) for s in settings):
        raise NotValid("no learner is left:\n" + "\n".join(map(str, refused)))
    experiment = Experiment(
        name=name,
        title="Regret by the number of rounds",
        x_label="T, the number of rounds",
        settings=tuple(settings),
        learners=learners,
    )
    return experiment, refused


def _refuses(world: World | Prior, learner: Learner[Any], label: str, horizon: float) -> str:
    """Why the learner does not work in a world; empty where it does."""
    try:
        outcomes(world, learner, horizon, 1, np.random.default_rng(0))
    except (NotValid, TooLarge) as error:
        return str(error)
    except BestdoError:
        raise
    except Exception as error:
        raise BestdoError(
            f"{label} failed: {error!r}; bestdo.testing.check_learner tells what is wrong with a learner"
        ) from error
    return ""
