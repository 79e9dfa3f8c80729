"""Draws a graph as a figure of matplotlib, laid out as the SVG drawing is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bestdo.causal.action import do
from bestdo.causal.doubt_kinds import EITHER_WAY
from bestdo.data.optional_libraries import matplotlib
from bestdo.report.drawing.document import arrange, doubtful_arrows
from bestdo.report.drawing.strokes import middle_of
from bestdo.report.drawing.style import LIGHT
from bestdo.report.figure_style import STYLE
from bestdo.report.notebook_figure import notebook_figure
from bestdo.text import chance

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bestdo.causal.doubts import Doubt
    from bestdo.causal.graph import Graph
    from bestdo.report.drawing.nodes import Node
    from bestdo.report.drawing.routes import Box, Route

__all__ = ["graph_figure"]

_PIXELS = 96.0
"""Pixels of the drawing in an inch of the figure."""
_MARGIN = 12.0
"""The margin around the drawing, in pixels."""
_WIDTH = 720.0
"""The width of drawings in pixels, unless they need more."""
_POINT = 72 / _PIXELS
"""Points in a pixel, for the sizes of fonts."""


def graph_figure(
    graph: Graph,
    settable: Collection[str] = (),
    positions: Mapping[str, tuple[float, float]] | None = None,
    doubts: Iterable[Doubt] = (),
) -> Figure:
    """The drawing of a graph as a figure: causes above effects or as placed, the reward and settable variables coloured.

    Doubtful arrows are dashed and say their probability.
    """
    doubtful = doubtful_arrows(doubts)
    nodes, joins, layout = arrange(graph, settable, do(), _WIDTH, None, positions)
    wide, high = layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN
    with matplotlib().rc_context(STYLE):
        figure = notebook_figure((wide / _PIXELS, high / _PIXELS))
        figure.set_layout_engine("none")
        ax = figure.add_axes((0, 0, 1, 1))
        ax.set_xlim(-_MARGIN, layout.width + _MARGIN)
        ax.set_ylim(layout.height + _MARGIN, -_MARGIN)
        ax.set_axis_off()
        for (a, b, both), route in zip(joins, layout.routes, strict=True):
            _draw_arrow(ax, route, both, doubtful.get((frozenset((a, b)), both)))
        for node, box in zip(nodes, layout.boxes, strict=True):
            _draw_node(ax, node, box)
        return figure


def _draw_arrow(ax: Axes, route: Route, both: bool, doubt: Doubt | None) -> None:
    """Draws a curve with its head, with two heads and dotted for a hidden common cause, dashed where it is in doubt."""
    from matplotlib.patches import FancyArrowPatch
    from matplotlib.path import Path

    path = Path([(p.x, p.y) for p in route], [Path.MOVETO, *[Path.CURVE4] * (len(route) - 1)])
    colour = LIGHT["veil" if both else "line"]
    heads = "<|-|>" if both else "-|>"
    line: Any = (0, (1.2, 2.2)) if both else "solid"
    if doubt is not None:
        line = line if both else (0, (5, 3.5))
        heads = "-" if doubt.kind in EITHER_WAY else heads
        at = middle_of(route)
        box = {"facecolor": LIGHT["ground"], "edgecolor": "none", "pad": 1}
        said: dict[str, Any] = {
            "size": 11 * _POINT,
            "color": LIGHT["soft"],
            "ha": "center",
            "va": "center",
            "bbox": box,
            "zorder": 3,
        }
        ax.text(at.x, at.y, chance(doubt.probability), **said)
    ax.add_patch(
        FancyArrowPatch(
            path=path,
            arrowstyle=heads,
            mutation_scale=10,
            color=colour,
            linewidth=1.2,
            linestyle=line,
            shrinkA=0,
            shrinkB=0,
        )
    )


def _draw_node(ax: Axes, node: Node, box: Box) -> None:
    """Draws a variable as a box with its name and its values."""
    from matplotlib.patches import FancyBboxPatch

    fill, edge = LIGHT["box"], LIGHT["border"]
    if "reward" in node.marks:
        fill, edge = LIGHT["sand"], LIGHT["gold"]
    elif "settable" in node.marks:
        fill, edge = LIGHT["sky"], LIGHT["blue"]
    hidden = "hidden" in node.marks
    radius = box.height / 2 if "reward" in node.marks else 10.0
    ax.add_patch(
        FancyBboxPatch(
            (box.x - box.width / 2, box.top),
            box.width,
            box.height,
            boxstyle=f"round,pad=0,rounding_size={radius}",
            facecolor=LIGHT["ground"] if hidden else fill,
            edgecolor=LIGHT["veil"] if hidden else edge,
            linestyle="dashed" if hidden else "solid",
        )
    )
    text: dict[str, Any] = {"ha": "center", "va": "center"}
    ax.text(box.x, box.y - 8, node.label, size=13 * _POINT, weight="bold", color=LIGHT["ink"], **text)
    ax.text(box.x, box.y + 10, node.note, size=11 * _POINT, color=LIGHT["soft"], **text)
