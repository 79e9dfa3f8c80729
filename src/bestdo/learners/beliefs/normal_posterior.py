"""The posterior of means of a reward that is a number: normal, with a spread that is learned from all cells together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates, deviations, variance_of_rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph

__all__ = ["NormalPosterior", "draw_student", "middle", "normal_posterior", "within"]

Floats = NDArray[np.float64]

_UNKNOWN = 0.25  # the variance of one round that draws have before two rewards differ; any number would do


class NormalPosterior(NamedTuple):
    """What is believed of the mean of each cell; all float[L, C]."""

    total: Floats
    """The sum of rewards, those that the prior is worth included."""
    rounds: Floats
    """The number of rounds, those that the prior is worth included."""
    variance: Floats
    """The variance of one round."""
    degrees: Floats
    """The degrees of freedom of the variance."""


def middle(graph: Graph) -> float:
    """What learners believe of a mean before anything is seen."""
    return 0.0 if graph.bounds is None else 0.5


def normal_posterior(
    tally: Tally, strength: Floats | float, graph: Graph, distinct: Floats | None = None
) -> NormalPosterior:
    """The posterior of each cell's mean, with a prior worth `strength` rounds of the mean of all that was counted.

    The variance of one round is that of `variance_of_rounds`; where that is not known, the variance of all rounds. Where a
    round can count in several cells, `distinct` (float[L, 1]) is how many rounds there are: not more can be known of the
    variance than they tell.
    """
    n, s = tally.weight, tally.reward
    every = n.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.where(every > 0, s.sum(axis=1, keepdims=True) / every, middle(graph))
        whole = deviations(Tally.from_counts(every, every * centre, tally.squares.sum(axis=1, keepdims=True)))
        variance, degrees = variance_of_rounds(n, deviations(tally), graph)
        whole = np.where(whole > 0, whole / np.maximum(every - 1, 1), _UNKNOWN)
    if distinct is not None:
        degrees = np.minimum(degrees, np.maximum(distinct - 1, 1))
    known = np.isfinite(variance)
    variance, degrees = np.where(known, variance, whole), np.where(known, degrees, 1.0)
    return NormalPosterior(s + strength * centre, n + strength, variance, degrees)


def draw_student(posterior: NormalPosterior, rng: np.random.Generator) -> Floats:  # float[L, C]
    """Means drawn from the posterior."""
    spread = np.sqrt(posterior.variance / posterior.rounds)
    return np.asarray(posterior.total / posterior.rounds + spread * rng.standard_t(posterior.degrees))


def within(found: Estimates, graph: Graph, seen: Tally) -> Estimates:
    """Estimates within the bounds of a number; without bounds, nothing is known before two rewards differ (`seen`)."""
    if graph.number is None:
        return found
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
