"""The earnings of the rounds, in words; empty where the goal is to find the best action."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bestdo.bandit.confidence import interval_name

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer, Best
    from bestdo.bandit.earned import Earned

__all__ = ["earned_in_words", "earned_of_status", "earned_so_far", "in_sentences", "what_was_earned"]


def earned_in_words(answer: Answer) -> tuple[str, ...]:
    """The earnings by the time of an answer, and those that the best action would have brought."""
    return answer.problem.goal.columns(answer.earned.in_words)


def what_was_earned(best: Best) -> tuple[str, ...]:
    """The earnings by the time of a recommendation, and those that the best action would have brought."""
    return tuple(each.in_words for each in _earned(best))


def earned_so_far(best: Best) -> tuple[str, ...]:
    """The sum of all rewards, for a line in which there is room for that only."""
    return tuple(f"earned so far: {_total(each)}" for each in _earned(best))


def in_sentences(earned: Earned) -> str:
    """The earnings, and those that the best action would have brought, in one or two sentences."""
    if not earned.rounds:
        return "Nothing is earned yet."
    said = f"Earned so far: {_total(earned)}."
    if not math.isfinite(earned.expected):
        return said
    known = all(map(math.isfinite, (earned.low, earned.high)))
    interval = f" ({interval_name()} {earned.low:.3g} to {earned.high:.3g})" if known else ""
    unit = f" {earned.problem.graph.rewarded.summed_unit}".rstrip() + earned.problem.unit.same
    return f"{said} By what is known now, {earned.best} would have brought {earned.expected:.3g}{unit}{interval}."


def _total(earned: Earned) -> str:
    """The sum of the rewards, in words; "nothing yet" before the first round."""
    if not earned.rounds:
        return "nothing yet"
    return earned.problem.graph.rewarded.total(earned.total, earned.rounds)


def _earned(best: Best) -> tuple[Earned, ...]:
    """The earnings where every round counts."""
    return () if best.earned is None else (best.earned,)


def earned_of_status(status: Mapping[str, Any]) -> tuple[str, ...]:
    """The earnings, from the status of a study."""
    return (status["earned"]["in_words"],) if "earned" in status else ()
