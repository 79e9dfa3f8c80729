"""Which learner suits a problem, and why, when nobody says."""

from __future__ import annotations

from bestdo.bandit.problem import Problem
from bestdo.bandit.statistic import Seen, require_law
from bestdo.causal.action import do
from bestdo.errors import NotValid

__all__ = ["choose"]


def choose(problem: Problem, horizon: float) -> tuple[str, str]:
    """The learner's name, and the reason in one sentence."""
    actions = len(problem.actions)
    try:
        require_law(problem, "Algorithm 2")
        return "algorithm-2", "the law of the reward's parents is known: every round teaches about every action"
    except NotValid:
        pass
    try:
        Seen(problem).require("Algorithm 1")
        if do() in problem.actions:
            return (
                "algorithm-1",
                "seeing is as good as doing here: half of the rounds watch and teach about all actions",
            )
    except NotValid:
        pass
    if horizon > actions:
        return (
            "sequential-halving",
            f"what is seen cannot be trusted here, so the {actions} actions are played and halved",
        )
    return "uniform", f"there are fewer rounds than actions ({horizon:g} and {actions}): each is played at most once"
