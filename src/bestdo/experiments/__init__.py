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
    "chain": "bestdo.research.figures.chain",
    "confounded": "bestdo.research.figures.confounded",
    "hidden": "bestdo.research.figures.hidden",
    "rate": "bestdo.research.figures.rate",
    "until-sure": "bestdo.research.figures.until_sure",
    "alarm": "bestdo.research.figures.alarm",
    "intervals": "bestdo.research.figures.intervals",
    "p-best": "bestdo.research.figures.p_best",
}
"""The figures by their names on the command line: the module whose `experiment()` makes each."""

LARGE = {
    "old-data": "bestdo.research.figures.old_data",
    "suggestions": "bestdo.research.figures.suggestions",
    "beyond-m": "bestdo.research.figures.beyond_m",
    "beyond-horizon-small-gap": "bestdo.research.figures.beyond_horizon_small_gap",
    "beyond-horizon": "bestdo.research.figures.beyond_horizon",
    "beyond-graphs": "bestdo.research.figures.beyond_graphs",
    "held-out": "bestdo.research.figures.held_out",
    "costs": "bestdo.research.figures.costs",
    "real-networks": "bestdo.research.figures.real_networks",
    "every-world": "bestdo.research.figures.every_world",
    "calibration": "bestdo.research.figures.calibration",
    "delays": "bestdo.research.figures.delays",
    "numbers": "bestdo.research.figures.numbers",
    "contexts": "bestdo.research.figures.network_contexts",
    "contexts-earned": "bestdo.research.figures.earning_in_contexts",
    "mabuc": "bestdo.research.figures.mabuc",
    "modl": "bestdo.research.figures.modl",
    "earning": "bestdo.research.figures.earning",
    "doubt": "bestdo.research.figures.doubt",
    "pomis": "bestdo.research.figures.pomis",
    "hac": "bestdo.research.figures.hac",
    "shop": "bestdo.research.figures.shop",
}
"""Figures that take many minutes, in the same form: they are drawn only when asked for by name."""


def descriptions() -> dict[str, str]:
    """The names of all figures, each with a line about its subject."""
    documents = {name: importlib.import_module(module).__doc__ or "" for name, module in (FIGURES | LARGE).items()}
    return {name: text.splitlines()[0] for name, text in documents.items()}


def experiment(name: str) -> Experiment:
    """The experiment behind a figure."""
    known = FIGURES | LARGE
    if name not in known:
        raise BestdoError(unknown("figure", name, known))
    return importlib.import_module(known[name]).experiment()  # type: ignore[no-any-return]
