"""Figure 2 (b) of the paper again, with causal top-two, which does not know q, beside all others."""

from __future__ import annotations

from dataclasses import replace

from bestdo.experiments.engine.experiment import Experiment
from bestdo.experiments.figures import regret_vs_horizon_small_gap
from bestdo.research.figures.beyond_m import learners

__all__ = ["experiment"]


def experiment() -> Experiment:
    """The experiment of Figure 2 (b) with other learners."""
    paper = regret_vs_horizon_small_gap.experiment()
    return replace(
        paper, name="beyond-horizon-small-gap", title="A gap that shrinks with the horizon", learners=learners()
    )
