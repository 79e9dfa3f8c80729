"""Checks of the plans that a learner makes: their form, that lanes are independent, and that numbering does not matter."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.arrays import Floats
from bestdo.bandit.learner import Learner
from bestdo.bandit.request import Request
from bestdo.testing.lane_tools import require, take_lanes

__all__ = ["check_counts", "check_lanes_of_plans", "check_order_of_plans", "spread_states"]

_COPIES = 200
"""The number of copies of each lane that show the distribution of its plans. Chosen with `_SIGMAS`: a lane that plays what
another one chose is seen even if its own choice agrees with it in half of the copies."""
_SIGMAS = 6.0
"""The standard errors that two mean plans may differ by: sound learners fail with a probability below 1e-6."""
_STATES = 4
"""The number of states at which the plans of lanes are compared: from the first to the last, evenly spread. Chosen."""


def check_counts(counts: Any, lanes: int, actions: int, block: int) -> None:
    """Checks that a plan has the right shape, whole numbers, none of them negative, and at least one round."""
    shape = getattr(counts, "shape", None)
    require(
        isinstance(counts, np.ndarray),
        f"block {block}: the plan holds {type(counts).__name__}, not an array of whole numbers",
    )
    require(
        shape == (lanes, actions),
        f"block {block}: the plan has shape {shape}, not (lanes, actions), which is ({lanes}, {actions})",
    )
    require(np.issubdtype(counts.dtype, np.integer), f"block {block}: the plan holds {counts.dtype}: no whole numbers")
    require(bool((counts >= 0).all()), f"block {block}: the plan has negative counts")
    require(bool(counts.any()), f"block {block}: an empty plan; answer None when all lanes have finished")


def spread_states(blocks: int) -> list[int]:
    """The states that are tried, of those before each block."""
    return sorted({int(i) for i in np.linspace(0, blocks - 1, _STATES)})


def check_lanes_of_plans(learner: Learner[Any], state: Any, shape: tuple[int, int], when: str) -> None:
    """Checks that what a lane plays does not depend on the other lanes: copies of it alone, and copies among copies of all.

    shape: how many lanes and actions there are.
    """
    lanes, actions = shape
    mixed = _plans(learner, take_lanes(state, np.tile(np.arange(lanes), _COPIES), lanes), (_COPIES, lanes, actions))
    copies = [take_lanes(state, np.full(_COPIES, lane), lanes) for lane in range(lanes)]
    alone = np.concatenate(
        [_plans(learner, each, (_COPIES, 1, actions), 14 + k) for k, each in enumerate(copies)], axis=1
    )
    wrong = _differ(mixed, alone)
    if wrong is not None:
        lane, action = wrong
        means = [f"{part[:, lane, action].mean():.3g}" for part in (mixed, alone)]
        require(
            False,
            f"{when}: what lane {lane} plays depends on the other lanes: it plays action {action} {means[0]} times on "
            f"average among {lanes} different lanes, and {means[1]} times where all lanes are as it is; ask must work along "
            "the axis of actions, axis=1, and draw random numbers for each lane",
        )


def check_order_of_plans(
    learner: Learner[Any], state: Any, other: Any, order: NDArray[np.integer], lanes: int, when: str
) -> None:
    """Checks that the same actions are played where they are listed in another order (`other`), after the same rounds."""
    copies = np.tile(np.arange(lanes), _COPIES)
    shape = (_COPIES, lanes, len(order))
    mine, theirs = (_plans(learner, take_lanes(each, copies, lanes), shape) for each in (state, other))
    wrong = _differ(mine[:, :, order], theirs)
    if wrong is not None:
        require(
            False,
            f"{when}: another order of the actions gives another plan (lane {wrong[0]}): only their names may matter; "
            "bestdo.learners.argmax breaks ties without regard to the order",
        )


def _plans(learner: Learner[Any], state: Any, shape: tuple[int, int, int], seed: int = 13) -> Floats:
    """float[C, L, A]: the plan of each copy of each lane; zeros where all have finished."""
    plan = learner.ask(state, Request(), np.random.default_rng(seed))
    return np.zeros(shape) if plan is None else np.asarray(plan.counts, float).reshape(shape)


def _differ(a: Floats, b: Floats) -> tuple[int, int] | None:
    """The lane and action of which the mean counts in two samples, float[C, L, A], differ by more than chance; else None."""
    apart = np.abs(a.mean(axis=0) - b.mean(axis=0))
    wrong = apart > _SIGMAS * np.sqrt(np.concatenate([a, b]).var(axis=0) * 2 / len(a))
    if not wrong.any():
        return None
    lane, action = np.argwhere(wrong)[0]
    return int(lane), int(action)
