"""The view of a fixed plan: how often each action is played, and what for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestdo.report.sections.plan import plan_as_data
from bestdo.report.views import design_view
from bestdo.report.views.card import card, code, paragraph, table
from bestdo.text import counted

if TYPE_CHECKING:
    from bestdo.usecases.design import FixedPlan

__all__ = ["figure", "html", "rows"]

_MOST_ROWS = 20
"""The most actions in a table; the others are counted. Chosen, not measured."""


def html(plan: FixedPlan) -> str:
    """The plan as a table, the most played action first."""
    data = plan_as_data(plan)
    found = sorted(data["actions"], key=lambda row: -row["eta"])
    lines = [(code(r["action"]), f"{r['eta']:.1%}", f"{r['rounds']:,}", r["what_for"]) for r in found[:_MOST_ROWS]]
    more = len(found) - len(lines)
    return card(
        paragraph(f"An optimal fixed plan of {counted(data['rounds'], 'round')}{plan.bill}", "title"),
        paragraph(design_view.proof(plan.design)),
        table(("action", "share", "rounds", "what for"), lines, texts=(3,)),
        paragraph(f"and {counted(more, 'more action')}: to_frame() has all", "soft") if more else "",
    )


def rows(plan: FixedPlan) -> list[dict[str, Any]]:
    """A row for each action that is played."""
    return [dict(row) for row in plan_as_data(plan)["actions"]]


def figure(plan: FixedPlan) -> Any:
    """The shares of the actions as bars."""
    return design_view.figure(plan.design)
