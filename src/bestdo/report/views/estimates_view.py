"""The view of estimates: a table with bars, a row for each action, the intervals."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from bestdo.bandit.estimate import Estimates, of_each
from bestdo.errors import NotValid
from bestdo.report.interval_pictures import interval_svg
from bestdo.report.reward_scale import RewardScale
from bestdo.report.sections.actions import Column, action_columns, ranked
from bestdo.report.sections.recommendation import TOO_EARLY, figures
from bestdo.report.views.card import Raw, card, code, paragraph, table
from bestdo.text import capital, counted

if TYPE_CHECKING:
    from bestdo.bandit.answer import Answer
    from bestdo.bandit.estimate import Estimate
    from bestdo.usecases.estimate import SheetEstimate

__all__ = ["figure", "html", "parts", "recommendation", "rows", "table_of"]

_MOST_ROWS = 20
"""The most actions in a table; the others are counted. Chosen, not measured."""
_LEADING = ("action", "mean", "interval")
"""The columns in front of the picture of the interval."""


def _estimates(shown: Estimates | Answer | SheetEstimate) -> Estimates:
    """The estimates themselves."""
    return shown if isinstance(shown, Estimates) else shown.estimates


def html(shown: Estimates | Answer | SheetEstimate) -> str:
    """The recommendation and a table with a bar for each interval."""
    found = _estimates(shown)
    if found.actions is None or found.best is None:
        return card(paragraph(repr(found)))
    return card(*parts(found, _MOST_ROWS))


def parts(found: Estimates, most: int) -> list[str]:
    """The question, the recommendation and the table of at most so many actions, for a card."""
    assert found.actions is not None
    graph = found.actions.graph
    return [paragraph(f"Which action makes {graph.wanted}?", "title"), recommendation(found), table_of(found, most)]


def _ranked(found: Estimates) -> tuple[RewardScale, tuple[Estimate, ...]]:
    """The scale, and the estimates: the recommended action first, then by their means."""
    assert found.actions is not None
    assert found.best is not None
    lines = of_each(found, found.actions)
    scale = RewardScale.of(found.actions.graph, lines)
    return scale, ranked(lines, found.actions[found.best], scale)


def recommendation(found: Estimates) -> Raw:
    """One sentence: the recommended action, or the best single one beside a rule, with its mean and interval."""
    if not (found.seen.any() or found.played.any()):
        return paragraph(TOO_EARLY, "soft")
    scale, (best, *_) = _ranked(found)
    kept = Raw(f'<span class="bd-good">{code(best.action)}</span>') if best.known else code(best.action)
    return paragraph(Raw(f"{capital(found.words.single)}{kept}: {escape(figures(best, scale))}"))


def table_of(found: Estimates, most: int) -> Raw:
    """The table of at most so many actions, the recommended one first."""
    scale, lines = _ranked(found)
    columns = action_columns(scale, found.limits, count=",")
    dropped = ("",) if found.dropped is not None else ()
    rows = [
        (
            code(one.action),
            *(columns[name].cell(one) for name in ("mean", "interval")),
            Raw(interval_svg(one.low, one.mean, one.high, i == 0, scale.axis)),
            *(column.cell(one) for name, column in columns.items() if name not in _LEADING),
            *("dropped" if one.dropped else mark for mark in dropped),
        )
        for i, one in enumerate(lines[:most])
    ]
    ends = (f"<span>{escape(end)}</span>" for end in (scale.axis.labels[0], scale.axis.labels[-1]))
    axis = Raw(f'<span class="bd-axis">{"".join(ends)}</span>')
    rest = [headed(column) for name, column in columns.items() if name not in _LEADING]
    heading = ("action", "mean", columns["interval"].heading, axis, *rest, *dropped)
    shown = table(heading, rows, caption=scale.label, first=True)
    more = len(lines) - len(rows)
    return Raw(shown + paragraph(f"and {counted(more, 'more action')}: to_frame() has all", "soft")) if more else shown


def headed(column: Column) -> Raw:
    """The heading of a column, with what it means where the heading does not say it."""
    heading = escape(column.heading)
    return Raw(f'<span title="{escape(capital(column.about))}">{heading}</span>' if column.about else heading)


def rows(shown: Estimates | Answer | SheetEstimate) -> list[dict[str, Any]]:
    """A row for each action, in the order of the actions; without their names, one for each lane and number."""
    found = _estimates(shown)
    if found.actions is not None:
        return [
            {**{name: v for name, v in one.as_data().items() if name != "set"}, found.words.mark: i == found.best}
            for i, one in enumerate(of_each(found, found.actions))
        ]
    arrays = {name: getattr(found, name).tolist() for name in ("mean", "low", "high", "p_best", "seen", "played")}
    lanes, count = found.mean.shape
    return [
        {"lane": lane, "action": a, **{name: by[lane][a] for name, by in arrays.items()}}
        for lane in range(lanes)
        for a in range(count)
    ]


def figure(shown: Estimates | Answer | SheetEstimate) -> Any:
    """The intervals as a figure of matplotlib, the recommended action first."""
    from bestdo.report.estimate_plot import intervals_figure

    found = _estimates(shown)
    if found.actions is None or found.best is None:
        raise NotValid("these estimates do not name their actions, as those of a study do: study.estimates().plot()")
    return intervals_figure(found)
