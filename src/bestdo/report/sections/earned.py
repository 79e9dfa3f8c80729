"""The earnings of the rounds, in words; empty where the goal is to find the best action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer, Best
    from bestdo.bandit.earned import Earned

__all__ = ["earned_in_words", "earned_of_status", "earned_so_far", "what_was_earned"]


def earned_in_words(answer: Answer) -> tuple[str, ...]:
    """The earnings by the time of an answer, and those that the best action would have brought."""
    return answer.problem.goal.columns(answer.earned.in_words)


def what_was_earned(best: Best) -> tuple[str, ...]:
    """The earnings by the time of a recommendation, and those that the best action would have brought."""
    return tuple(each.in_words for each in _earned(best))


def earned_so_far(best: Best) -> tuple[str, ...]:
    """The sum of all rewards, for a line in which there is room for that only."""
    return tuple(f"earned so far: {each.so_far}" for each in _earned(best))


def _earned(best: Best) -> tuple[Earned, ...]:
    """The earnings where every round counts."""
    return () if best.earned is None else (best.earned,)


def earned_of_status(status: Mapping[str, Any]) -> tuple[str, ...]:
    """The earnings, from the status of a study."""
    return (status["earned"]["in_words"],) if "earned" in status else ()
