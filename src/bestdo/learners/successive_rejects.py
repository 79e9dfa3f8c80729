"""Successive Rejects: drops the worst action after each phase of a fixed length."""

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

__all__ = ["SuccessiveRejects"]


@dataclass(frozen=True)
class SuccessiveRejects:
    """Drops the worst action after each of K − 1 phases (Audibert & Bubeck 2010).

    Phases with the same n_k are merged, because nothing is played between them. The rounds that the schedule leaves over
    are not played, as published. With no more rounds than actions it plays as many different actions as it can.
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
        """The plays of each action and how many actions to keep, for each phase.

        By the end of phase k every action has n_k = ⌈(T − K) / (log‾K · (K + 1 − k))⌉ plays in all; then one is dropped.
        """
        if horizon <= actions or actions < 2:
            return []
        log_bar = 0.5 + sum(1 / i for i in range(2, actions + 1))
        plan: list[tuple[int, int]] = []
        before = 0
        for k in range(1, actions):
            n = math.ceil((horizon - actions) / (log_bar * (actions + 1 - k)))
            if n == before:
                plan[-1] = plan[-1][0], actions - k
            else:
                plan.append((n - before, actions - k))
            before = n
        return plan
