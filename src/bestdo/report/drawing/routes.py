"""The routes of arrows: smooth curves from box to box, vertical where they pass a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from bestdo.report.drawing.layers import LayeredGraph
from bestdo.report.drawing.positions import place_apart

__all__ = ["Box", "Point", "Route", "route_arrows"]

# In pixels or parts, chosen by eye; that arrows keep clear of boxes is checked in tests/report/test_drawing_layout.py.
_STRAY, _FURTHEST_STRAY = 12.0, 60.0
"""The distances of a bow from the points that it passes: at most, and where no box can be in its way."""
_STEER = 0.3
"""The steering points of a bow, in parts of its height from each end."""
_ARCH, _ARCH_SLOPE, _MOST_FOR_SLOPE = 14.0, 0.1, 30.0
"""The height of an arch, its rise for each pixel of its width, and the most of that rise."""
_PORT, _CORNER = 22.0, 14.0
"""The distance between arrows that leave a box, where there is room, and from its corners."""
_PORT_LIMIT, _PORT_LIMIT_OF_ARCH = 0.32, 0.25
"""The distance from the middle of a box at which an arrow or an arch may want to leave it, in parts of the box's width."""
_STRAIGHT = 1.0
"""An arrow that wants to leave a box nearer than this to its middle is straight, and keeps the middle."""
_WEIGHT_OF_STRAIGHT = 100.0
"""The weight of a straight arrow against others when the arrows of a box are moved apart."""
_BISECTIONS = 24
"""Steps of the bisection for a height on a curve: the error is 2^-24 of its length."""


class Point(NamedTuple):
    """A point of the drawing; y grows downwards."""

    x: float
    y: float


class Box(NamedTuple):
    """A rectangle, given by its middle and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def top(self) -> float:
        """The y coordinate of its upper border."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """The y coordinate of its lower border."""
        return self.y + self.height / 2


Route = tuple[Point, ...]
"""The start, then three points for each cubic Bézier curve: its two control points and its end."""


def route_arrows(graph: LayeredGraph, places: Sequence[Box]) -> list[Route]:
    """The route of each chain, from its first box to its last."""
    ports = _ports(graph, places)
    rims = _rims(graph, places)
    routes = []
    for i, chain in enumerate(graph.chains):
        first, last = places[chain[0]], places[chain[-1]]
        start, end = first.x + ports[i, 0], last.x + ports[i, 1]
        if _arch(graph, chain):
            rise = _ARCH + min(abs(end - start) * _ARCH_SLOPE, _MOST_FOR_SLOPE)
            over = min(first.top, last.top) - rise * 4 / 3
            route = [Point(start, first.top), Point(start, over), Point(end, over), Point(end, last.top)]
        elif bow := _bow_route(graph, places, chain, Point(start, first.bottom), Point(end, last.top), rims):
            route = bow
        else:
            route = [Point(start, first.bottom)]
            for box in (places[v] for v in chain[1:-1]):
                _curve(route, Point(box.x, box.top))
                if box.height:
                    _curve(route, Point(box.x, box.bottom))
            _curve(route, Point(end, last.top))
        routes.append(tuple(route))
    return routes


def _arch(graph: LayeredGraph, chain: tuple[int, ...]) -> bool:
    """Whether a chain is an arch: its boxes are in one row."""
    return graph.layer[chain[0]] == graph.layer[chain[-1]]


def _rims(graph: LayeredGraph, places: Sequence[Box]) -> list[tuple[float, float]]:
    """The least and the greatest x coordinate of each row."""
    rims = [(math.inf, -math.inf)] * graph.height
    for row, box in zip(graph.layer, places, strict=True):
        low, high = rims[row]
        rims[row] = min(low, box.x - box.width / 2), max(high, box.x + box.width / 2)
    return rims


def _bow_route(
    graph: LayeredGraph,
    places: Sequence[Box],
    chain: tuple[int, ...],
    start: Point,
    end: Point,
    rims: list[tuple[float, float]],
) -> list[Point]:
    """The route of a chain as one bow, or nothing where it is no bow or one curve would not do."""
    points = chain[1:-1]
    if not points or points[0] not in graph.bow_points:
        return []
    outermost = any(all(places[v].x == rims[graph.layer[v]][side] for v in points) for side in (0, 1))
    return _bow(start, end, [places[v] for v in points], outermost)


def _bow(start: Point, end: Point, passed: Sequence[Box], outermost: bool) -> list[Point]:
    """A curve that passes all points on their outer side, or nothing where it would be far from one of them."""
    tall = end.y - start.y
    one, two = start.y + tall * _STEER, end.y - tall * _STEER
    corners = []  # for each corner passed: its x, the part of the ends in the curve's x there, the weight of steering
    for box in passed:
        for y in (box.top, box.bottom):
            w = _weights((start.y, one, two, end.y), y)
            corners.append((box.x, w[0] * start.x + w[3] * end.x, w[1] + w[2]))
    wanted = [(x - rest) / weight for x, rest, weight in corners]
    right = sum(box.x for box in passed) / len(passed) > (start.x + end.x) / 2
    steer = max(wanted) if right else min(wanted)
    stray = max(abs(rest + weight * steer - x) for x, rest, weight in corners)
    if stray > (_FURTHEST_STRAY if outermost else _STRAY):
        return []
    return [start, Point(steer, one), Point(steer, two), end]


def _weights(heights: tuple[float, float, float, float], y: float) -> tuple[float, float, float, float]:
    """The weights of the four points of a Bézier curve that runs downwards, where it is at this height."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        t = (low + high) / 2
        weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3)
        if sum(w * h for w, h in zip(weights, heights, strict=True)) < y:
            low = t
        else:
            high = t
    return weights


def _curve(route: list[Point], to: Point) -> None:
    """Adds a curve to a route that is vertical at both ends."""
    start = route[-1]
    half = (to.y - start.y) / 2
    route += [Point(start.x, start.y + half), Point(to.x, to.y - half), to]


def _ports(graph: LayeredGraph, places: Sequence[Box]) -> dict[tuple[int, int], float]:
    """The distance of each end of each chain from the middle of its box, by (chain, end); end is 0 or 1."""
    sides: dict[tuple[int, bool], list[tuple[float, float, tuple[int, int]]]] = {}
    for i, chain in enumerate(graph.chains):
        arch = _arch(graph, chain)
        for end, (box, near) in enumerate(((chain[0], chain[1]), (chain[-1], chain[-2]))):
            other = chain[-1 - end] if arch else near
            far = places[other].x - places[box].x
            limit = places[box].width * (_PORT_LIMIT_OF_ARCH if arch else _PORT_LIMIT)
            want = min(max(far / 2 if other < graph.boxes else far, -limit), limit)
            sides.setdefault((box, end == 0 and not arch), []).append((want, far, (i, end)))
    ports = {}
    for (box, _), ends in sides.items():
        ends.sort(key=lambda end: (end[1], end[2]))
        room = places[box].width - 2 * _CORNER
        apart = min(_PORT, room / max(len(ends) - 1, 1))
        for k, (want, _, _) in enumerate(ends):
            if abs(want) < _STRAIGHT:
                apart = min(apart, room / 2 / max(k, len(ends) - 1 - k, 1))
        weight = [_WEIGHT_OF_STRAIGHT if abs(want) < _STRAIGHT else 1.0 for want, _, _ in ends]
        offsets = place_apart([want for want, _, _ in ends], weight, [apart] * (len(ends) - 1))
        for k, (offset, (_, _, key)) in enumerate(zip(offsets, ends, strict=True)):
            low, high = k * apart - room / 2, room / 2 - (len(ends) - 1 - k) * apart
            ports[key] = min(max(offset, low), high)
    return ports
