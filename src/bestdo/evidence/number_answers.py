"""Answers of old data where the reward is a number, or its values are worth numbers: means with Student's intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Bools, Floats
from bestdo.bandit.confidence import TAIL
from bestdo.bandit.estimate import deviations, variance_of_rounds
from bestdo.bandit.tally import Tally
from bestdo.causal.graph import Graph

__all__ = ["adjusted", "drawn_means", "sums_of"]

_LEVELS = 1 - TAIL, 0.995  # the quantiles at the upper ends of the intervals that are shown, and of 99 % intervals
_ANY = 2.0
"""The largest distance of the mean of rows never seen from the overall mean, in standard deviations of all rewards, where the
reward has no bounds. Chosen, not measured."""
_UNKNOWN = 0.25
"""The variance of a reward of which nothing is known, on the scale of learners: that of a fair coin, 0 or 1."""


def sums_of(cell: NDArray[np.integer], y: Floats, times: Floats, cells: int) -> Tally:
    """Counts of each cell, the sums of its rewards and of their squares, in one lane."""
    return Tally.from_counts(
        *(np.bincount(cell, times * y**k, minlength=cells).astype(np.float64)[None] for k in range(3))
    )


def _one_round(sums: Tally, graph: Graph) -> tuple[Floats, Floats, float]:
    """The variance of one row in each cell, float[C], its degrees of freedom, and the variance of all rows together."""
    n = sums.weight[0]
    whole = deviations(
        Tally.from_counts(*(part.sum(axis=1, keepdims=True) for part in (sums.weight, sums.reward, sums.squares)))
    )
    every = float(whole[0, 0]) / max(float(n.sum()) - 1, 1.0) or _UNKNOWN
    variance, degrees = (part[0] for part in variance_of_rounds(sums.weight, deviations(sums), graph))
    return np.where(np.isfinite(variance), variance, every), degrees, every


def adjusted(
    times: Floats, y: Floats, same: Bools, strata: NDArray[np.integer], graph: Graph
) -> tuple[float, float, float, float, float]:
    """Σ_z P(z) E[Y | x, z] with both ends of its 95 % and of its 99 % interval, where `same` are the rows with x.

    The spread of a row is learned from all rows (`variance_of_rounds`), the degrees of freedom are Satterthwaite's, and the
    variance from P(z) being counted is added. Strata in which x never occurred may have any mean between the bounds, all the
    same one; without bounds, any within two standard deviations of all rewards.
    """
    from scipy.special import stdtrit

    count = int(strata.max()) + 1
    sums = sums_of(strata + count * ~same, y, times, 2 * count)
    variance, degrees, every = _one_round(sums, graph)
    n, s = sums.weight[0, :count], sums.reward[0, :count]
    share = np.bincount(strata, times, minlength=count) / times.sum()
    counted, pooled = n > 0, float(s.sum() / n.sum())
    mean = np.where(counted, s / np.maximum(n, 1), pooled)
    middle = float(share @ mean)
    parts = np.where(counted, share**2 * variance[:count] / np.maximum(n, 1), 0.0)
    between = float((share * (mean - middle) ** 2).sum() / times.sum())
    free = parts.sum() ** 2 / max(float((parts**2 / degrees[:count]).sum()), 1e-300)
    half = [float(stdtrit(np.clip(free, 1, 1e9), level) * np.sqrt(parts.sum() + between)) for level in _LEVELS]
    unknown = float(share[~counted].sum())
    least, most = graph.rewarded.reach
    far = _ANY * float(np.sqrt(every))
    down, up = (unknown * (abs(end - pooled) if math.isfinite(end) else far) for end in (least, most))
    ends = [(max(middle - h - down, least), min(middle + h + up, most)) for h in half]
    return middle, *ends[0], *ends[1]


def drawn_means(sums: Tally, graph: Graph, draws: int, rng: np.random.Generator) -> Floats:  # float[D, C]
    """Draws of the mean in each cell: Student's, with a prior that is worth one row and has the same mean in all cells.

    That mean is drawn once for the whole table, with the spread of a row, so that cells hardly ever seen may all err in the
    same direction.
    """
    variance, degrees, every = _one_round(sums, graph)
    n, s = sums.weight[0], sums.reward[0]
    centre = s.sum() / max(n.sum(), 1) + np.sqrt(every) * rng.standard_normal((draws, 1))
    noise = rng.standard_t(np.clip(degrees, 1, 1e9), (draws, len(n))) * np.sqrt(variance / (n + 1))
    return np.asarray((s + centre) / (n + 1) + noise)
