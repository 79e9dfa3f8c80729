"""Graphs that nobody knows: rounds that MODL takes, and regret of UCB+, each on its authors' worlds."""

import math
from collections.abc import Iterator

import numpy as np

from benchmarks.timing import Row
from bestdo import learner
from bestdo.research.figures.modl_rounds import THEIRS, modl_rounds
from bestdo.research.worlds.unknown_graph_worlds import unknown_causes
from bestdo.simulate import final

SEEDS, WORLDS, LANES, ROUNDS = 5, 20, 5, 2000
AS_THEIR_PROGRAM = 0.1 / math.comb(8, 3)
"""The α of UCB+ in its authors' program, which is not that of their paper."""


def rows() -> Iterator[Row]:
    """MODL's three ways, then UCB+ with both constants beside UCB; ± is the standard error over worlds."""
    for name, (rounds, _) in modl_rounds(SEEDS, np.random.default_rng(0)).items():
        error = _error(rounds)
        yield Row(f"{name}, ± {error:,.0f}", float(rounds.mean()), "the authors' code", THEIRS[name], 0.9, "rounds")
    without = _regret("ucb")
    for alpha in (1.0, AS_THEIR_PROGRAM):
        lost = _regret("ucb-plus", alpha=alpha)
        what = f"regret of UCB+, α = {alpha:.2g}, ± {_error(lost):.1f}"
        yield Row(what, float(lost.mean()), f"UCB, ± {_error(without):.1f}", float(without.mean()), 1, "")


def _error(found: np.ndarray) -> float:
    """The standard error of the mean over worlds, float[worlds, runs]."""
    return float(found.mean(axis=1).std(ddof=1) / math.sqrt(len(found)))


def _regret(name: str, **parameters: float) -> np.ndarray:  # float[worlds, lanes]
    """The regret summed over all rounds on worlds of eight variables with three values of which one is the cause."""
    made, found = learner(name, **parameters), []
    for seed in range(WORLDS):
        world = unknown_causes(seed)
        played = made.estimates(final(world, made, ROUNDS, LANES, np.random.default_rng(seed))).played
        found.append(played @ (world.means.max() - world.means))
    return np.array(found)
