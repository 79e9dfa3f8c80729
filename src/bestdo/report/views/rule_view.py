"""What a rule shows of itself: its lines, what it is worth, and what is known in each context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestdo.report.interval_pictures import interval_svg
from bestdo.report.reward_scale import RewardScale
from bestdo.report.sections.recommendation import lines_of, worth
from bestdo.report.views.card import Raw, bullets, card, code, paragraph, table
from bestdo.text import chance, counted

if TYPE_CHECKING:
    from bestdo.bandit.rule import Rule

__all__ = ["html", "parts", "rows"]

_MOST_ROWS = 12
"""The most contexts in a table; the others are counted. Chosen, not measured."""


def html(rule: Rule) -> str:
    """The rule in words and a table of contexts."""
    return card(paragraph(f"What to do, to make {rule.problem.graph.wanted}", "title"), *parts(rule))


def parts(rule: Rule) -> list[str]:
    """The lines of the rule, its worth and the contexts, for a card."""
    scale = RewardScale.of(rule.problem.graph, list(rule.contexts))  # type: ignore[arg-type]
    ranked, limits = sorted(rule.contexts, key=lambda one: -one.share), rule.problem.limits
    rows = [
        (
            ", ".join(f"{name} = {value}" for name, value in one.context.items()),
            code(one.action),
            scale.mean(one.mean),
            scale.interval(one.low, one.high),
            Raw(interval_svg(one.low, one.mean, one.high, False, scale.axis)),
            chance(one.p_best),
            *limits.columns(chance(one.keeps)),
            f"{one.share:.0%}",
            f"{one.rounds:,}",
        )
        for one in ranked[:_MOST_ROWS]
    ]
    keeps = limits.columns("keeps limits")
    heading = ("seen first", "action", "mean", "95 % interval", "", "P(best)", *keeps, "how often", "rounds")
    more = len(ranked) - len(rows)
    return [
        bullets(lines_of(rule)),
        paragraph(worth(rule, scale)),
        paragraph(f"{rule.about_limits[:1].upper()}{rule.about_limits[1:]}.") if rule.about_limits else "",
        table(heading, rows, caption=scale.label, texts=(1,)),
        paragraph(f"and {counted(more, 'more context')}: to_frame() has all", "soft") if more else "",
    ]


def rows(rule: Rule) -> list[dict[str, Any]]:
    """A row for each context: what is seen first, the action and what is known of it."""
    return [
        {
            **one.context,
            "action": str(one.action),
            **{n: v for n, v in one._asdict().items() if n not in ("context", "action", "keeps")},
            **rule.problem.limits.fields({"keeps_limits": one.keeps}),
        }
        for one in rule.contexts
    ]
