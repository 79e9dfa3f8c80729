"""The forecast of the interval of a study's best action when its rounds are used up."""

from __future__ import annotations

import math
from typing import NamedTuple

from bestdo.bandit.estimate import Estimate

__all__ = ["forecast"]


class _Forecast(NamedTuple):
    """Half the width of the best action's 95 % interval."""

    now: float
    at_the_end: float
    """The width at the end, if each round to come adds as much as the rounds so far did on average."""


def forecast(best: Estimate, told: int, left: float) -> _Forecast | None:
    """The precision of the best action's mean now, and after the rounds that are left; None where that is not known yet."""
    if not told or not best.known or best.seen <= 0:
        return None
    half = (best.high - best.low) / 2
    if not math.isfinite(half):
        return None
    return _Forecast(half, half * math.sqrt(best.seen / (best.seen + best.seen / told * left)))
