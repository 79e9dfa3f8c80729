"""What a learner believes of each action, at any time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.tally import Tally

__all__ = ["Estimates", "from_counts", "from_ratio", "from_weights"]

Floats = NDArray[np.float64]
_Z = 1.959963984540054  # 95 %


class Estimates(NamedTuple):
    """For each lane and action; NaN where nothing is known."""

    mean: Floats
    """float[L, A]"""
    low: Floats
    """float[L, A]: the lower end of a 95 % interval."""
    high: Floats
    """float[L, A]: its upper end."""
    played: Floats
    """float[L, A]: how often the action was played."""
    seen: Floats
    """float[L, A]: how many rounds tell about it, its plays included."""


def from_counts(tally: Tally, played: Floats) -> Estimates:
    """Means of counted successes, with Wilson's interval (0 to 1 where nothing was counted)."""
    n, s = tally.weight, tally.reward
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = s / n
    return Estimates(mean, *_wilson(n, s), played, n)


def from_ratio(tally: Tally, played: Floats) -> Estimates:
    """Weighted means, reward / weight, with Wilson's interval for as many rounds as the weights are worth."""
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = tally.reward / tally.weight
        worth = np.nan_to_num(tally.weight**2 / tally.weight2)  # the effective number of rounds
    return Estimates(mean, *_wilson(worth, np.nan_to_num(mean) * worth), played, worth)


def _wilson(n: Floats, s: Floats) -> tuple[Floats, Floats]:
    centre = (s + _Z**2 / 2) / (n + _Z**2)
    half = _Z / (n + _Z**2) * np.sqrt(np.maximum(s * (n - s), 0) / np.maximum(n, 1e-9) + _Z**2 / 4)
    return np.where(n > 0, np.clip(centre - half, 0, 1), 0.0), np.where(n > 0, np.clip(centre + half, 0, 1), 1.0)


def from_weights(mean: Floats, variance: Floats, unknown: Floats, played: Floats, seen: Floats) -> Estimates:
    """Means with normal intervals cut to what a probability can be; `unknown` mass may be anything from 0 to 1."""
    half = _Z * np.sqrt(np.maximum(variance, 0))
    low, high = np.clip(mean - half - unknown, 0, 1), np.clip(mean + half + unknown, 0, 1)
    return Estimates(mean, np.where(np.isnan(low), 0, low), np.where(np.isnan(high), 1, high), played, seen)
