"""Figure 2 (b) of the paper: regret against the horizon, for a gap that shrinks with it."""

from __future__ import annotations

import math

from bestdo.experiments.engine.experiment import Experiment, Setting
from bestdo.learners import by_title
from bestdo.simulate import paper_parallel

__all__ = ["experiment"]


def experiment() -> Experiment:
    """Regret at ten horizons; a gap of √(N / 8T) is too small for classical learners, and not for the causal ones."""
    variables, m = 50, 2
    settings = []
    for horizon in range(45, 946, 100):
        epsilon = math.sqrt(variables / (8 * horizon))
        world = paper_parallel(variables, m, epsilon)
        few = horizon <= len(world.problem.actions)  # Successive Rejects plays every action
        left_out = frozenset({"Successive Rejects"} if few else ())
        settings.append(Setting(horizon, world, horizon, given={"m": m, "epsilon": epsilon}, left_out=left_out))
    return Experiment(
        name="regret-vs-horizon-small-gap",
        title="A gap that is too small for learners without the graph",
        x_label="T, the number of rounds",
        settings=tuple(settings),
        learners=by_title("algorithm-1", "algorithm-2", "algorithm-2-as-in-authors-code", "successive-rejects"),
        caption=f"{variables} variables, m = {m}, gap √(N / 8T)",
    )
