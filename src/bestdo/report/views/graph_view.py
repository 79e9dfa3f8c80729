"""What a graph shows of itself: its drawing, or that of the part around the reward where it is large."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from bestdo.report.drawing import draw
from bestdo.report.views.card import Raw, card, listed, paragraph
from bestdo.text import counted

if TYPE_CHECKING:
    from bestdo.causal.graph import Graph

__all__ = ["drawing", "figure", "html"]

_MOST_DRAWN = 60
"""Variables of the largest graph that is drawn whole: with 60 it takes 0.03 s. Chosen by what can be read."""
_NEAREST = 30
"""Of larger graphs, so many variables are drawn, the reward and what is nearest to it."""
_MOST_ARROWS = 200
"""Arrows of the largest graph that is drawn."""
_WIDTH = 720.0
"""The width of drawings in pixels, unless they need more."""


def html(graph: Graph) -> str:
    """The drawing, and what is left out of it."""
    return card(*drawing(graph), drawing=True)


def drawing(
    graph: Graph, settable: Collection[str] = (), positions: Mapping[str, tuple[float, float]] | None = None
) -> list[str]:
    """The drawing as SVG and a sentence about what it leaves out, for a card with the style of drawings."""
    part, left_out = _part(graph)
    arrows = sum(map(len, part.parents.values()))
    if arrows > _MOST_ARROWS:
        said = f"{counted(len(graph.names), 'variable')} and {counted(arrows, 'arrow')}: too many to be drawn here"
        return [paragraph(said, "soft"), paragraph(listed(graph.names), "soft")]
    shown = [name for name in settable if name in part.names]
    picture = Raw(draw(part, shown, width=_WIDTH, styled=False, positions=positions))
    return [picture, paragraph(left_out, "soft") if left_out else Raw("")]


def _part(graph: Graph) -> tuple[Graph, str]:
    """The graph or, where it is large, the part of it that is nearest to the reward, and what is left out in words."""
    if len(graph.names) <= _MOST_DRAWN:
        return graph, ""
    start = graph.reward or graph.order[-1]
    near = [start]
    for name in near:  # grows while it is read: causes before effects
        near += [n for n in (*graph.parents[name], *graph.children[name]) if n not in near]
        if len(near) >= _NEAREST:
            break
    part = graph.subgraph(near[:_NEAREST])
    about = f"the {len(part.names)} nearest to {start} are drawn of {counted(len(graph.names), 'variable')}"
    return part, f"{about}; bestdo.draw(graph) draws all"


def figure(
    graph: Graph, settable: Collection[str] = (), positions: Mapping[str, tuple[float, float]] | None = None
) -> Any:
    """The drawing as a figure of matplotlib."""
    from bestdo.report.graph_figure import graph_figure

    return graph_figure(_part(graph)[0], settable, positions)
