"""Lays out a drawing: the place of each box, in rows with causes above effects, and the route of each arrow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bestdo.report.drawing.crossings import order_rows
from bestdo.report.drawing.layers import Arrow, LayeredGraph, assign_rows, divide_rows, layered_graph
from bestdo.report.drawing.positions import columns
from bestdo.report.drawing.routes import Box, Point, Route, route_arrows

__all__ = ["Layout", "lay_out"]

# In pixels, chosen by eye; that nothing overlaps is checked in tests/report/test_drawing_layout.py.
_GAP, _THIN_GAP = 46.0, 30.0
"""The space between two rows of boxes, and between rows one of which has points only."""
_ARCH_GAP = 24.0
"""More space above a row with arches."""
_SLOPE, _MOST_FOR_SLOPE = 0.1, 70.0
"""More space between rows where arrows run far sideways: this part of the distance, and at most so much."""
_BETWEEN_PARTS = 48.0
"""The space between parts of the graph that are not connected."""
_ASPECT, _AROUND_WIDTH, _AROUND_HEIGHT = 1.3, 30, 60
"""A large drawing is wider than asked for: this factor times the side of a square that holds all boxes with so much
space around each."""


@dataclass(frozen=True)
class Layout:
    """A box for each size given and a route for each arrow, from the upper box to the lower one."""

    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    tops: tuple[int, ...]
    """The number of the box at which each route starts."""
    width: float
    height: float
    by_hand: bool = False
    """Whether boxes are where a person has placed them; otherwise causes are above effects."""
    note: str = ""
    """The reason why the positions that a person gave are not used, where they are not."""


def lay_out(sizes: Sequence[tuple[float, float]], arrows: Sequence[Arrow], last: int | None, width: float) -> Layout:
    """Lays out boxes of these sizes in rows of about this width; connected parts are kept apart, that of `last` first."""
    boxes: list[Box] = [Box(0, 0, *size) for size in sizes]
    routes: list[Route] = [()] * len(arrows)
    tops = [arrow.tail for arrow in arrows]
    room = max(width, _ASPECT * math.sqrt(sum((w + _AROUND_WIDTH) * (h + _AROUND_HEIGHT) for w, h in sizes)))
    parts = []
    for members in _parts(len(sizes), arrows):
        number = {v: i for i, v in enumerate(members)}
        inside = [i for i, arrow in enumerate(arrows) if arrow.tail in number]
        own = [Arrow(number[arrows[i].tail], number[arrows[i].head], arrows[i].both) for i in inside]
        part = _part([sizes[v] for v in members], own, number.get(-1 if last is None else last), room)
        parts.append((members, inside, part))
    parts.sort(key=lambda part: (last not in part[0], -part[2].height, part[0][0]))
    left = top = shelf = right = 0.0
    for members, inside, part in parts:
        if left and left + part.width > max(room, right):
            left, top = 0.0, top + shelf + _BETWEEN_PARTS
            shelf = 0.0
        for v, box in zip(members, part.boxes, strict=True):
            boxes[v] = box._replace(x=box.x + left, y=box.y + top)
        for i, route, start in zip(inside, part.routes, part.tops, strict=True):
            routes[i] = tuple(Point(p.x + left, p.y + top) for p in route)
            tops[i] = members[start]
        right, shelf = max(right, left + part.width), max(shelf, part.height)
        left += part.width + _BETWEEN_PARTS
    return Layout(tuple(boxes), tuple(routes), tuple(tops), right, top + shelf)


def _parts(count: int, arrows: Sequence[Arrow]) -> list[list[int]]:
    """The numbers of the boxes of each connected part, in ascending order."""
    leader = list(range(count))

    def find(v: int) -> int:
        while leader[v] != v:
            leader[v] = v = leader[leader[v]]
        return v

    for arrow in arrows:
        a, b = sorted((find(arrow.tail), find(arrow.head)))
        leader[b] = a
    parts: dict[int, list[int]] = {}
    for v in range(count):
        parts.setdefault(find(v), []).append(v)
    return list(parts.values())


def _part(sizes: Sequence[tuple[float, float]], arrows: Sequence[Arrow], last: int | None, room: float) -> Layout:
    """The layout of one connected part, its upper left corner at (0, 0)."""
    graph = layered_graph(assign_rows(len(sizes), arrows, last), arrows)
    rows = order_rows(graph)
    widths = [w for w, _ in sizes]
    divided = divide_rows(rows, graph.boxes, widths, room)
    if divided is not None:
        graph = layered_graph(divided, arrows)
        rows = order_rows(graph)
    widths += [0.0] * (len(graph.layer) - len(widths))
    x = columns(rows, graph, widths)
    middles, heights = _heights(rows, graph, sizes, x)
    places = [
        Box(x[v], middles[row], widths[v], sizes[v][1] if v < graph.boxes else heights[row])
        for v, row in enumerate(graph.layer)
    ]
    routes = route_arrows(graph, places)
    corners = [Point(b.x + side * b.width / 2, b.top if side < 0 else b.bottom) for b in places for side in (-1, 1)]
    corners = corners[: 2 * graph.boxes] + [p for route in routes for p in _outermost(route)]
    left, top = min(p.x for p in corners), min(p.y for p in corners)
    return Layout(
        tuple(box._replace(x=box.x - left, y=box.y - top) for box in places[: graph.boxes]),
        tuple(tuple(Point(p.x - left, p.y - top) for p in route) for route in routes),
        tuple(chain[0] for chain in graph.chains),
        max(p.x for p in corners) - left,
        max(p.y for p in corners) - top,
    )


def _outermost(route: Route) -> list[Point]:
    """Points of a route that say how far it reaches: the ends and the middles of its curves."""
    points = list(route[::3])
    for i in range(0, len(route) - 1, 3):
        a, b, c, d = route[i : i + 4]
        points.append(Point((a.x + 3 * (b.x + c.x) + d.x) / 8, (a.y + 3 * (b.y + c.y) + d.y) / 8))
    return points


def _heights(
    rows: Sequence[Sequence[int]], graph: LayeredGraph, sizes: Sequence[tuple[float, float]], x: Sequence[float]
) -> tuple[list[float], list[float]]:
    """The y coordinate of the middle of each row, and its height; rows are further apart where arrows run sideways."""
    heights = [max((sizes[v][1] for v in row if v < graph.boxes), default=0.0) for row in rows]
    with_arch = {graph.layer[c[0]] for c in graph.chains if graph.layer[c[0]] == graph.layer[c[-1]]}
    middles = [heights[0] / 2]
    for r in range(1, len(rows)):
        far = max((abs(x[u] - x[v]) for v in rows[r] for u in graph.up[v]), default=0.0)
        gap = (_GAP if heights[r - 1] and heights[r] else _THIN_GAP) + min(far * _SLOPE, _MOST_FOR_SLOPE)
        gap += _ARCH_GAP if r in with_arch else 0.0
        middles.append(middles[-1] + heights[r - 1] / 2 + gap + heights[r] / 2)
    return middles, heights
