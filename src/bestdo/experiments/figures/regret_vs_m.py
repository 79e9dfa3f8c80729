"""Figure 2 (a) of the paper: regret against m, the number of variables that observation teaches nothing about."""

from __future__ import annotations

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title
from bestdo.simulate import paper_parallel

__all__ = ["experiment"]


def experiment() -> Experiment:
    """Regret for every second m; Successive Rejects does not depend on m, causal learners lose as m grows towards N."""
    variables, horizon, epsilon = 50, 400, 0.3
    settings = [
        Setting(m, paper_parallel(variables, m, epsilon), horizon, given={"m": m, "epsilon": epsilon})
        for m in range(2, variables + 1, 2)
    ]
    return Experiment(
        name="regret-vs-m",
        title="The fewer hard variables, the more the graph helps",
        x_label="m, the number of variables that watching teaches nothing about",
        settings=tuple(settings),
        learners=by_title("algorithm-1", "algorithm-2", "algorithm-2-as-in-authors-code", "successive-rejects"),
        caption=f"{variables} variables, {horizon} rounds, gap {epsilon}",
    )
