"""The parts of the reasons that learners give for a round which several of them share."""

from __future__ import annotations

from bestdo.bandit.problem import Problem
from bestdo.causal.action import do
from bestdo.causal.doubt_effects import identified_in
from bestdo.memory_cache import memory_cache
from bestdo.statistics.seen import Seen

__all__ = ["NOT_PLAYED", "bound_words", "still_in", "watching"]

NOT_PLAYED = "not played yet, and every action is played once first"


def watching(problem: Problem) -> str:
    """The reason for a round of do(): how many actions it teaches about."""
    teaches = _taught_by_watching(problem)
    return f"watching: this teaches about {teaches} actions at once" if teaches else "watching"


def bound_words(problem: Problem) -> tuple[str, str]:
    """The better end of an interval, and the best of several: "upper" and "highest", or "lower" and "lowest"."""
    direction = problem.graph.rewarded.scale.direction
    return direction.end, direction.extreme


def still_in(number: int) -> str:
    """The reason for a round of one of so many actions that are played equally often."""
    return (
        "the only action that is still in"
        if number == 1
        else f"one of {number} actions still in, all played equally often"
    )


@memory_cache
def _taught_by_watching(problem: Problem) -> int:
    """The number of actions that a round of do() teaches about: by seeing or, with hidden variables, by a formula.

    Where arrows are in doubt, it teaches about those whose means can be learned by watching in every possible graph.
    """
    seen = int(Seen(problem).seen_by[problem.actions.index(do())].sum()) - 1
    if not problem.graph.hidden:
        return seen
    where = identified_in(problem.graphs, problem.actions, problem.first)
    return max(seen, sum(one == "all" for one, action in zip(where, problem.actions, strict=True) if action))
