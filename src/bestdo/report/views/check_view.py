"""What the answer of `check` shows of itself: sentences, and a table of the actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestdo.report.check_report import as_data, words
from bestdo.report.views.card import Raw, bullets, card, code, paragraph, table
from bestdo.report.views.rows_frame import Rows
from bestdo.text import counted

if TYPE_CHECKING:
    from bestdo.usecases.check import Outlook

__all__ = ["html", "rows"]

_MOST_ROWS = 25
"""The most actions in a table; the others are counted. Chosen, not measured."""
_COLUMNS: dict[str, type] = {
    "action": str,
    "cost": float,
    "learned_by": str,
    "adjust_for": str,
    "formula": str,
    "can_be_best": bool,
    "never_best_because": str,
}


def html(outlook: Outlook) -> str:
    """The question, the answer in sentences, and how each action can be learned."""
    cost = outlook.problem.cost
    lines = []
    for i, way in enumerate(outlook.ways[:_MOST_ROWS]):
        never = outlook.never_best.get(way.intervention)
        can = f"no: {never.reason}" if never else "yes"
        lines.append((code(way.intervention), way.in_words, can, *([f"{cost[i]:g}"] if cost else [])))
    more = len(outlook.ways) - len(lines)
    heading = ("action", "how it can be learned", "can it be the best?", *(("cost",) if cost else ()))
    return card(
        paragraph(f"Which action makes {outlook.problem.graph.goal}?", "title"),
        bullets(words(outlook)),
        table(heading, lines, texts=(1, 2)),
        paragraph(f"and {counted(more, 'more action')}: to_frame() has all", "soft") if more else Raw(""),
    )


def rows(outlook: Outlook) -> Rows:
    """A row for each action: how it can be learned, and whether it can be the best."""
    found = as_data(outlook)["actions"]
    told = [{**row, "adjust_for": ", ".join(row["adjust_for"]) or None} for row in found]
    return Rows([{name: row[name] for name in _COLUMNS} for row in told], _COLUMNS)
