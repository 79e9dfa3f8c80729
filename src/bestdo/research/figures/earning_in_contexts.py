"""What is lost while learning a rule on five real networks: rounds shared by the graph, contexts alone, a linear model."""

from __future__ import annotations

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title
from bestdo.research.figures.network_contexts import contextual_worlds
from bestdo.research.figures.real_networks import NETWORKS

__all__ = ["experiment"]

_ROUNDS = 500
_TIMES = 10


def experiment() -> Experiment:
    """The problem of `contexts` on each network in which a rule is worth most."""
    return Experiment(
        name="contexts-earned",
        title="Earning by context: what is lost while the rule is learned",
        x_label="rounds so far",
        settings=tuple(Setting(_ROUNDS, contextual_worlds(name)[0], _ROUNDS, panel=name) for name in NETWORKS),
        learners=by_title("causal-thompson", "thompson", "linear-thompson", "kl-ucb"),
        caption="the mean of the best action in each context minus that of the action played, summed over the rounds",
        y="summed_regret",
        y_error="summed_error",
        y_label="regret, summed over the rounds",
        over_time=_TIMES,
        band=3.0,
    )
