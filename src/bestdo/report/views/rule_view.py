"""The view of a rule: its lines, its worth, and the knowledge in each context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestdo.report.interval_pictures import interval_svg
from bestdo.report.reward_scale import RewardScale
from bestdo.report.sections.contexts import by_frequency, context_columns
from bestdo.report.sections.recommendation import lines_of, worth
from bestdo.report.views.card import Raw, bullets, card, code, paragraph, table
from bestdo.text import counted, sentence

if TYPE_CHECKING:
    from bestdo.bandit.rule import Rule

__all__ = ["html", "parts", "rows"]

_MOST_ROWS = 12
"""The most contexts in a table; the others are counted. Chosen, not measured."""
_LEADING = ("action", "mean", "interval")
"""The columns in front of the picture of the interval."""
_FIELDS = ("mean", "low", "high", "p_best", "played", "share", "rounds")
"""The knowledge about the action in a context, as columns of a data frame."""


def html(rule: Rule) -> str:
    """The rule in words and a table of contexts."""
    return card(paragraph(f"What to do, to make {rule.problem.graph.wanted}", "title"), *parts(rule))


def parts(rule: Rule) -> list[str]:
    """The lines of the rule, its worth and the contexts, for a card."""
    scale = RewardScale.of(rule.problem.graph, list(rule.contexts))  # type: ignore[arg-type]
    columns, ranked = context_columns(rule, scale), by_frequency(rule)
    rest = [column for name, column in columns.items() if name not in _LEADING]
    rows = [
        (
            ", ".join(f"{name} = {value}" for name, value in one.context.items()),
            code(one.action),
            *(columns[name].cell(one) for name in ("mean", "interval")),
            Raw(interval_svg(one.low, one.mean, one.high, False, scale.axis)),
            *(column.cell(one) for column in rest),
            f"{one.share:.0%}",
            f"{one.rounds:,}",
        )
        for one in ranked[:_MOST_ROWS]
    ]
    leading = ("seen first", "action", "mean", columns["interval"].heading, "")
    heading = (*leading, *(column.heading for column in rest), "how often", "rounds")
    more = len(ranked) - len(rows)
    return [
        bullets(lines_of(rule)),
        paragraph(worth(rule, scale)),
        *(paragraph(sentence(about)) for about in rule.problem.limits.columns(rule.about_limits)),
        table(heading, rows, caption=scale.label, texts=(1,)),
        paragraph(f"and {counted(more, 'more context')}: to_frame() has all", "soft") if more else "",
    ]


def rows(rule: Rule) -> list[dict[str, Any]]:
    """A row for each context: what is seen first, the action and what is known of it."""
    return [
        {
            **one.context,
            "action": str(one.action),
            **{name: getattr(one, name) for name in _FIELDS},
            **rule.problem.kept_limits.in_each.fields({"keeps_limits": one.keeps}),
        }
        for one in rule.contexts
    ]
