"""The figures of the paper and others like them: their experiments, and the table of one."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

from bestdo.bandit.learner import Learner
from bestdo.errors import BestdoError
from bestdo.experiments import FIGURES, descriptions, experiment
from bestdo.experiments.engine.experiment import Experiment, Row
from bestdo.learners import title
from bestdo.usecases.simulation import Simulation

__all__ = ["descriptions", "figure", "named", "narrowed"]


def named(names: Iterable[str]) -> list[Experiment]:
    """The experiments behind these figures, each once; `all` stands for every one that does not take many minutes."""
    wanted = list(dict.fromkeys(names))
    return [experiment(name) for name in (FIGURES if "all" in wanted else wanted)]


def narrowed(
    whole: Experiment, panels: Collection[str], points: Collection[str], learners: Collection[str] = ()
) -> Experiment:
    """The experiment with only these panels (or parts of their headings), points of the x axis and learners, by their names.

    All where none is named. The simulations of a point and learner are the same as in the whole experiment.
    """
    if learners:
        whole = replace(whole, learners=_some_of(whole, learners))
    kept = [s for s in whole.settings if not panels or any(part.casefold() in s.panel.casefold() for part in panels)]
    if not kept:
        known = ", ".join(repr(name) for name in dict.fromkeys(s.panel for s in whole.settings))
        raise BestdoError(f"{whole.name} has no panel {' or '.join(map(repr, panels))}; it has {known}")
    at = [s for s in kept if not points or _text(s.x) in {_text(x) for x in points}]
    if not at:
        known = ", ".join(dict.fromkeys(_text(s.x) for s in kept))
        raise BestdoError(f"{whole.name} has no point {' or '.join(points)} there; it has {known}")
    return whole if len(at) == len(whole.settings) else replace(whole, settings=tuple(at))


def _some_of(whole: Experiment, names: Collection[str]) -> dict[str, Learner[Any]]:
    """The learners of the experiment with these names, by their labels."""
    labels = {name: title(name) for name in names}
    if missing := [name for name, label in labels.items() if label not in whole.learners]:
        known = ", ".join(whole.learners)
        raise BestdoError(f"{whole.name} has no learner {' or '.join(map(repr, missing))}; it has {known}")
    if whole.judged and whole.judged not in labels.values():
        raise BestdoError(f"{whole.name} compares {whole.judged} with others: name it, too")
    return {label: whole.learners[label] for label in labels.values()}


def _text(x: float | str) -> str:
    """A point of the x axis as it is written: 2 for 2.0."""
    try:
        return f"{float(x):g}"
    except ValueError:
        return str(x)


def figure(wanted: Experiment, simulation: Simulation) -> list[Row]:
    """The rows of a figure's table; with a folder they are written there, for `bestdo.report.figure.draw`."""
    return simulation.table(wanted)
