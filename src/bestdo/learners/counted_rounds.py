"""The rounds that are as good as a round of each action by the graph: its plays can be compared with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestdo.bandit.estimate import Estimates
from bestdo.bandit.learner import Learner, able, traits
from bestdo.learners.contextual import Contextual
from bestdo.learners.limited import Limited
from bestdo.learners.until_sure import UntilSure

__all__ = ["counted_rounds"]


def counted_rounds(learner: Learner[Any], state: Any, found: Estimates) -> NDArray[np.float64]:  # float[L, A]
    """The rounds that are as good as one of each action, its plays included; of pairs with the context, where there are any.

    `found` are the learner's estimates. Where rounds teach about other actions through tables, `seen` of these is what all
    rounds are worth together, and no number of rounds.
    """
    while isinstance(learner, Contextual | Limited | UntilSure):
        learner, state = learner.inner, state.inner
    return able(learner).counted(state) if traits(learner).believes else found.seen
