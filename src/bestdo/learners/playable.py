"""Plans of actions that may be played: those of a problem's retired actions go to others, whichever learner made them."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestdo.bandit.learner import Learner
from bestdo.bandit.problem import SLACK, Problem
from bestdo.bandit.request import Request
from bestdo.bandit.rounds import Plan
from bestdo.learners.count_state import split_evenly

__all__ = ["ask_playable"]


def ask_playable(
    learner: Learner[Any], problem: Problem, state: Any, request: Request, rng: np.random.Generator
) -> Plan | None:
    """The plan of a learner for a request, without the actions that may not be played (`Problem.playable`).

    Learners that choose keep to `Request.allowed`. Rounds of retired actions in the plans of others, as the watching of
    Algorithm 1, are divided evenly between the actions that can be the best: as many as cost no more, but one at least.
    """
    if not problem.retired:
        return learner.ask(state, request, rng)
    about = tuple(some & problem.contenders for some in request.about)
    plan = learner.ask(state, request._replace(allowed=request.allowed & problem.playable, about=about), rng)
    if plan is None:
        return None
    among, out = problem.contenders, np.where(problem.playable, 0, plan.counts)
    rounds = np.asarray(np.floor(problem.price(out) / problem.prices[among].max() + SLACK), np.int64)
    rounds = np.maximum(rounds, out.any(axis=1))
    moved = split_evenly(rounds, np.broadcast_to(among, plan.counts.shape), rng)
    return Plan(plan.counts - out + moved)
