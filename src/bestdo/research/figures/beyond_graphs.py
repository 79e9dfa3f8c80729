"""Causal top-two beside Algorithm 2 on a confounded graph and in a chain, with 50 variables each."""

from __future__ import annotations

from dataclasses import replace

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title, title
from bestdo.learners.algorithm_2 import GeneralAlgorithm
from bestdo.learners.causal_top_two import CausalTopTwo
from bestdo.simulate import chain, confounded

__all__ = ["experiment"]

_KNOWING = "Causal top-two, knowing the law"
_PLUG_IN = "Algorithm 2, plug-in"


def experiment() -> Experiment:
    """Regret against the horizon on both graphs.

    The law of 50 parents with a common cause has too many states for a table, so variants that need one are left out.
    """
    common = confounded(given_0=[0.1] * 20 + [0.4] * 30, given_1=[0.3] * 20 + [0.7] * 30, z=0.2)
    copies = chain(50, epsilon=0.1)
    listed = frozenset({_KNOWING, _PLUG_IN})
    settings = [
        *(Setting(t, common, t, panel="A common cause", left_out=listed) for t in (25, 50, 100, 150, 200, 300, 400)),
        *(Setting(t, copies, t, panel="A chain of copies") for t in (10, 20, 40, 60, 80, 120, 160, 200)),
    ]
    return Experiment(
        name="beyond-graphs",
        title="Causal top-two needs the graph alone",
        x_label="T, the number of rounds",
        settings=tuple(settings),
        learners={
            title("causal-top-two"): CausalTopTwo(law=False),
            _KNOWING: CausalTopTwo(),
            **by_title("algorithm-2"),
            _PLUG_IN: replace(GeneralAlgorithm(), estimator="plug-in"),
            **by_title("successive-rejects", "sequential-halving", "watch-then-act", "ucb-plus"),
        },
        caption="50 variables each; Algorithm 2 knows the law of the reward's parents",
    )
