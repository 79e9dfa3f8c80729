"""Sequential Halving: drops the worse half of the actions after each phase of a fixed length."""

from __future__ import annotations

import math
from dataclasses import dataclass

from bestdo.bandit.traits import Traits
from bestdo.learners.count_state import played_statistic
from bestdo.learners.rejection_phases import (
    best_alive,
    phase_estimates,
    plan_phase,
    reason_in_phase,
    start_phases,
    tell_phase,
)

__all__ = ["SequentialHalving"]


@dataclass(frozen=True)
class SequentialHalving:
    """Drops the worse half of the actions in each of ⌈log₂ K⌉ phases (Karnin, Koren & Somekh 2013).

    Two deviations from the paper: means are over all plays, those of earlier phases included; and each phase gets an equal
    share of what is left of the horizon and plays every action at least once, because the published schedule, T / (|S|
    ⌈log₂ K⌉) rounded down, plays nothing at first where the horizon is short.
    """

    traits = Traits(reasons=True)
    statistic = staticmethod(played_statistic)
    start = start_phases
    ask = staticmethod(plan_phase)
    tell = staticmethod(tell_phase)
    reason = staticmethod(reason_in_phase)
    best = staticmethod(best_alive)
    estimates = staticmethod(phase_estimates)

    @staticmethod
    def schedule(actions: int, horizon: int) -> list[tuple[int, int]]:
        """The plays of each action, and how many actions to keep (the better half, ⌈|S| / 2⌉), for each phase."""
        if horizon <= actions or actions < 2:
            return []
        phases = math.ceil(math.log2(actions))
        plan: list[tuple[int, int]] = []
        left, size = horizon, actions
        for phase in range(phases):
            plays = min(max(1, left // (size * (phases - phase))), left // size)
            left -= plays * size
            size = math.ceil(size / 2)
            if plays:
                plan.append((plays, size))
            else:  # no rounds are left: halved again without a further play
                plan[-1] = plan[-1][0], size
        return plan
