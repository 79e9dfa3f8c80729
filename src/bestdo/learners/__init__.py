"""Published algorithms, one per file, their registry, and the tools of authors of learners.

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
    registered,
    reservations,
    title,
    warning,
)

if TYPE_CHECKING:
    from bestdo.bandit.learner import Learner as Learner
    from bestdo.bandit.learner import argmax as argmax
    from bestdo.bandit.request import Request as Request
    from bestdo.bandit.rounds import Plan as Plan
    from bestdo.bandit.traits import Traits as Traits
    from bestdo.errors import NotValid as NotValid
    from bestdo.learners.count_state import Counts as Counts
    from bestdo.learners.count_state import add_block as add_block
    from bestdo.learners.count_state import beside as beside
    from bestdo.learners.count_state import best_mean as best_mean
    from bestdo.learners.count_state import means as means
    from bestdo.learners.count_state import once_each as once_each
    from bestdo.learners.count_state import play_once as play_once
    from bestdo.learners.count_state import played_statistic as played_statistic
    from bestdo.learners.count_state import split_evenly as split_evenly
    from bestdo.learners.count_state import start_counts as start_counts
    from bestdo.learners.count_state import wilson_estimates as wilson_estimates
    from bestdo.learners.parent_states import beside_states as beside_states
    from bestdo.learners.parent_states import best_by_states as best_by_states
    from bestdo.learners.parent_states import estimates_by_states as estimates_by_states
    from bestdo.learners.parent_states import listed_law as listed_law
    from bestdo.learners.parent_states import play_highest as play_highest
    from bestdo.learners.parent_states import start_states as start_states
    from bestdo.learners.parent_states import state_means as state_means
    from bestdo.learners.parent_states import states_statistic as states_statistic
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
    "registered",
    "reservations",
    "title",
    "warning",
]

_COUNTS, _STATES = "bestdo.learners.count_state", "bestdo.learners.parent_states"
_FOR_AUTHORS = {
    "Counts": _COUNTS,
    "Learner": "bestdo.bandit.learner",
    "NotValid": "bestdo.errors",
    "Plan": "bestdo.bandit.rounds",
    "Request": "bestdo.bandit.request",
    "Seen": "bestdo.statistics.seen",
    "Traits": "bestdo.bandit.traits",
    "UntilSure": "bestdo.learners.until_sure",
    "add_block": _COUNTS,
    "argmax": "bestdo.bandit.learner",
    "beside": _COUNTS,
    "beside_states": _STATES,
    "best_by_states": _STATES,
    "best_mean": _COUNTS,
    "estimates_by_states": _STATES,
    "listed_law": _STATES,
    "means": _COUNTS,
    "once_each": _COUNTS,
    "play_highest": _STATES,
    "play_once": _COUNTS,
    "played_statistic": _COUNTS,
    "split_evenly": _COUNTS,
    "start_counts": _COUNTS,
    "start_states": _STATES,
    "state_means": _STATES,
    "states_statistic": _STATES,
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
