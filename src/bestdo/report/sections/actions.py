"""The table of all actions: its order, its columns, what they mean, and the notes below it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from bestdo.bandit.confidence import interval_name
from bestdo.report.document_blocks import Line, Remark, Table
from bestdo.report.reward_scale import RewardScale, Written
from bestdo.report.sections import limits as about_limits
from bestdo.text import chance

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer
    from bestdo.bandit.estimate import Estimate
    from bestdo.bandit.limits import Limits

__all__ = ["NEVER_BEST", "SEEN", "Column", "action_columns", "action_table", "ranked"]

SEEN = "the rounds that tell about an action, its plays included; a round that tells a part counts as a part"
"""The meaning of the column `seen`: the rounds' worth, rounded."""
_DROPPED = "dropped: the learner no longer considers it, and keeps the best of the others"
NEVER_BEST = "by the graph another action is always at least as good"
"""The reason why an action cannot be the best."""


class Column(NamedTuple):
    """A column of the table of actions."""

    heading: str
    cell: Callable[[Estimate], str]
    about: str = ""
    """The contents of the column, where the heading does not say it; pages show them when the heading is pointed at."""


def ranked(lines: Iterable[Estimate], best: object, scale: RewardScale) -> tuple[Estimate, ...]:
    """The lines in the order of a table: the recommended action first, then by mean, the best first."""
    return tuple(sorted(lines, key=lambda line: (line.action != best, scale.rank(line.mean))))


def action_columns(scale: RewardScale, limits: Limits, written: Written = chance, count: str = "") -> dict[str, Column]:
    """The columns by their names; those of limits are there only with limits. `count` is the format of counts."""
    keeps = {"keeps": Column(about_limits.KEEPS, lambda one: written(one.keeps))}
    return {
        "action": Column("action", lambda one: f"{one.action} (dropped)" if one.dropped else str(one.action)),
        "mean": Column(scale.heading, lambda one: scale.mean(one.mean)),
        "interval": Column(interval_name(), lambda one: scale.interval(one.low, one.high)),
        "p_best": Column("P(best)", lambda one: one.standing(written)),
        **limits.fields(keeps),
        "played": Column("played", lambda one: f"{one.played:{count}}"),
        "seen": Column("seen", lambda one: f"{one.seen:{count}.0f}", SEEN),
    }


def action_table(answer: Answer, scale: RewardScale) -> list[Line]:
    """The table with a row for each action, and notes on its words."""
    lines, limits = ranked(answer.lines, answer.best.action, scale), answer.problem.limits
    columns = action_columns(scale, limits).values()
    notes = [
        *([_DROPPED] if any(one.dropped for one in lines) else []),
        *about_limits.what_best_means(limits),
        *([] if all(one.contender or one.retired for one in lines) else [_NEVER]),
    ]
    rows = [[column.cell(one) for column in columns] for one in lines]
    return [Table([column.heading for column in columns], rows), *map(Remark, notes)]


_NEVER = f"cannot be the best: {NEVER_BEST} (bestdo check says which)"
