"""The tools of checks of learners: lanes taken apart, actions in another order, and the comparison of states."""

from __future__ import annotations

import copy
import sys
import traceback
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.learner import Ties
from bestdo.bandit.problem import Problem
from bestdo.causal.action import Actions
from bestdo.errors import BestdoError

__all__ = ["BrokenContract", "equal", "failure", "one_lane", "relabelled", "require", "take_lanes"]

_SAME = 1e-12
"""Numbers that differ by less than this are the same: sums may be added in another order."""


class BrokenContract(BestdoError, AssertionError):
    """A learner does not do what simulations and studies rely on."""


def require(holds: bool, otherwise: str) -> None:
    """Raises BrokenContract with the message unless the condition holds."""
    if not holds:
        raise BrokenContract(otherwise)


def failure(learner: object, error: Exception) -> str:
    """The failure of a learner, with the file and line: the last in its own file, where the error came through that."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        frame
        for frame in frames
        if frame.filename == getattr(sys.modules.get(type(learner).__module__), "__file__", "")
    ]
    at = (own or frames)[-1]
    return f"{at.name} fails with {type(error).__name__}: {error} ({at.filename}, line {at.lineno}: {at.line})"


def relabelled(problem: Problem, order: NDArray[np.integer]) -> Problem:
    """The problem with its actions in another order."""
    actions = Actions(problem.graph, [problem.actions[int(i)] for i in order])
    law = None if problem.law is None else problem.law.with_actions(actions)
    return replace(problem, actions=actions, law=law, cost=problem.price_list.of_actions(actions))


def one_lane(value: Any, lane: int, lanes: int) -> Any:
    """A state, plan or tally with one of its lanes only."""
    return take_lanes(value, slice(lane, lane + 1), lanes)


def take_lanes(value: Any, which: slice | NDArray[np.integer], lanes: int) -> Any:
    """A state, plan or tally of these of its lanes, in this order; a lane may be taken several times."""
    if isinstance(value, np.ndarray):
        return value[which] if value.ndim and len(value) == lanes else value
    if isinstance(value, Ties):
        ties = copy.copy(value)
        ties.key = value.key[which]
        return ties
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(take_lanes(part, which, lanes) for part in value))
    if is_dataclass(value) and not isinstance(value, type | Problem):
        alone = copy.copy(value)
        for each in fields(value):
            object.__setattr__(alone, each.name, take_lanes(getattr(value, each.name), which, lanes))
        return alone
    return value


def equal(a: Any, b: Any) -> bool:
    """Whether two states, plans, tallies or parts of them hold the same numbers, up to rounding."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if np.issubdtype(a.dtype, np.floating):
            return a.shape == b.shape and bool(np.allclose(a, b, rtol=0, atol=_SAME, equal_nan=True))
        return a.shape == b.shape and bool((a == b).all())
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Ties):
        return equal(a.key, b.key)
    if is_dataclass(a) and not isinstance(a, type | Problem):
        return type(a) is type(b) and all(equal(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(equal(v, b[k]) for k, v in a.items())
    return isinstance(a, Problem) or bool(a == b)
