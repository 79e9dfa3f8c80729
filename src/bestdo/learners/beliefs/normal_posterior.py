"""The posterior of means of a reward that is a number: normal, with a spread that is learned from all cells together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.estimate import Estimates, deviations
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph
from bestdo.learners.kernels import top_two_kernels

__all__ = ["NormalPosterior", "normal_posterior", "within"]


MOST_VARIANCE = 0.25
"""The largest variance of a reward between 0 and 1, and of one whose spread is stated (`Graph.span`). Draws have it before
two rewards differ: for others any number would do."""


class NormalPosterior(NamedTuple):
    """The belief about the mean of each cell; all float[L, C]."""

    total: Floats
    """The sum of rewards, those that the prior is worth included."""
    rounds: Floats
    """The number of rounds, those that the prior is worth included."""
    variance: Floats
    """The variance of one round."""
    degrees: Floats
    """The degrees of freedom of the variance."""


def normal_posterior(
    tally: Tally, strength: Floats | float, graph: Graph, distinct: Floats | None = None
) -> NormalPosterior:
    """The posterior of each cell's mean, with a prior worth `strength` rounds of the mean of all that was counted.

    The variance of one round is that of `variance_of_rounds`; where that is not known, the variance of all rounds. Where a
    round can count in several cells, `distinct` (float[L]) is how many rounds there are: not more can be known of the
    variance than they tell.
    """
    n = tally.weight
    distinct = n.sum(axis=1) if distinct is None else distinct
    made = NormalPosterior(*(np.empty(n.shape) for _ in range(4)))
    top_two_kernels.normal_cells(
        n,
        tally.reward,
        tally.squares,
        np.atleast_2d(np.asarray(strength, np.float64)),
        distinct,
        graph.rewarded.middle,
        graph.rewarded.most_variance,
        MOST_VARIANCE,
        *made,
    )
    return made


def within(found: Estimates, graph: Graph, seen: Tally) -> Estimates:
    """Estimates within the bounds of a number; without bounds, nothing is known before two rewards differ (`seen`)."""
    if graph.bounds is not None:
        mean, low, high = (np.clip(part, 0.0, 1.0) for part in found[:3])
        return found._replace(mean=mean, low=low, high=high)
    whole = Tally.from_counts(*(part.sum(axis=1, keepdims=True) for part in (seen.weight, seen.reward, seen.squares)))
    known = deviations(whole) > 0
    return found._replace(
        mean=np.where(whole.weight > 0, found.mean, np.nan),
        low=np.where(known, found.low, -np.inf),
        high=np.where(known, found.high, np.inf),
        bounded=False,
    )
