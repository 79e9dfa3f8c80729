"""Figure 2 (c) of the paper: regret against the horizon, for a fixed gap."""

from __future__ import annotations

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title
from bestdo.simulate import paper_parallel

__all__ = ["experiment"]


def experiment() -> Experiment:
    """Regret at eleven horizons; it falls exponentially, and earlier for the learners that know the graph."""
    variables, m, epsilon = 50, 2, 0.3
    world = paper_parallel(variables, m, epsilon)
    actions = len(world.problem.actions)
    settings = [
        Setting(
            horizon,
            world,
            horizon,
            given={"m": m, "epsilon": epsilon},
            left_out=frozenset({"Successive Rejects"} if horizon <= actions else ()),  # it plays every action
        )
        for horizon in range(10, 511, 50)
    ]
    return Experiment(
        name="regret-vs-horizon",
        title="Learners that know the graph need far fewer rounds",
        x_label="T, the number of rounds",
        settings=tuple(settings),
        learners=by_title("algorithm-1", "algorithm-2", "algorithm-2-as-in-authors-code", "successive-rejects"),
        caption=f"{variables} variables, m = {m}, gap {epsilon}",
    )
