"""A sampler of the sums of `Played`: a binomial number of successes for each action."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.rounds import Plan
from bestdo.bandit.tally import Tally
from bestdo.simulate import binomial_kernels
from bestdo.simulate.world import World
from bestdo.statistics.played import Played

__all__ = ["binomial", "played_sums"]


def played_sums(world: World, statistic: Played, plan: Plan, rng: np.random.Generator) -> Tally:
    """The sums of `Played` over a plan, exact for every world: the successes of n plays are Binomial(n, mean)."""
    return Tally.from_counts(plan.counts.astype(np.float64), binomial(plan.counts, world.means, rng))


def binomial(
    n: NDArray[np.integer], p: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:  # float[L, K]
    """Random numbers of successes in n (int[L, K]) trials with success probabilities p (float[K])."""
    out = np.empty(n.shape)
    seed = int(rng.integers(0, 2**64, dtype=np.uint64))
    binomial_kernels.binomials(np.ascontiguousarray(n, np.int64), np.ascontiguousarray(p), seed, rng, out)
    return out
