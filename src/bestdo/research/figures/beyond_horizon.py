"""Figure 2 (c) of the paper again, with causal top-two, which does not know q, beside all others."""

from __future__ import annotations

from dataclasses import replace

from bestdo.experiments.engine.experiment import Experiment
from bestdo.experiments.figures import regret_vs_horizon
from bestdo.research.figures.beyond_m import learners

__all__ = ["experiment"]


def experiment() -> Experiment:
    """The experiment of Figure 2 (c) with other learners."""
    paper = regret_vs_horizon.experiment()
    return replace(
        paper, name="beyond-horizon", title="As few rounds as the learner that knows q needs", learners=learners()
    )
