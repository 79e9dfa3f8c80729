"""The order within each row: few arrows cross."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence

from bestdo.report.drawing.layers import Layered

__all__ = ["crossings", "ordered"]

Rows = list[list[int]]


def crossings(rows: Sequence[Sequence[int]], graph: Layered) -> int:
    """How many pairs of arrows cross between neighbouring rows."""
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


def ordered(graph: Layered) -> Rows:
    """The rows, each from left to right: the best of several sweeps from several starting orders."""
    small = len(graph.layer) + sum(map(len, graph.up)) < 2000
    best: Rows = []
    fewest = -1
    for start in range(8 if small else 2):
        rows = _first(graph, downwards=start % 2 == 0, stride=start // 2)
        least, idle = -1, 0  # of this start
        for sweep in range(30 if small else 10):
            found = crossings(rows, graph)
            if least < 0 or found < least:
                least, idle = found, 0
            if fewest < 0 or found < fewest:
                best, fewest = [list(row) for row in rows], found
            if not fewest:
                return best
            if idle > 7:
                break
            idle += 1
            _sweep(rows, graph, downwards=(sweep + start) % 2 == 0, flip=sweep % 4 > 1)
            if small:
                _swap(rows, graph)
    return best


def _places(rows: Sequence[Sequence[int]], count: int) -> list[int]:
    place = [0] * count
    for row in rows:
        for i, v in enumerate(row):
            place[v] = i
    return place


def _first(graph: Layered, downwards: bool, stride: int) -> Rows:
    """Each row in the order in which a walk along the arrows meets it; another walk for another stride."""
    ahead, behind = (graph.down, graph.up) if downwards else (graph.up, graph.down)
    rows: Rows = [[] for _ in range(graph.height)]
    seen = [False] * len(graph.layer)
    todo = _strided([v for v in reversed(range(len(graph.layer))) if not behind[v]], stride)
    while todo:
        v = todo.pop()
        if not seen[v]:
            seen[v] = True
            rows[graph.layer[v]].append(v)
            todo.extend(w for w in _strided(ahead[v][::-1], stride) if not seen[w])
    return rows


def _strided(members: Sequence[int], stride: int) -> list[int]:
    return sorted(members, key=lambda v: v * 7919 * stride % 104_729) if stride else list(members)


def _sweep(rows: Rows, graph: Layered, downwards: bool, flip: bool) -> None:
    """Sorts each row by the mean place of what it is joined to in the row before (the barycentre)."""
    joined = graph.up if downwards else graph.down
    place = [0.0] * len(graph.layer)
    for row in rows if downwards else reversed(rows):
        for i, v in enumerate(row):
            place[v] = (i + 0.5) / len(row)
        mean = {v: sum(place[u] for u in joined[v]) / len(joined[v]) if joined[v] else place[v] for v in row}
        if flip:
            row.reverse()  # the sort is stable, so this reverses ties
        row.sort(key=mean.__getitem__)
        for i, v in enumerate(row):
            place[v] = (i + 0.5) / len(row)


def _swap(rows: Rows, graph: Layered) -> None:
    """Exchanges neighbours wherever that removes crossings."""
    place = _places(rows, len(graph.layer))
    for _ in range(8):
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
    """How many crossings go when two neighbours with these joins change places."""
    if not left or not right:
        return 0
    ends = sorted(place[q] for q in right)
    return sum(bisect_left(ends, place[p]) + bisect_right(ends, place[p]) - len(ends) for p in left)
