"""The knowledge about an action, beside the one that is recommended: the second half of why a round is asked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.problem import Problem
from bestdo.text import decimals_of

__all__ = ["NOTHING", "Found", "known_of"]

NOTHING = "nothing is known yet"


class Found(NamedTuple):
    """The estimates in a state of a game, and the number of the action that it recommends."""

    estimates: Estimates
    best: int


def known_of(problem: Problem, found: Found, action: int) -> str:
    """The knowledge about an action, beside the one that is recommended."""
    estimates, best = found
    if not (estimates.played[0].any() or estimates.seen[0].any()):
        return NOTHING
    mean = estimates.mean[0]
    if not problem.contenders[action]:
        return "it cannot be the best itself"
    if np.isnan(mean[action]) or not estimates.seen[0, action]:
        return "nothing is known of it yet"
    graph = problem.graph
    own, other = (graph.in_unit(float(mean[a])) for a in (action, best))
    unit = f" {graph.rewarded.unit}".rstrip()
    length = min(
        abs(graph.in_unit(float(estimates.high[0, a])) - graph.in_unit(float(estimates.low[0, a])))
        for a in (action, best)
    )
    decimals = max(decimals_of(length / 2), 2)
    if action == best:
        return f"it is the best so far, at {own:.{decimals}f}{unit}"
    return f"it is at {own:.{decimals}f}{unit} so far, and {problem.actions[best]} at {other:.{decimals}f}{unit}"
