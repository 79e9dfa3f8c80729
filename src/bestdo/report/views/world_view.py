"""The view of a world: its problem, and the true mean of each action."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestdo.causal.graphs import OneGraph
from bestdo.report.interval_pictures import share_svg
from bestdo.report.reward_scale import axis_of
from bestdo.report.views import graph_view
from bestdo.report.views.card import Raw, card, code, paragraph, table
from bestdo.text import counted

if TYPE_CHECKING:
    from bestdo.simulate.world import World

__all__ = ["html"]

_MOST_ROWS = 12
"""The most actions in a table; the others are counted. Chosen, not measured."""
_MOST_MEANS = 200
"""The most actions of a problem whose true means are worked out, which may take long. Chosen, not measured."""


def html(world: World) -> str:
    """The drawing, and the actions with the best true means."""
    graph, actions = world.problem.graph, world.problem.actions
    settable = set[str]().union(*actions)
    parts = [
        paragraph(f"A world in which to find what makes {graph.wanted}", "title"),
        *graph_view.drawing(OneGraph(graph), settable),
    ]
    if len(actions) > _MOST_MEANS:
        return card(
            *parts,
            paragraph(f"{counted(len(actions), 'action')}; world.means has their true means", "soft"),
            drawing=True,
        )
    least, most = axis_of(graph, world.means.tolist()).span
    order = (-world.gains).argsort(kind="stable")[:_MOST_ROWS]
    lines = [
        (code(actions[i]), f"{world.means[i]:.4g}", Raw(share_svg((world.means[i] - least) / (most - least))))
        for i in order
    ]
    more = len(actions) - len(lines)
    said = paragraph(f"and {counted(more, 'more action')} with worse means", "soft") if more else ""
    return card(
        *parts, table(("action", "true mean", ""), lines, caption=graph.rewarded.label, first=True), said, drawing=True
    )
