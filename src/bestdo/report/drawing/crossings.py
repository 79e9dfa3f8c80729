"""The order within each row: few arrows cross."""

from __future__ import annotations

from bisect import bisect_right, insort
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
    """The rows, each from left to right: the best of several sweeps from two starting orders."""
    sweeps = 24 if len(graph.layer) < 1500 else 8
    best: Rows = []
    fewest = -1
    for downwards in (True, False):
        rows = _first(graph, downwards)
        found = crossings(rows, graph)
        idle = 0
        for sweep in range(sweeps + 1):
            if fewest < 0 or found < fewest:
                best, fewest, idle = [list(row) for row in rows], found, 0
            if not fewest or idle > 5 or sweep == sweeps:
                break
            idle += 1
            _sweep(rows, graph, downwards=sweep % 2 == 0, flip=sweep % 4 > 1)
            if len(graph.layer) < 3000:
                _swap(rows, graph)
            found = crossings(rows, graph)
    return best


def _places(rows: Sequence[Sequence[int]], count: int) -> list[int]:
    place = [0] * count
    for row in rows:
        for i, v in enumerate(row):
            place[v] = i
    return place


def _first(graph: Layered, downwards: bool) -> Rows:
    """Each row in the order in which a walk along the arrows meets it."""
    ahead, behind = (graph.down, graph.up) if downwards else (graph.up, graph.down)
    rows: Rows = [[] for _ in range(graph.height)]
    seen = [False] * len(graph.layer)
    todo = [v for v in reversed(range(len(graph.layer))) if not behind[v]]
    while todo:
        v = todo.pop()
        if not seen[v]:
            seen[v] = True
            rows[graph.layer[v]].append(v)
            todo.extend(w for w in reversed(ahead[v]) if not seen[w])
    return rows


def _sweep(rows: Rows, graph: Layered, downwards: bool, flip: bool) -> None:
    """Sorts each row by the mean place of what its members are joined to in the row before (the barycentre)."""
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
    for _ in range(4):
        better = False
        for row in rows:
            for i in range(len(row) - 1):
                a, b = row[i], row[i + 1]
                gain = 0
                for joined in (graph.up, graph.down):
                    for p in joined[a]:
                        for q in joined[b]:
                            gain += (place[p] > place[q]) - (place[p] < place[q])
                if gain > 0:
                    row[i], row[i + 1] = b, a
                    place[a], place[b] = i + 1, i
                    better = True
        if not better:
            break
