"""The variables seen first, and the knowledge in each context, in words and as a table.

Every function but the table returns nothing where nothing is seen first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from bestdo.bandit.confidence import interval_name
from bestdo.report.document_blocks import Line, Remark, Table
from bestdo.report.reward_scale import RewardScale, Written
from bestdo.report.sections import limits as about_limits
from bestdo.text import chance, counted, quoted

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer
    from bestdo.bandit.problem import Problem
    from bestdo.bandit.rule import InContext, Rule

__all__ = [
    "asked_for",
    "beside_rule",
    "by_frequency",
    "context_columns",
    "context_table",
    "explained",
    "seen_first",
]

_MOST_ROWS = 40
"""Contexts in the table; JSON and `bestdo export --rule` have all of them. Chosen, not measured."""


class _ContextColumn(NamedTuple):
    """A column of the table of contexts."""

    heading: str
    cell: Callable[[InContext], str]


def seen_first(problem: Problem) -> tuple[Remark, ...]:
    """The variables seen before the action is chosen."""
    listed, count = ", ".join(map(quoted, problem.first)), counted(len(problem.contexts), "context")
    return problem.contexts.columns(Remark(f"seen first: {listed} ({count}); the answer is a rule"))


def asked_for(problem: Problem) -> tuple[str, ...]:
    """The subject of the answer, in a report."""
    listed = " and ".join(problem.first)
    return problem.contexts.columns(f" An answer for each {listed}, seen before the action is chosen.")


def beside_rule(problem: Problem) -> tuple[str, ...]:
    """The heading of a table of single actions that stands beside a rule."""
    return problem.contexts.columns("The same for everybody")


def explained(problem: Problem) -> tuple[str, ...]:
    """The variables seen first, for a problem of which nothing is known yet."""
    listed, count = ", ".join(map(quoted, problem.first)), counted(len(problem.contexts), "context")
    return problem.contexts.columns(
        f"Seen before the action is chosen: {listed} ({count}). The answer is a rule, an action for each."
    )


def by_frequency(rule: Rule) -> list[InContext]:
    """The actions of a rule in each context, the most frequent one first."""
    return sorted(rule.contexts, key=lambda one: -one.share)


def context_columns(rule: Rule, scale: RewardScale, written: Written = chance) -> dict[str, _ContextColumn]:
    """The columns of what is known in a context, by their names; those of limits are there only with limits."""
    limits = rule.problem.kept_limits.in_each
    return {
        "action": _ContextColumn("action", lambda one: str(one.action)),
        "mean": _ContextColumn(scale.heading, lambda one: scale.mean(one.mean)),
        "interval": _ContextColumn(interval_name(), lambda one: scale.interval(one.low, one.high)),
        "p_best": _ContextColumn("P(best)", lambda one: written(one.p_best)),
        **limits.fields({"keeps": _ContextColumn(about_limits.KEEPS, lambda one: written(one.keeps))}),
    }


def context_table(answer: Answer, scale: RewardScale) -> list[Line]:
    """The table with a row for each context, the most frequent one first, and notes on its words."""
    rule = answer.rule
    columns = context_columns(rule, scale).values()
    names = dict(
        zip(map(id, rule.contexts), map(rule.problem.contexts.written, range(len(rule.contexts))), strict=True)
    )
    rows = [
        [names[id(one)], f"{one.share:.2f}", *(column.cell(one) for column in columns), str(one.rounds)]
        for one in by_frequency(rule)
    ]
    more = len(rows) - _MOST_ROWS
    notes = [
        *about_limits.what_best_means(rule.problem.kept_limits.in_each, " in the context"),
        *([f"and {counted(more, 'context')} more: bestdo export --rule FILE has all"] if more > 0 else []),
    ]
    heads = ["context", "share", *(column.heading for column in columns), "rounds"]
    return [Table(heads, rows[:_MOST_ROWS]), *map(Remark, notes)]
