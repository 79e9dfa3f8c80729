"""Draws a graph as a stand-alone SVG document."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from bestdo.causal.action import Intervention, check_intervention
from bestdo.causal.doubt_kinds import EITHER_WAY, KINDS
from bestdo.causal.graph import BOTH, Graph
from bestdo.errors import TooLarge
from bestdo.report.drawing.by_hand import by_hand
from bestdo.report.drawing.layers import Arrow
from bestdo.report.drawing.layout import Layout, lay_out
from bestdo.report.drawing.legend import legend
from bestdo.report.drawing.lettering import elide, text_width
from bestdo.report.drawing.nodes import Node, Remark, node_of, node_svg
from bestdo.report.drawing.strokes import arrow_svg, number
from bestdo.report.drawing.style import STYLE

if TYPE_CHECKING:  # drawing needs no numpy
    from bestdo.causal.doubts import Doubt

__all__ = ["arrange", "doubtful_arrows", "draw"]

_MOST_VARIABLES, _MOST_ARROWS = 5_000, 20_000
"""The largest graph that is drawn: larger drawings take long and cannot be read."""
_MARGIN, _ABOVE_LEGEND, _NARROWEST_LEGEND = 24.0, 28.0, 300.0
"""The margin around the drawing, the space above the legend, and its least width, in pixels."""
_ABOVE_NOTE, _WIDEST_NOTE, _NOTE = 22.0, 520.0, 11.5
"""The space above the note that positions are not used, its most width, and the size of its text, as in `style.py`."""
_LIKELY = 0.5
"""The probability from which on the direction of an arrow that may point either way is drawn."""
_MOST_DESCRIBED = 60
"""The most arrows that the description in words lists."""


def draw(
    graph: Graph,
    settable: Collection[str] = (),
    do: Intervention | None = None,
    width: float = 960.0,
    remarks: Mapping[str, Remark] | None = None,
    styled: bool = True,
    positions: Mapping[str, tuple[float, float]] | None = None,
    doubts: Iterable[Doubt] = (),
    chances: Mapping[tuple[str, str, bool], float] | None = None,
) -> str:
    """The graph as SVG: causes above effects, the reward and settable variables marked, hidden variables dashed.

    With `do`, the variables that it sets are filled and the arrows into them are cut. Rows that would be much wider than
    `width` are divided. `remarks` are lines under the values of some variables. Without `styled` the drawing has no style
    sheet: it is for a page that includes `STYLE`. With `positions`, variables stand where a person has placed them (y grows
    downwards), as far apart as their boxes need; where that cannot be, the drawing says why. Arrows in `doubts`
    are dashed and say their probability; those that may point either way have no head.
    `chances` are other probabilities, those after some rounds, by cause, effect and whether it stands for a hidden common
    cause; an arrow that may point either way then has a head where one direction has a half or more. The same graph always
    gives the same text.
    """
    action = Intervention({}) if do is None else do
    return _document(
        graph, arrange(graph, settable, action, width, remarks, positions), action, styled, doubts, chances or {}
    )


class _Arranged(NamedTuple):
    """The boxes and arrows of a drawing, and where they are."""

    nodes: list[Node]
    joins: list[tuple[str, str, bool]]
    """The arrows: from, to, and whether each stands for a hidden common cause."""
    layout: Layout


def arrange(
    graph: Graph,
    settable: Collection[str],
    action: Intervention,
    width: float,
    remarks: Mapping[str, Remark] | None = None,
    positions: Mapping[str, tuple[float, float]] | None = None,
) -> _Arranged:
    """The boxes and arrows of the drawing of a graph, laid out; see `draw`."""
    check_intervention(graph, action)
    for name in settable:
        graph.variable(name)
    arrows = sum(map(len, graph.parents.values()))
    if len(graph.variables) > _MOST_VARIABLES or arrows > _MOST_ARROWS:
        raise TooLarge(
            f"a drawing of {len(graph.variables):,} variables and {arrows:,} arrows could not be read; "
            f"at most {_MOST_VARIABLES:,} and {_MOST_ARROWS:,} are drawn: draw a part of the graph"
        )
    joins = _joins(graph)
    nodes = _nodes(graph, joins, frozenset(settable), action, remarks or {})
    number_of = {node.name: i for i, node in enumerate(nodes)}
    sizes = [(node.width, node.height) for node in nodes]
    numbered = [Arrow(number_of[a], number_of[b], both) for a, b, both in joins]
    placed = by_hand(list(number_of), sizes, numbered, positions) if positions else ""
    if isinstance(placed, Layout):
        return _Arranged(nodes, joins, placed)
    layout = lay_out(sizes, numbered, None if graph.reward is None else number_of[graph.reward], width)
    note = f"positions are not used: {placed}" if placed else ""
    return _Arranged(nodes, joins, replace(layout, note=note))


def _hidden_pairs(graph: Graph) -> dict[str, tuple[str, ...]]:
    """The hidden variables that are drawn as `A <-> B` instead of a box, with the two variables that they cause."""
    return {
        name: graph.children[name]
        for name in graph.hidden
        if BOTH in name and not graph.parents[name] and len(graph.children[name]) == 2
    }


def _joins(graph: Graph) -> list[tuple[str, str, bool]]:
    """The arrows as drawn: from, to, and whether each stands for a hidden common cause."""
    pairs = _hidden_pairs(graph)
    single = [(p, child, False) for child in graph.names for p in graph.parents[child] if p not in pairs]
    return single + [(a, b, True) for a, b in pairs.values()]


def _nodes(
    graph: Graph,
    joins: list[tuple[str, str, bool]],
    settable: frozenset[str],
    action: Intervention,
    remarks: Mapping[str, Remark],
) -> list[Node]:
    """The boxes to draw, each wide enough for its text and its arrows."""
    below: dict[str, int] = {}  # how many arrows leave or arrive at each side of a box
    above: dict[str, int] = {}
    for a, b, both in joins:
        for name, side in ((a, below), (b, above), *(((a, above), (b, below)) if both else ())):
            side[name] = side.get(name, 0) + 1
    pairs = _hidden_pairs(graph)
    return [
        node_of(
            graph,
            v,
            v.name in settable,
            action.get(v.name),
            max(below.get(v.name, 0), above.get(v.name, 0)),
            remarks.get(v.name),
        )
        for v in graph.variables
        if v.name not in pairs
    ]


def doubtful_arrows(doubts: Iterable[Doubt]) -> dict[tuple[frozenset[str], bool], Doubt]:
    """The doubtful arrows by their ends, and whether they stand for a hidden common cause."""
    found: dict[tuple[frozenset[str], bool], Doubt] = {}
    for doubt in doubts:
        for both in {form == BOTH for form in KINDS[doubt.kind].forms}:
            found[frozenset((doubt.a, doubt.b)), both] = doubt
    return found


def _document(
    graph: Graph,
    arranged: _Arranged,
    action: Intervention,
    styled: bool,
    doubts: Iterable[Doubt],
    chances: Mapping[tuple[str, str, bool], float],
) -> str:
    """The SVG text of a drawing that is laid out, with a legend of the signs that occur in it."""
    nodes, joins, layout = arranged
    doubtful = doubtful_arrows(doubts)
    present = {mark for node in nodes for mark in node.marks}
    lines = []
    for (a, b, both), route, top in zip(joins, layout.routes, layout.tops, strict=True):
        upper, lower = (a, b) if nodes[top].name == a else (b, a)
        cut = (both and upper in action, lower in action)
        doubt = doubtful.get((frozenset((a, b)), both))
        heads, chance = (both, True), None
        if doubt is not None:
            heads, chance = _doubtful(doubt, both, chances.get((upper, lower, both)), chances.get((lower, upper, both)))
            present |= {"doubt"}
        lines.append(arrow_svg(route, (upper, lower), heads, cut, chance))
        present |= {"both"} if both else set()
        present |= {"cut"} if any(cut) else set()
    boxes = [node_svg(node, box) for node, box in zip(nodes, layout.boxes, strict=True)]
    signs, signs_width, signs_height = legend(present, str(action), max(layout.width, _NARROWEST_LEGEND))
    note = elide(layout.note, _WIDEST_NOTE, _NOTE)
    inner = max(layout.width, signs_width, text_width(note, _NOTE))
    width = number(inner + 2 * _MARGIN)
    foot = layout.height + (_ABOVE_LEGEND if signs else 0.0)
    note_at = foot + signs_height + (_ABOVE_NOTE if note else 0.0)
    height = number(note_at + 2 * _MARGIN)
    left = _MARGIN + (inner - layout.width) / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="bestdo-graph" role="img" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        *_descriptions(graph, action, layout, doubtful),
        *([f"<style>{STYLE}</style>"] if styled else []),
        f'<rect class="bd-ground" width="{width}" height="{height}"/>',
        f'<g transform="translate({number(left)} {number(_MARGIN)})">',
        *lines,
        *boxes,
        "</g>",
    ]
    if signs:
        place = f"translate({number(_MARGIN + (inner - signs_width) / 2)} {number(_MARGIN + foot)})"
        parts.append(f'<g class="bd-legend" transform="{place}">{signs}</g>')
    if note:
        at = f'x="{number(_MARGIN + inner / 2)}" y="{number(_MARGIN + note_at)}"'
        parts.append(f'<text class="bd-note" {at}>{escape(note)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _doubtful(doubt: Doubt, both: bool, down: float | None, up: float | None) -> tuple[tuple[bool, bool], float]:
    """The heads of a doubtful arrow at its start and end, and its probability: of the direction shown, or of being there.

    `down` and `up` are the probabilities after some rounds, where they are known.
    """
    there = doubt.probability if down is None and up is None else (down or 0.0) + (up or 0.0)
    if both or doubt.kind not in EITHER_WAY:
        return (both, True), there
    if (down or 0.0) >= _LIKELY:
        return (False, True), down or 0.0
    return ((True, False), up or 0.0) if (up or 0.0) >= _LIKELY else ((False, False), there)


def _descriptions(
    graph: Graph, action: Intervention, layout: Layout, doubtful: Mapping[tuple[frozenset[str], bool], Doubt]
) -> list[str]:
    """A title and a description of the graph in words, for screen readers."""
    title = "Causal graph" if graph.reward is None else f"Causal graph of {graph.reward}"
    if action:
        title += f" under {action}"
    count = len(graph.names) - len(_hidden_pairs(graph))
    where = "placed by hand" if layout.by_hand else "causes above their effects"
    sentences = [f"{count} variable{'' if count == 1 else 's'}, {where}."]
    sentences += [f"{layout.note[0].upper()}{layout.note[1:]}."] if layout.note else []
    if graph.reward is not None:
        sentences.append(f"The reward is {graph.reward}; {graph.rewarded.meaning}.")
    edges = []
    for a, b, both in _joins(graph):
        edges.append(str(doubtful.get((frozenset((a, b)), both), f"{a} {'<->' if both else '->'} {b}")))
    if edges:
        more = f"; and {len(edges) - _MOST_DESCRIBED} more" if len(edges) > _MOST_DESCRIBED else ""
        sentences.append(f"Arrows: {'; '.join(edges[:_MOST_DESCRIBED])}{more}.")
    return [f"<title>{escape(title)}</title>", f"<desc>{escape(' '.join(sentences))}</desc>"]
