"""Lays out a drawing whose boxes a person has placed: scaled until no boxes overlap, with arrows that run around boxes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from bestdo.errors import shown
from bestdo.report.drawing.layers import Arrow
from bestdo.report.drawing.layout import Layout
from bestdo.report.drawing.routes import Box, Point, Route

__all__ = ["by_hand"]

# In pixels or parts, chosen by eye; that nothing overlaps is checked in tests/report/test_drawing_by_hand.py.
_BESIDE, _BELOW = 40.0, 34.0
"""The least space between two boxes beside each other, and between one and another below it: an arrow must be seen."""
_ASPECTS = (1.0, 1.4, 2.0, 3.0, 4.0, 6.0, 0.7, 0.5, 0.35)
"""The factor by which the width may be scaled more than the height; boxes are wide and low."""
_PER_ASPECT, _LANDSCAPE, _UNEVEN = 0.04, 1.5, 0.25
"""The size of a drawing that should be small: the larger of its width and 1.5 heights, a part of their difference, and more,
by the logarithm of the aspect, where it is scaled otherwise than it was placed."""
_LEAST_LIMIT, _ROOM = 1600.0, 4.0
"""The largest side of a drawing: this, or so many times the side of a square that holds all boxes."""
_MOST_BOXES = 400
"""The most boxes: all pairs of them are compared. A limit of time; 0.3 s for so many."""
_BENDS = (0.0, 0.12, -0.12, 0.25, -0.25, 0.4, -0.4)
"""The bends of an arrow that keep clear of boxes, in parts of its length; the first that does is taken."""
_BENDS_OF_BOTH = (-0.2, 0.2, -0.35, 0.35, -0.5, 0.5)
"""The bends of an arrow with two heads, which is never straight."""
_CLEAR = 6.0
"""The distance that an arrow should have from a box that it does not belong to."""
_STEPS = 24
"""The number of points of an arrow at which a box may be in the way."""


def by_hand(
    names: Sequence[str],
    sizes: Sequence[tuple[float, float]],
    arrows: Sequence[Arrow],
    positions: Mapping[str, tuple[float, float]],
) -> Layout | str:
    """The layout with boxes at these positions, scaled; or why it cannot be, in words."""
    if missing := [name for name in names if name not in positions]:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        return f"{shown(missing[0])}{more} without a position"
    if len(names) > _MOST_BOXES:
        return f"{len(names)} variables, and positions are used up to {_MOST_BOXES}"
    at = [positions[name] for name in names]
    fitting, (first, second) = _scale(at, sizes)
    if fitting is None:
        return f"{shown(names[first])} and {shown(names[second])} are at the same place, or too close"
    wide, high = fitting
    boxes = [Box(x * wide, y * high, *size) for (x, y), size in zip(at, sizes, strict=True)]
    routes = [_route(boxes, arrow) for arrow in arrows]
    corners = [Point(b.x + side * b.width / 2, b.y + side * b.height / 2) for b in boxes for side in (-1, 1)]
    corners += [_on_curve(route, step / _STEPS) for route in routes for step in range(_STEPS + 1)]
    left, top = min(p.x for p in corners), min(p.y for p in corners)
    return Layout(
        tuple(box._replace(x=box.x - left, y=box.y - top) for box in boxes),
        tuple(tuple(Point(p.x - left, p.y - top) for p in route) for route in routes),
        tuple(arrow.tail for arrow in arrows),
        max(p.x for p in corners) - left,
        max(p.y for p in corners) - top,
        by_hand=True,
    )


def _scale(
    at: Sequence[tuple[float, float]], sizes: Sequence[tuple[float, float]]
) -> tuple[tuple[float, float] | None, tuple[int, int]]:
    """The pixels of a unit of x and of y at which no boxes overlap, or None; and the two boxes that are the closest."""
    room = math.sqrt(sum((w + _BESIDE) * (h + _BELOW) for w, h in sizes))
    limit = max(_LEAST_LIMIT, _ROOM * room)
    spread = [max(values) - min(values) for values in zip(*at, strict=True)]
    best: tuple[float, float, float] | None = None
    pair = (0, 0)
    for aspect in _ASPECTS:
        scale = 0.0
        for i, j in itertools.combinations(range(len(at)), 2):
            need = _needed(at[i], at[j], sizes[i], sizes[j], aspect)
            if need > scale:
                scale, pair = need, (i, j)
        scale = scale or 1.0
        sides = (spread[0] * scale * aspect, spread[1] * scale)
        if not max(sides) < limit:
            continue
        width, height = sides[0] + sizes[0][0], (sides[1] + sizes[0][1]) * _LANDSCAPE
        size = max(width, height) + _UNEVEN * abs(width - height)
        size *= math.exp(_PER_ASPECT * abs(math.log(aspect)))
        if best is None or size < best[0]:
            best = (size, scale * aspect, scale)
    return (None if best is None else best[1:]), pair


def _needed(
    a: tuple[float, float], b: tuple[float, float], size: tuple[float, float], other: tuple[float, float], aspect: float
) -> float:
    """The pixels of a unit of y at which two boxes are far enough apart; infinite where they are at the same place."""
    beside = (size[0] + other[0]) / 2 + _BESIDE
    below = (size[1] + other[1]) / 2 + _BELOW
    dx, dy = abs(a[0] - b[0]) * aspect, abs(a[1] - b[1])
    return min(beside / dx if dx else math.inf, below / dy if dy else math.inf)


def _route(boxes: Sequence[Box], arrow: Arrow) -> Route:
    """The route from an arrow's tail to its head: the first bend at which no box is in the way, or the best there is."""
    routes = (_bent(boxes[arrow.tail], boxes[arrow.head], bend) for bend in (_BENDS_OF_BOTH if arrow.both else _BENDS))
    best: tuple[int, Route] | None = None
    for route in routes:
        hits = _hits(route, boxes, arrow)
        if best is None or hits < best[0]:
            best = hits, route
        if not hits:
            break
    assert best is not None
    return best[1]


def _bent(start: Box, end: Box, bend: float) -> Route:
    """The curve from box to box that is bent to the side by a part of its length."""
    dx, dy = end.x - start.x, end.y - start.y
    steer = Point((start.x + end.x) / 2 - dy * bend * 2, (start.y + end.y) / 2 + dx * bend * 2)
    a, b = _border(start, steer), _border(end, steer)
    if not bend:
        return (
            a,
            Point(a.x + (b.x - a.x) / 3, a.y + (b.y - a.y) / 3),
            Point(b.x - (b.x - a.x) / 3, b.y - (b.y - a.y) / 3),
            b,
        )
    one, two = (Point(p.x + (steer.x - p.x) * 2 / 3, p.y + (steer.y - p.y) * 2 / 3) for p in (a, b))
    return a, one, two, b


def _border(box: Box, towards: Point) -> Point:
    """The point where the line from the middle of a box towards another point leaves it."""
    dx, dy = towards.x - box.x, towards.y - box.y
    part = min(box.width / 2 / abs(dx) if dx else math.inf, box.height / 2 / abs(dy) if dy else math.inf)
    return Point(box.x + dx * part, box.y + dy * part)


def _hits(route: Route, boxes: Sequence[Box], arrow: Arrow) -> int:
    """The number of points of a route at which a box is in the way, or that lie inside one of the boxes that it joins."""
    points = [_on_curve(route, step / _STEPS) for step in range(_STEPS + 1)]
    left, right = min(p.x for p in points), max(p.x for p in points)
    top, bottom = min(p.y for p in points), max(p.y for p in points)
    hits = 0
    for i, box in enumerate(boxes):
        clear = -1.0 if i in arrow[:2] else _CLEAR
        wide, high = box.width / 2 + clear, box.height / 2 + clear
        if box.x + wide < left or box.x - wide > right or box.y + high < top or box.y - high > bottom:
            continue
        hits += sum(abs(p.x - box.x) < wide and abs(p.y - box.y) < high for p in points)
    return hits


def _on_curve(route: Route, t: float) -> Point:
    """The point of a route of one curve at this part of its way."""
    u = 1 - t
    weights = (u**3, 3 * u * u * t, 3 * u * t * t, t**3)
    return Point(
        sum(w * p.x for w, p in zip(weights, route, strict=True)),
        sum(w * p.y for w, p in zip(weights, route, strict=True)),
    )
