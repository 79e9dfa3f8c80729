"""Adjusted means of an action, and their worth in rounds, from rounds of do(), under each set of parents of its variable."""

from __future__ import annotations

import numpy as np

from bestdo.arrays import Floats
from bestdo.bandit.tally import Tally
from bestdo.statistics.all_families import FamilyList

__all__ = ["back_door_prior"]


_SMOOTHING = 1.0
"""Rounds spread evenly over all cells where a cell is empty, and for variances: as in the authors' code."""


def back_door_prior(
    families: FamilyList, joint: Tally, watched: Floats, good: Floats
) -> list[tuple[Floats, Floats]]:  # for each variable float[L, values, S] twice
    """The mean reward of setting each variable, adjusted for each set of parents, and the rounds that this mean is worth.

    With Z the parents of X, E[Y | do(x)] = Σ_z P(z) E[Y | x, z] (Pearl's back-door formula); where the reward is among the
    parents, setting X changes nothing. The worth is that of the Beta distribution with this mean m and the variance of the
    estimate, m (1 - m) / variance - 1, at least 1 and at most the rounds; the variance is the first-order one,
    [Σ_z P(z) (m_z - m)² + Σ_z P(z) m_z (1 - m_z) / P(x | z)] / n. `watched` and `good` are float[L]: the rounds of do(), and
    their rewards.
    """
    n = watched[:, None, None]
    mean_of_all = ((good + 0.5) / (watched + 1))[:, None, None]
    result = []
    for groups in families.strata:
        values = groups[0].cell.shape[1] if groups else 1
        shape = (len(watched), values, families.sets.shape[1])
        mean, worth = np.broadcast_to(mean_of_all, shape).copy(), np.broadcast_to(np.maximum(n, 1.0), shape).copy()
        for which, cell in groups:
            counts, rewards = joint.weight[:, cell], joint.reward[:, cell]  # float[L, K, values, states]
            cells = float(cell.shape[1] * cell.shape[2])
            smooth = counts + _SMOOTHING / cells
            total = smooth.sum(axis=(2, 3), keepdims=True)
            state = smooth.sum(axis=2, keepdims=True) / total  # P(z)
            each = (rewards + _SMOOTHING / cells / 2) / smooth  # E[Y | x, z]
            smoothed = (state * each).sum(axis=3)
            with np.errstate(invalid="ignore", divide="ignore"):
                plain = (counts.sum(axis=2) / n)[:, :, None] * (rewards / counts)
            exact = np.where(np.isfinite(plain), plain, 0).sum(axis=3)
            full = (counts > 0) | (counts.sum(axis=2, keepdims=True) == 0)
            m = np.where(full.all(axis=3) & (n > 0), exact, smoothed)  # float[L, K, values]
            given = smooth / smooth.sum(axis=2, keepdims=True)  # P(x | z)
            spread = state * ((each - smoothed[..., None]) ** 2 + each * (1 - each) / given)
            variance = spread.sum(axis=3) / total[..., 0]
            m = np.clip(m, 0.5 / (n + 1), 1 - 0.5 / (n + 1))  # a Beta distribution has no mean of 0 or 1
            w = np.clip(m * (1 - m) / variance - 1, 1.0, n + _SMOOTHING)
            mean[:, :, which], worth[:, :, which] = m.swapaxes(1, 2), w.swapaxes(1, 2)
        result.append((mean, worth))
    return result
