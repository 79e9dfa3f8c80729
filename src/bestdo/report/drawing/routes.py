"""How arrows run: smooth curves from border to border, upright where they pass a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from bestdo.report.drawing.layers import Layered
from bestdo.report.drawing.positions import settled

__all__ = ["Box", "Point", "Route", "routed"]

_STRAY, _FURTHEST_STRAY = 12.0, 60.0
_PORT, _CORNER, _ARCH = 22.0, 14.0, 14.0


class Point(NamedTuple):
    """A place in the drawing; y grows downwards."""

    x: float
    y: float


class Box(NamedTuple):
    """A rectangle around its middle."""

    x: float
    y: float
    width: float
    height: float

    @property
    def top(self) -> float:
        """Its upper border."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """Its lower border."""
        return self.y + self.height / 2


Route = tuple[Point, ...]
"""A start and then three points for each cubic Bézier curve: two that steer and one that is reached."""


def routed(graph: Layered, places: Sequence[Box]) -> list[Route]:
    """For each chain its route, from its first box to its last."""
    ports = _ports(graph, places)
    rims = _rims(graph, places)
    routes = []
    for i, chain in enumerate(graph.chains):
        first, last = places[chain[0]], places[chain[-1]]
        start, end = first.x + ports[i, 0], last.x + ports[i, 1]
        if _arch(graph, chain):
            rise = _ARCH + min(abs(end - start) * 0.1, 30.0)
            over = min(first.top, last.top) - rise * 4 / 3
            route = [Point(start, first.top), Point(start, over), Point(end, over), Point(end, last.top)]
        elif bow := _bowed(graph, places, chain, Point(start, first.bottom), Point(end, last.top), rims):
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


def _arch(graph: Layered, chain: tuple[int, ...]) -> bool:
    return graph.layer[chain[0]] == graph.layer[chain[-1]]


def _rims(graph: Layered, places: Sequence[Box]) -> list[tuple[float, float]]:
    """How far each row reaches to the left and to the right."""
    rims = [(math.inf, -math.inf)] * graph.height
    for row, box in zip(graph.layer, places, strict=True):
        low, high = rims[row]
        rims[row] = min(low, box.x - box.width / 2), max(high, box.x + box.width / 2)
    return rims


def _bowed(
    graph: Layered,
    places: Sequence[Box],
    chain: tuple[int, ...],
    start: Point,
    end: Point,
    rims: list[tuple[float, float]],
) -> list[Point]:
    points = chain[1:-1]
    if not points or points[0] not in graph.bowed:
        return []
    outermost = any(all(places[v].x == rims[graph.layer[v]][side] for v in points) for side in (0, 1))
    return _bow(start, end, [places[v] for v in points], outermost)


def _bow(start: Point, end: Point, passed: Sequence[Box], outermost: bool) -> list[Point]:
    """One curve that keeps outside of all points passed, or nothing when it would stray far from them."""
    tall = end.y - start.y
    one, two = start.y + tall * 0.3, end.y - tall * 0.3
    corners = []  # for each corner passed: its x, what the ends add to the curve's x, what steering counts
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
    """How much each of its four points counts where a curve that runs downwards is at this height."""
    low, high = 0.0, 1.0
    for _ in range(24):
        t = (low + high) / 2
        weights = ((1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3)
        if sum(w * h for w, h in zip(weights, heights, strict=True)) < y:
            low = t
        else:
            high = t
    return weights


def _curve(route: list[Point], to: Point) -> None:
    start = route[-1]
    half = (to.y - start.y) / 2
    route += [Point(start.x, start.y + half), Point(to.x, to.y - half), to]


def _ports(graph: Layered, places: Sequence[Box]) -> dict[tuple[int, int], float]:
    """For each end of each chain how far from the middle of its box it leaves or arrives."""
    sides: dict[tuple[int, bool], list[tuple[float, float, tuple[int, int]]]] = {}
    for i, chain in enumerate(graph.chains):
        arch = _arch(graph, chain)
        for end, (box, near) in enumerate(((chain[0], chain[1]), (chain[-1], chain[-2]))):
            other = chain[-1 - end] if arch else near
            far = places[other].x - places[box].x
            limit = places[box].width * (0.25 if arch else 0.32)
            want = min(max(far / 2 if other < graph.boxes else far, -limit), limit)
            sides.setdefault((box, end == 0 and not arch), []).append((want, far, (i, end)))
    found = {}
    for (box, _), ends in sides.items():
        ends.sort(key=lambda end: (end[1], end[2]))
        room = places[box].width - 2 * _CORNER
        apart = min(_PORT, room / max(len(ends) - 1, 1))
        for k, (want, _, _) in enumerate(ends):
            if abs(want) < 1:  # a straight arrow keeps the middle
                apart = min(apart, room / 2 / max(k, len(ends) - 1 - k, 1))
        weight = [100.0 if abs(want) < 1 else 1.0 for want, _, _ in ends]
        offsets = settled([want for want, _, _ in ends], weight, [apart] * (len(ends) - 1))
        for k, (offset, (_, _, key)) in enumerate(zip(offsets, ends, strict=True)):
            low, high = k * apart - room / 2, room / 2 - (len(ends) - 1 - k) * apart
            found[key] = min(max(offset, low), high)
    return found
