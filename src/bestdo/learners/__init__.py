"""One published algorithm per file, their registry, and what authors of learners need.

The classes of all learners, and the functions that many learners share, are imported when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from bestdo.learners.registry import (
    LEARNERS,
    Entry,
    by_title,
    descriptions,
    entry,
    learner,
    made_for_another_goal,
    name_and_parameters,
    names,
    title,
)

if TYPE_CHECKING:
    from bestdo.bandit.learner import Learner as Learner
    from bestdo.bandit.learner import argmax as argmax
    from bestdo.bandit.rounds import Plan as Plan
    from bestdo.learners.count_state import Counts as Counts
    from bestdo.learners.count_state import add_block as add_block
    from bestdo.learners.count_state import beside as beside
    from bestdo.learners.count_state import best_mean as best_mean
    from bestdo.learners.count_state import means as means
    from bestdo.learners.count_state import play_once as play_once
    from bestdo.learners.count_state import played_statistic as played_statistic
    from bestdo.learners.count_state import start_counts as start_counts
    from bestdo.learners.count_state import wilson_estimates as wilson_estimates
    from bestdo.learners.until_sure import UntilSure as UntilSure
    from bestdo.statistics.seen import Seen as Seen

__all__ = [
    "LEARNERS",
    "Entry",
    "by_title",
    "descriptions",
    "entry",
    "learner",
    "made_for_another_goal",
    "name_and_parameters",
    "names",
    "title",
]

_COUNTS = "bestdo.learners.count_state"
_FOR_AUTHORS = {
    "Counts": _COUNTS,
    "Learner": "bestdo.bandit.learner",
    "Plan": "bestdo.bandit.rounds",
    "Seen": "bestdo.statistics.seen",
    "UntilSure": "bestdo.learners.until_sure",
    "add_block": _COUNTS,
    "argmax": "bestdo.bandit.learner",
    "beside": _COUNTS,
    "best_mean": _COUNTS,
    "means": _COUNTS,
    "play_once": _COUNTS,
    "played_statistic": _COUNTS,
    "start_counts": _COUNTS,
    "wilson_estimates": _COUNTS,
}
"""The modules of what authors of learners need."""


def __getattr__(name: str) -> Any:
    if name in _FOR_AUTHORS:
        return getattr(importlib.import_module(_FOR_AUTHORS[name]), name)
    for known in LEARNERS.values():
        module, _, path = known.where.partition(":")
        if path == name:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module 'bestdo.learners' has no attribute {name!r}")
