"""Shows what is seen first as text: the variables, and a table of all contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestdo.report.writers.terminal import say, table
from bestdo.text import chance, counted, quoted

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer
    from bestdo.bandit.rule import InContext
    from bestdo.report.reward_scale import RewardScale

__all__ = ["show_contexts", "show_first"]

_MOST_ROWS = 40
"""Contexts in the table; JSON and `bestdo export --rule` have all of them. Chosen, not measured."""


def show_first(first: tuple[str, ...], contexts: int) -> None:
    """Prints what is seen before the action is chosen; nothing where nothing is."""
    if first:
        say(f"  seen first: {', '.join(map(quoted, first))} ({counted(contexts, 'context')}); the answer is a rule")


def show_contexts(answer: Answer, scale: RewardScale) -> None:
    """Prints a table of all contexts, the most frequent first."""
    rule = answer.rule
    rows = sorted(
        zip(rule.contexts, map(rule.problem.contexts.written, range(len(rule.contexts))), strict=True), key=_often
    )
    limits = rule.problem.limits
    mean = f"mean ({scale.unit})" if scale.unit else "mean"
    table(
        (
            "context",
            "share",
            "action",
            mean,
            "95 % interval",
            "P(best)",
            *limits.columns("keeps limits"),
            "rounds",
        ),
        [
            (
                context,
                f"{one.share:.2f}",
                str(one.action),
                scale.mean(one.mean),
                scale.interval(one.low, one.high),
                chance(one.p_best),
                *limits.columns(chance(one.keeps)),
                str(one.rounds),
            )
            for one, context in rows[:_MOST_ROWS]
        ],
    )
    for line in limits.columns("  P(best): that it is the best of those that keep all limits in the context"):
        say(line)
    if len(rows) > _MOST_ROWS:
        say(f"  and {counted(len(rows) - _MOST_ROWS, 'context')} more: bestdo export --rule FILE has all")


def _often(row: tuple[InContext, str]) -> float:
    """Sorts contexts, the most frequent first."""
    return -row[0].share
