"""Where everything stands: boxes in rows, causes above effects, and the curves between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bestdo.report.drawing.crossings import ordered
from bestdo.report.drawing.layers import Arrow, Layered, assigned, layered, wrapped
from bestdo.report.drawing.positions import columns
from bestdo.report.drawing.routes import Box, Point, Route, routed

__all__ = ["Layout", "arranged"]

_GAP, _THIN_GAP, _ARCH_GAP, _BETWEEN_PARTS = 46.0, 30.0, 24.0, 48.0


@dataclass(frozen=True)
class Layout:
    """A box for each size given and a route for each arrow, from the upper box to the lower one."""

    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    tops: tuple[int, ...]
    """For each arrow the box that its route starts from."""
    width: float
    height: float


def arranged(sizes: Sequence[tuple[float, float]], arrows: Sequence[Arrow], last: int | None, width: float) -> Layout:
    """Lays out boxes of these sizes in rows of about this width; what hangs together stays together."""
    boxes: list[Box] = [Box(0, 0, *size) for size in sizes]
    routes: list[Route] = [()] * len(arrows)
    tops = [arrow.tail for arrow in arrows]
    room = max(width, 1.3 * math.sqrt(sum((w + 30) * (h + 60) for w, h in sizes)))
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
    """The connected parts, each in the order given."""
    leader = list(range(count))

    def find(v: int) -> int:
        while leader[v] != v:
            leader[v] = v = leader[leader[v]]
        return v

    for arrow in arrows:
        a, b = sorted((find(arrow.tail), find(arrow.head)))
        leader[b] = a
    found: dict[int, list[int]] = {}
    for v in range(count):
        found.setdefault(find(v), []).append(v)
    return list(found.values())


def _part(sizes: Sequence[tuple[float, float]], arrows: Sequence[Arrow], last: int | None, room: float) -> Layout:
    """The layout of one connected part, its upper left corner at (0, 0)."""
    graph = layered(assigned(len(sizes), arrows, last), arrows)
    rows = ordered(graph)
    widths = [w for w, _ in sizes]
    divided = wrapped(rows, graph.boxes, widths, room)
    if divided is not None:
        graph = layered(divided, arrows)
        rows = ordered(graph)
    widths += [0.0] * (len(graph.layer) - len(widths))
    x = columns(rows, graph, widths)
    middles, heights = _heights(rows, graph, sizes, x)
    places = [
        Box(x[v], middles[row], widths[v], sizes[v][1] if v < graph.boxes else heights[row])
        for v, row in enumerate(graph.layer)
    ]
    routes = routed(graph, places)
    corners = [Point(b.x + side * b.width / 2, b.top if side < 0 else b.bottom) for b in places for side in (-1, 1)]
    corners = corners[: 2 * graph.boxes] + [p for route in routes for p in _reached(route)]
    left, top = min(p.x for p in corners), min(p.y for p in corners)
    return Layout(
        tuple(box._replace(x=box.x - left, y=box.y - top) for box in places[: graph.boxes]),
        tuple(tuple(Point(p.x - left, p.y - top) for p in route) for route in routes),
        tuple(chain[0] for chain in graph.chains),
        max(p.x for p in corners) - left,
        max(p.y for p in corners) - top,
    )


def _reached(route: Route) -> list[Point]:
    """Points of a route that bound it: those reached, and the middles of its curves."""
    found = list(route[::3])
    for i in range(0, len(route) - 1, 3):
        a, b, c, d = route[i : i + 4]
        found.append(Point((a.x + 3 * (b.x + c.x) + d.x) / 8, (a.y + 3 * (b.y + c.y) + d.y) / 8))
    return found


def _heights(
    rows: Sequence[Sequence[int]], graph: Layered, sizes: Sequence[tuple[float, float]], x: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Where the middle of each row is and how high it is; further apart where arrows run far sideways."""
    heights = [max((sizes[v][1] for v in row if v < graph.boxes), default=0.0) for row in rows]
    arched = {graph.layer[c[0]] for c in graph.chains if graph.layer[c[0]] == graph.layer[c[-1]]}
    middles = [heights[0] / 2]
    for r in range(1, len(rows)):
        far = max((abs(x[u] - x[v]) for v in rows[r] for u in graph.up[v]), default=0.0)
        gap = (_GAP if heights[r - 1] and heights[r] else _THIN_GAP) + min(far * 0.1, 70.0)
        gap += _ARCH_GAP if r in arched else 0.0
        middles.append(middles[-1] + heights[r - 1] / 2 + gap + heights[r] / 2)
    return middles, heights
