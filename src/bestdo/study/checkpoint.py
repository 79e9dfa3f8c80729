"""The state of a learner as JSON, for the checkpoint beside the log."""

from __future__ import annotations

from base64 import b64decode, b64encode
from functools import lru_cache
from typing import Any

import numpy as np

from bestdo.bandit.learner import Ties
from bestdo.bandit.problem import Problem
from bestdo.study.settings import Settings

__all__ = ["dump_state", "load_state", "state_version"]

_Array = np.ndarray[Any, Any]

_PLAIN = (int, float, str, bool)
"""The types of values that JSON has as they are."""
_SUMS = 9
"""The version of the sums in states; raised when those of a learner change, so that older checkpoints are not used."""


@lru_cache(maxsize=1)
def _bestdo_version() -> str:
    """The version of the installed library."""
    from importlib.metadata import version

    return version("bestdo")


def state_version(settings: Settings) -> str:
    """A text that changes with everything that a state depends on besides the log; other checkpoints are not used."""
    learner = f"{settings.learner} {settings.parameters} {settings.horizon} {settings.watched}"
    trusting = not (settings.contradicted or settings.repairs)
    return f"{_bestdo_version()}/{_SUMS} {learner} {settings.until_sure} {trusting}"


def dump_state(value: Any, seen: list[_Array]) -> Any:
    """A state, or a part of one, as data for JSON: arrays in base64, each only once; None for what `start` returns again.

    `seen` collects the arrays so far; it is empty at first.
    """
    if isinstance(value, np.ndarray):
        for place, other in enumerate(seen):
            if other is value:
                return {"same": place}
        seen.append(value)
        return {"array": value.dtype.str, "shape": value.shape, "base64": b64encode(value.tobytes()).decode()}
    if isinstance(value, tuple):
        return [dump_state(part, seen) for part in value]
    return value if isinstance(value, _PLAIN) else None


def load_state(first: Any, data: Any, seen: list[_Array]) -> Any:
    """The state that `dump_state` wrote: the first state, of `start`, with the arrays and numbers of the data."""
    if isinstance(data, dict):
        if "same" in data:
            return seen[data["same"]]
        seen.append(np.frombuffer(b64decode(data["base64"]), data["array"]).reshape(data["shape"]).copy())
        return seen[-1]
    if isinstance(first, Problem | Ties) or data is None:
        return first
    if isinstance(first, tuple):
        same = len(first) == len(data)
        parts = [load_state(b if same else None, d, seen) for b, d in zip(first if same else data, data, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    return tuple(load_state(None, d, seen) for d in data) if isinstance(data, list) else data
