"""Chooses the x coordinate of each box and point: close to its neighbours above and below, long arrows straight."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from bestdo.report.drawing.layers import LayeredGraph

__all__ = ["columns", "place_apart"]

# In pixels, chosen by eye; that nothing overlaps is checked in tests/report/test_drawing_layout.py.
_BETWEEN_BOXES, _BESIDE_BOX, _BETWEEN_POINTS = 30.0, 18.0, 12.0
"""The space between two boxes, a box and a point, and two points."""
_BESIDE_BOW = (22.0, 46.0, 34.0)
"""The space between two points of bows, and beside one of them to a point and to a box."""
_MOST_FOR_POINTS, _LEAST_BETWEEN_POINTS = 400.0, 3.0
"""Many points in a row share this much, but are at least so far apart."""
# How strongly two neighbours pull each other, relative to each other, chosen by eye.
_PULL = (1.0, 2.0, 8.0)
"""Between two boxes, a box and a point, and two points, which are of one arrow and should be in line."""
_PULL_OF_BOW, _PULL_ALONG_BOW = 0.03, 4.0
"""Between a point of a bow and a box, and between two points of bows."""
_WEIGHT_ALONE = 0.05
"""The weight of a box without neighbours: it keeps its place unless others need it."""
_PASSES, _PASSES_OF_LARGE, _LARGE = 10, 4, 5000
"""Passes over all rows after the first eight, fewer from so many boxes and points on. More give straighter arrows and take
more time. Not measured."""


def place_apart(wanted: Sequence[float], weight: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Ascending places, at least `apart` from each to the next, with the least weighted squared distance to those wanted.

    The pool-adjacent-violators algorithm: members that would come too close form a pool that moves as one.
    """
    offsets = list(itertools.accumulate(apart, initial=0.0))[: len(wanted)]
    pools: list[tuple[float, float, int]] = []  # place of the first member less its offset, weight, size
    for want, heavy, offset in zip(wanted, weight, offsets, strict=True):
        place, size = want - offset, 1
        while pools and pools[-1][0] > place:
            other, mass, members = pools.pop()
            place = (place * heavy + other * mass) / (heavy + mass)
            heavy, size = heavy + mass, size + members
        pools.append((place, heavy, size))
    places = [place for place, _, size in pools for _ in range(size)]
    return [place + offset for place, offset in zip(places, offsets, strict=True)]


def columns(rows: Sequence[Sequence[int]], graph: LayeredGraph, widths: Sequence[float]) -> list[float]:
    """The x coordinate of the middle of each box and point, by passes that place each row given the rows beside it."""
    apart = [_distances(row, graph, widths) for row in rows]
    x = [0.0] * len(graph.layer)
    for row, gaps in zip(rows, apart, strict=True):
        at = -sum(gaps) / 2
        for v, gap in zip(row, [*gaps, 0.0], strict=False):
            x[v] = at
            at += gap
    ways = [(True, False), (False, True)] * 4 + [(True, True)] * (_PASSES if len(x) < _LARGE else _PASSES_OF_LARGE)
    for turn, (above, below) in enumerate(ways):
        downwards = turn % 2 == 0
        for r in range(len(rows)) if downwards else reversed(range(len(rows))):
            _place_row(rows[r], apart[r], graph, x, above, below)
    _straighten(rows, apart, graph, x)
    return x


def _distances(row: Sequence[int], graph: LayeredGraph, widths: Sequence[float]) -> list[float]:
    """The least distance between the middles of each two neighbours of a row."""
    distances = []
    points = sum(v >= graph.boxes for v in row)
    between_points = min(_BETWEEN_POINTS, max(_LEAST_BETWEEN_POINTS, _MOST_FOR_POINTS / max(points, 1)))
    for a, b in itertools.pairwise(row):
        boxes = (a < graph.boxes) + (b < graph.boxes)
        gap = (between_points, _BESIDE_BOX, _BETWEEN_BOXES)[boxes]
        bows = (a in graph.bow_points) + (b in graph.bow_points)
        if bows:
            gap = _BESIDE_BOW[0 if bows == 2 else 1 + boxes]
        distances.append((widths[a] + widths[b]) / 2 + gap)
    return distances


def _place_row(
    row: Sequence[int], apart: list[float], graph: LayeredGraph, x: list[float], above: bool, below: bool
) -> None:
    """Places each member of a row at the weighted mean of its neighbours above, below or both, as far as there is room."""
    wanted, weight = [], []
    for v in row:
        near = (graph.up[v] if above else ()) + (graph.down[v] if below else ())
        pulls = [_pull(v, u, graph) for u in near]
        total = sum(pulls)
        wanted.append(sum(p * x[u] for p, u in zip(pulls, near, strict=True)) / total if near else x[v])
        weight.append(total if near else _WEIGHT_ALONE)
    for v, place in zip(row, place_apart(wanted, weight, apart), strict=True):
        x[v] = place


def _pull(a: int, b: int, graph: LayeredGraph) -> float:
    """The strength with which two neighbours pull each other into line."""
    if a in graph.bow_points or b in graph.bow_points:
        return _PULL_ALONG_BOW if a in graph.bow_points and b in graph.bow_points else _PULL_OF_BOW
    return _PULL[(a >= graph.boxes) + (b >= graph.boxes)]


def _straighten(rows: Sequence[Sequence[int]], apart: list[list[float]], graph: LayeredGraph, x: list[float]) -> None:
    """Gives the members of each thread the same x coordinate, in runs as long as there is room for."""
    place = {v: (r, i) for r, row in enumerate(rows) for i, v in enumerate(row)}
    for thread in _threads(graph):
        run: list[int] = []
        low, high = float("-inf"), float("inf")
        for v in thread:
            r, i = place[v]
            least = x[rows[r][i - 1]] + apart[r][i - 1] if i else low
            most = x[rows[r][i + 1]] - apart[r][i] if i + 1 < len(rows[r]) else high
            if max(low, least) > min(high, most):
                _align(run, low, high, x)
                run, low, high = [], float("-inf"), float("inf")
            run.append(v)
            low, high = max(low, least), min(high, most)
        _align(run, low, high, x)


def _align(run: list[int], low: float, high: float, x: list[float]) -> None:
    """Gives all of a run the median of their x coordinates, within these limits."""
    if len(run) > 1:
        middle = min(max(sorted(x[v] for v in run)[len(run) // 2], low), high)
        for v in run:
            x[v] = middle


def _threads(graph: LayeredGraph) -> list[list[int]]:
    """Sequences of boxes and points, each of which is the only neighbour of the next one below; the longest first."""
    down = [
        [w for w in graph.down[v] if w not in graph.bow_points or v in graph.bow_points]
        for v in range(len(graph.layer))
    ]
    up = [
        [u for u in graph.up[v] if u not in graph.bow_points or v in graph.bow_points] for v in range(len(graph.layer))
    ]
    after = {v: d[0] for v, d in enumerate(down) if len(d) == 1 and up[d[0]] == [v]}
    threads = []
    for v in sorted(set(after) - set(after.values())):
        thread = [v]
        while thread[-1] in after:
            thread.append(after[thread[-1]])
        threads.append(thread)
    return sorted(threads, key=len, reverse=True)
