"""The figures of the paper and others like them: their experiments, and the table of one."""

from __future__ import annotations

from collections.abc import Iterable

from bestdo.experiments import FIGURES, descriptions, experiment
from bestdo.experiments.engine.experiment import Experiment, Row
from bestdo.usecases.simulation import Simulation

__all__ = ["descriptions", "figure", "named"]


def named(names: Iterable[str]) -> list[Experiment]:
    """The experiments behind these figures, each once; `all` stands for every one that does not take many minutes."""
    wanted = list(dict.fromkeys(names))
    return [experiment(name) for name in (FIGURES if "all" in wanted else wanted)]


def figure(wanted: Experiment, simulation: Simulation) -> list[Row]:
    """The rows of a figure's table; with a folder they are written there, for `bestdo.report.figure.draw`."""
    return simulation.table(wanted)
