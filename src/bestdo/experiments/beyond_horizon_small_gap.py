"""Figure 2 (b) of the paper again, with causal top-two, which does not know q, beside all others."""

from __future__ import annotations

from dataclasses import replace

from bestdo.experiments import regret_vs_horizon_small_gap
from bestdo.experiments.beyond_m import learners
from bestdo.experiments.experiment import Experiment

__all__ = ["experiment"]


def experiment() -> Experiment:
    """The settings of the paper."""
    made = regret_vs_horizon_small_gap.experiment()
    return replace(
        made, name="beyond-horizon-small-gap", title="A gap that shrinks with the horizon", learners=learners()
    )
