"""Experiments: simulations of many learners in many settings, one file for each figure, run by `engine/runner.py`."""

from __future__ import annotations

import importlib

from bestdo.errors import BestdoError, unknown
from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.experiments.engine.runner import run

__all__ = ["FIGURES", "LARGE", "Experiment", "Setting", "descriptions", "experiment", "run"]

FIGURES = {
    "regret-vs-m": "bestdo.experiments.figures.regret_vs_m",
    "regret-vs-horizon-small-gap": "bestdo.experiments.figures.regret_vs_horizon_small_gap",
    "regret-vs-horizon": "bestdo.experiments.figures.regret_vs_horizon",
    "chain": "bestdo.experiments.figures.chain",
    "confounded": "bestdo.experiments.figures.confounded",
    "hidden": "bestdo.experiments.figures.hidden",
    "rate": "bestdo.experiments.figures.rate",
    "until-sure": "bestdo.experiments.figures.until_sure",
    "alarm": "bestdo.experiments.figures.alarm",
    "intervals": "bestdo.experiments.figures.intervals",
    "p-best": "bestdo.experiments.figures.p_best",
}
"""The figures by their names on the command line: the module whose `experiment()` makes each."""

LARGE = {
    "old-data": "bestdo.experiments.figures.old_data",
    "suggestions": "bestdo.experiments.figures.suggestions",
    "beyond-m": "bestdo.experiments.figures.beyond_m",
    "beyond-horizon-small-gap": "bestdo.experiments.figures.beyond_horizon_small_gap",
    "beyond-horizon": "bestdo.experiments.figures.beyond_horizon",
    "beyond-graphs": "bestdo.experiments.figures.beyond_graphs",
    "held-out": "bestdo.experiments.figures.held_out",
    "costs": "bestdo.experiments.figures.costs",
    "real-networks": "bestdo.experiments.figures.real_networks",
    "every-world": "bestdo.experiments.figures.every_world",
    "delays": "bestdo.experiments.figures.delays",
    "numbers": "bestdo.experiments.figures.numbers",
    "contexts": "bestdo.experiments.figures.network_contexts",
    "contexts-earned": "bestdo.experiments.figures.earning_in_contexts",
    "mabuc": "bestdo.experiments.figures.mabuc",
    "modl": "bestdo.experiments.figures.modl",
    "earning": "bestdo.experiments.figures.earning",
    "doubt": "bestdo.experiments.figures.doubt",
    "pomis": "bestdo.experiments.figures.pomis",
    "hac": "bestdo.experiments.figures.hac",
}
"""Figures that take many minutes, in the same form: they are drawn only when asked for by name."""


def descriptions() -> dict[str, str]:
    """The names of all figures, each with one line that says what it shows."""
    documents = {name: importlib.import_module(module).__doc__ or "" for name, module in (FIGURES | LARGE).items()}
    return {name: text.splitlines()[0] for name, text in documents.items()}


def experiment(name: str) -> Experiment:
    """The experiment behind a figure."""
    known = FIGURES | LARGE
    if name not in known:
        raise BestdoError(unknown("figure", name, known))
    return importlib.import_module(known[name]).experiment()  # type: ignore[no-any-return]
