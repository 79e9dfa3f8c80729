"""The view of a graph: its drawing, or that of the part around the reward where it is large."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from bestdo.causal.graph import Graph
from bestdo.causal.graphs import Graphs, OneGraph
from bestdo.report.drawing import draw
from bestdo.report.views.card import Raw, card, paragraph
from bestdo.text import counted

__all__ = ["drawing", "drawing_card", "figure", "html"]

_MOST_DRAWN, _MOST_ARROWS = 60, 80
"""Variables and arrows of the largest graph that is drawn whole. The alarm network, with 37 and 46, takes 0.07 s, a random
graph of 60 and 113 takes 0.4 s."""
_NEAREST = (30, 20, 12, 8, 5)
"""The numbers of variables drawn of larger graphs, the reward and those nearest to it: the first number with few enough
arrows."""
_SMALLEST = 0.45
"""A drawing that has to be made smaller than this part of its size scrolls instead. Chosen, not measured."""
_WIDTH = 720.0
"""The width of drawings in pixels, unless they need more."""


def html(shown: Graph | Graphs) -> str:
    """The drawing, and what is left out of it."""
    graphs = OneGraph(shown) if isinstance(shown, Graph) else shown
    return card(*drawing(graphs), drawing=True)


def drawing(
    graphs: Graphs,
    settable: Collection[str] = (),
    positions: Mapping[str, tuple[float, float]] | None = None,
) -> list[str]:
    """The drawing as SVG and a sentence about what it leaves out, for a card with the style of drawings."""
    part, left_out = _part(graphs.graph)
    shown = [name for name in settable if name in part.names]
    picture = _scrolling(draw(part, shown, width=_WIDTH, styled=False, positions=positions, doubts=graphs.arrows))
    return [picture, paragraph(left_out, "soft") if left_out else Raw("")]


def drawing_card(svg: str) -> str:
    """The card of a drawing that has a style sheet of its own: the drawing in the colours of the notebook."""
    return card(_scrolling(re.sub(r"<style>.*?</style>", "", svg, count=1, flags=re.DOTALL)), drawing=True)


def _scrolling(svg: str) -> Raw:
    """The drawing, which is made smaller down to a part of its size where there is little room, and scrolls then."""
    natural = re.search(r'width="([\d.]+)"', svg)
    least = _SMALLEST * float(natural[1]) if natural else 0.0
    return Raw(f'<div class="bd-wide bd-drawing" style="--bd-least:{least:.0f}px">{svg}</div>')


def _part(graph: Graph) -> tuple[Graph, str]:
    """The graph or, where it is large, the part of it that is nearest to the reward, and what is left out in words."""
    if len(graph.names) <= _MOST_DRAWN and _arrows(graph) <= _MOST_ARROWS:
        return graph, ""
    start = graph.reward or graph.order[-1]
    nearest = [start]
    for name in nearest:  # grows while it is read
        nearest += [n for n in (*graph.parents[name], *graph.children[name]) if n not in nearest]
        if len(nearest) >= _NEAREST[0]:
            break
    part = graph
    for count in _NEAREST:
        part = graph.subgraph(nearest[:count])
        if _arrows(part) <= _MOST_ARROWS:
            break
    sizes = f"{counted(len(graph.names), 'variable')} and {counted(_arrows(graph), 'arrow')}"
    about = f"of {sizes}, the {len(part.names)} variables nearest to {start} are drawn"
    return part, f"{about}; bestdo.draw(graph) draws all"


def _arrows(graph: Graph) -> int:
    """The number of arrows of a graph."""
    return sum(map(len, graph.parents.values()))


def figure(
    shown: Graph | Graphs,
    settable: Collection[str] = (),
    positions: Mapping[str, tuple[float, float]] | None = None,
) -> Any:
    """The drawing as a figure of matplotlib."""
    from bestdo.report.graph_figure import graph_figure

    graphs = OneGraph(shown) if isinstance(shown, Graph) else shown
    part, _ = _part(graphs.graph)
    return graph_figure(part, [name for name in settable if name in part.names], positions, graphs.arrows)
