"""Extensions that the paper suggests, on its Figure 2 (a): rejecting actions, designs in phases, no known law."""

from __future__ import annotations

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title
from bestdo.simulate import paper_parallel

__all__ = ["experiment"]


def experiment() -> Experiment:
    """Regret of learners that use the rewards while sampling, beside the algorithms that they extend."""
    variables, horizon, epsilon = 50, 400, 0.3
    settings = [
        Setting(m, paper_parallel(variables, m, epsilon), horizon, given={"m": m, "epsilon": epsilon})
        for m in (2, 10, 20, 30, 40, 50)
    ]
    return Experiment(
        name="suggestions",
        title="Using the rewards while sampling helps most where many variables are hard",
        x_label="m, the number of variables that watching teaches nothing about",
        settings=tuple(settings),
        learners=by_title(
            "algorithm-1",
            "algorithm-1-rejects",
            "algorithm-2",
            "algorithm-2-phases",
            "watch-then-act",
            "successive-rejects",
        ),
        caption=f"{variables} variables, {horizon} rounds, gap {epsilon}",
    )
