"""Where each box and point stands from left to right: near what it is joined to, long arrows straight."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from bestdo.report.drawing.layers import Layered

__all__ = ["columns", "settled"]

_BETWEEN_BOXES, _BESIDE_BOX, _BETWEEN_POINTS, _BESIDE_BOW = 30.0, 18.0, 12.0, (22.0, 46.0, 34.0)
_MOST_FOR_POINTS = 400.0


def settled(wanted: Sequence[float], weight: Sequence[float], apart: Sequence[float]) -> list[float]:
    """Places in this order, at least `apart` from each to the next, nearest to those wanted (by squares).

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


def columns(rows: Sequence[Sequence[int]], graph: Layered, widths: Sequence[float]) -> list[float]:
    """The middle of each box and point, by passes over the rows; each row is settled given its neighbours."""
    apart = [_distances(row, graph, widths) for row in rows]
    x = [0.0] * len(graph.layer)
    for row, gaps in zip(rows, apart, strict=True):
        at = -sum(gaps) / 2
        for v, gap in zip(row, [*gaps, 0.0], strict=False):
            x[v] = at
            at += gap
    ways = [(True, False), (False, True)] * 4 + [(True, True)] * (10 if len(x) < 5000 else 4)
    for turn, (above, below) in enumerate(ways):
        downwards = turn % 2 == 0
        for r in range(len(rows)) if downwards else reversed(range(len(rows))):
            _settle_row(rows[r], apart[r], graph, x, above, below)
    _straighten(rows, apart, graph, x)
    return x


def _distances(row: Sequence[int], graph: Layered, widths: Sequence[float]) -> list[float]:
    found = []
    points = sum(v >= graph.boxes for v in row)
    between_points = min(_BETWEEN_POINTS, max(3.0, _MOST_FOR_POINTS / max(points, 1)))
    for a, b in itertools.pairwise(row):
        boxes = (a < graph.boxes) + (b < graph.boxes)
        gap = (between_points, _BESIDE_BOX, _BETWEEN_BOXES)[boxes]
        bows = (a in graph.bowed) + (b in graph.bowed)
        if bows:
            gap = _BESIDE_BOW[0 if bows == 2 else 1 + boxes]
        found.append((widths[a] + widths[b]) / 2 + gap)
    return found


def _settle_row(
    row: Sequence[int], apart: list[float], graph: Layered, x: list[float], above: bool, below: bool
) -> None:
    wanted, weight = [], []
    for v in row:
        near = (graph.up[v] if above else ()) + (graph.down[v] if below else ())
        pulls = [_pull(v, u, graph) for u in near]
        total = sum(pulls)
        wanted.append(sum(p * x[u] for p, u in zip(pulls, near, strict=True)) / total if near else x[v])
        weight.append(total if near else 0.05)
    for v, place in zip(row, settled(wanted, weight, apart), strict=True):
        x[v] = place


def _pull(a: int, b: int, graph: Layered) -> float:
    """How much two joined things want to stand above one another: points of one arrow the most."""
    if a in graph.bowed or b in graph.bowed:
        return 4.0 if a in graph.bowed and b in graph.bowed else 0.03
    return (1.0, 2.0, 8.0)[(a >= graph.boxes) + (b >= graph.boxes)]


def _straighten(rows: Sequence[Sequence[int]], apart: list[list[float]], graph: Layered, x: list[float]) -> None:
    """Puts what follows one another exactly above one another, as far as there is room for it."""
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
    if len(run) > 1:
        middle = min(max(sorted(x[v] for v in run)[len(run) // 2], low), high)
        for v in run:
            x[v] = middle


def _threads(graph: Layered) -> list[list[int]]:
    """Boxes and points where each is the only one joined to the next below; the longest first."""
    down = [[w for w in graph.down[v] if w not in graph.bowed or v in graph.bowed] for v in range(len(graph.layer))]
    up = [[u for u in graph.up[v] if u not in graph.bowed or v in graph.bowed] for v in range(len(graph.layer))]
    after = {v: d[0] for v, d in enumerate(down) if len(d) == 1 and up[d[0]] == [v]}
    threads = []
    for v in sorted(set(after) - set(after.values())):
        thread = [v]
        while thread[-1] in after:
            thread.append(after[thread[-1]])
        threads.append(thread)
    return sorted(threads, key=len, reverse=True)
