"""Orders the boxes and points within each row so that few arrows cross."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence

from bestdo.report.drawing.layers import LayeredGraph

__all__ = ["crossings", "order_rows"]

# Each of these numbers trades time for fewer crossings. Not measured; that small planar graphs are drawn without
# crossings is checked in tests/report/test_drawing_layout.py.
_SMALL = 2000
"""Graphs with fewer boxes, points and joins than this are ordered with more care."""
_STARTS, _STARTS_OF_LARGE = 8, 2
"""The numbers of starting orders that are tried."""
_SWEEPS, _SWEEPS_OF_LARGE = 30, 10
"""The numbers of sweeps from each starting order."""
_IDLE_SWEEPS = 7
"""A start is given up after this many sweeps without fewer crossings than before."""
_SWAP_PASSES = 8
"""The most passes that exchange neighbours after a sweep."""

Rows = list[list[int]]
"""The numbers of the boxes and points of each row, from left to right."""


def crossings(rows: Sequence[Sequence[int]], graph: LayeredGraph) -> int:
    """The number of pairs of arrows that cross between neighbouring rows."""
    total = 0
    place = _places(rows, len(graph.layer))
    for row in rows[1:]:
        seen: list[int] = []
        for v in row:
            ends = [place[u] for u in graph.up[v]]
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end)
    return total


def order_rows(graph: LayeredGraph) -> Rows:
    """The order with the fewest crossings that several sweeps from several starting orders find."""
    small = len(graph.layer) + sum(map(len, graph.up)) < _SMALL
    best: Rows = []
    fewest = -1
    for start in range(_STARTS if small else _STARTS_OF_LARGE):
        rows = _first_order(graph, downwards=start % 2 == 0, stride=start // 2)
        least, idle = -1, 0  # of this start
        for sweep in range(_SWEEPS if small else _SWEEPS_OF_LARGE):
            count = crossings(rows, graph)
            if least < 0 or count < least:
                least, idle = count, 0
            if fewest < 0 or count < fewest:
                best, fewest = [list(row) for row in rows], count
            if not fewest:
                return best
            if idle > _IDLE_SWEEPS:
                break
            idle += 1
            _sweep(rows, graph, downwards=(sweep + start) % 2 == 0, flip=sweep % 4 > 1)
            if small:
                _swap(rows, graph)
    return best


def _places(rows: Sequence[Sequence[int]], count: int) -> list[int]:
    """The index of each box and point within its row."""
    place = [0] * count
    for row in rows:
        for i, v in enumerate(row):
            place[v] = i
    return place


def _first_order(graph: LayeredGraph, downwards: bool, stride: int) -> Rows:
    """A starting order: that of a depth-first walk along the arrows, which is another for another stride."""
    ahead, behind = (graph.down, graph.up) if downwards else (graph.up, graph.down)
    rows: Rows = [[] for _ in range(graph.height)]
    seen = [False] * len(graph.layer)
    todo = _shuffle([v for v in reversed(range(len(graph.layer))) if not behind[v]], stride)
    while todo:
        v = todo.pop()
        if not seen[v]:
            seen[v] = True
            rows[graph.layer[v]].append(v)
            todo.extend(w for w in _shuffle(ahead[v][::-1], stride) if not seen[w])
    return rows


def _shuffle(members: Sequence[int], stride: int) -> list[int]:
    """The members in an order that depends on the stride and on nothing random; as they are for a stride of 0."""
    return sorted(members, key=lambda v: v * 7919 * stride % 104_729) if stride else list(members)


def _sweep(rows: Rows, graph: LayeredGraph, downwards: bool, flip: bool) -> None:
    """Sorts each row by the mean place of its neighbours in the row before (the barycentre method)."""
    joined = graph.up if downwards else graph.down
    place = [0.0] * len(graph.layer)
    for row in rows if downwards else reversed(rows):
        for i, v in enumerate(row):
            place[v] = (i + 0.5) / len(row)
        mean = {v: sum(place[u] for u in joined[v]) / len(joined[v]) if joined[v] else place[v] for v in row}
        if flip:
            row.reverse()  # the sort is stable, so this reverses the order among equals
        row.sort(key=mean.__getitem__)
        for i, v in enumerate(row):
            place[v] = (i + 0.5) / len(row)


def _swap(rows: Rows, graph: LayeredGraph) -> None:
    """Exchanges neighbours wherever that removes crossings."""
    place = _places(rows, len(graph.layer))
    for _ in range(_SWAP_PASSES):
        better = False
        for row in rows:
            for i in range(len(row) - 1):
                a, b = row[i], row[i + 1]
                if sum(_gain(joined[a], joined[b], place) for joined in (graph.up, graph.down)) > 0:
                    row[i], row[i + 1] = b, a
                    place[a], place[b] = i + 1, i
                    better = True
        if not better:
            break


def _gain(left: Sequence[int], right: Sequence[int], place: list[int]) -> int:
    """The crossings that disappear when two neighbours with these joins change places; negative when more appear."""
    if not left or not right:
        return 0
    ends = sorted(place[q] for q in right)
    return sum(bisect_left(ends, place[p]) + bisect_right(ends, place[p]) - len(ends) for p in left)
