"""The view of the answer of `check`: sentences, and a table of the actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestdo.report.check_report import as_data
from bestdo.report.sections.check import words
from bestdo.report.sections.old_data import answers_in_words, answers_table, independences_in_words
from bestdo.report.views.card import Raw, bullets, card, code, paragraph, table
from bestdo.report.views.rows_frame import Rows
from bestdo.text import counted

if TYPE_CHECKING:
    from bestdo.data.data_check import DataCheck
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
_OF_DATA: dict[str, type] = {"mean": float, "low": float, "high": float, "rows": float}
"""The columns of old data about an action, where there are any."""


def html(outlook: Outlook) -> str:
    """The question, the answer in sentences, and how each action can be learned."""
    prices = outlook.problem.price_list
    lines = []
    for way in outlook.ways[:_MOST_ROWS]:
        never = outlook.never_best.get(way.intervention)
        can = f"no: {never.reason}" if never else "yes"
        lines.append((code(way.intervention), way.in_words, can, *prices.cells(way.intervention)))
    more = len(outlook.ways) - len(lines)
    heading = ("action", "how it can be learned", "can it be the best?", *prices.columns)
    return card(
        paragraph(f"Which action makes {outlook.problem.graph.wanted}?", "title"),
        bullets(words(outlook)),
        table(heading, lines, texts=(1, 2)),
        paragraph(f"and {counted(more, 'more action')}: to_frame() has all", "soft") if more else Raw(""),
        *([] if outlook.data is None else _of_data(outlook.data)),
    )


def _of_data(found: DataCheck) -> list[Raw]:
    """The answers of old data: how they were read, each action's mean, and whether they agree with the graph."""
    heading, lines = answers_table(found.answers)
    said = [*found.notes, *answers_in_words(found.conclusion), *independences_in_words(found)]
    return [
        paragraph(f"The data: {counted(found.rows, 'row')}", "title"),
        table(heading, [(code(action), *rest) for action, *rest in lines[:_MOST_ROWS]], texts=(4,)),
        bullets(said),
    ]


def rows(outlook: Outlook) -> Rows:
    """A row for each action: how it can be learned, whether it can be the best, and what old data say of it."""
    data = as_data(outlook)
    told = [{**row, "adjust_for": ", ".join(row["adjust_for"]) or None} for row in data["actions"]]
    columns = _COLUMNS
    if "data" in data:
        columns = _COLUMNS | _OF_DATA
        told = [
            {**row, **{n: said[n] for n in _OF_DATA}} for row, said in zip(told, data["data"]["actions"], strict=True)
        ]
    return Rows([{name: row[name] for name in columns} for row in told], columns)
