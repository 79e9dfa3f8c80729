"""Assigns boxes to rows and adds a point wherever a long arrow passes a row between its ends (Sugiyama et al. 1981).

An arrow with two heads stands for a hidden common cause. Between boxes of different rows it is drawn as a *bow*, a curve
beside the straight way; between boxes of one row as an *arch* above them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Arrow", "LayeredGraph", "assign_rows", "divide_rows", "layered_graph"]

_MOST_POINTS = 30_000
"""The most points of a graph; the longest arrows beyond it are drawn without any. Limits time. Not measured."""
_SHIFTS = 200
"""The most groups of boxes that are moved to shorten arrows. Limits time. Not measured."""
_COMPACT_PASSES = 8
"""The most passes over all boxes to shorten arrows. Limits time. Not measured."""
_BESIDE_BOX = 30.0
"""The space that a box needs beside it, in pixels, when the width of a row is estimated."""
_MUCH_WIDER = 1.25
"""Rows are divided when they are wider than the room by this factor. Chosen by eye."""

_Joins = list[list[tuple[int, int]]]
"""The boxes at the other ends of the arrows of each box, each with the least number of rows between them."""


class Arrow(NamedTuple):
    """An arrow between two boxes, given by their numbers; `both` when it has a head at each end."""

    tail: int
    head: int
    both: bool = False


@dataclass(frozen=True)
class LayeredGraph:
    """Boxes in rows, with a point in every row that an arrow passes; points are numbered after the boxes."""

    boxes: int
    """The number of boxes."""
    layer: tuple[int, ...]
    """The row of each box and point."""
    up: tuple[tuple[int, ...], ...]
    """The neighbours of each box and point in the row above."""
    down: tuple[tuple[int, ...], ...]
    """The neighbours of each box and point in the row below."""
    chains: tuple[tuple[int, ...], ...]
    """The boxes and points of each arrow from top to bottom; an arch has its point in the row above its boxes."""
    bow_points: frozenset[int]
    """The points of arrows with two heads."""

    @property
    def height(self) -> int:
        """The number of rows."""
        return 1 + max(self.layer)


def assign_rows(count: int, arrows: Sequence[Arrow], last: int | None) -> list[int]:
    """The row of each box: causes above effects, short arrows, `last` at the bottom when it causes nothing."""
    pairs = {frozenset((a.tail, a.head)) for a in arrows if a.both}
    into: _Joins = [[] for _ in range(count)]
    out: _Joins = [[] for _ in range(count)]
    for tail, head, both in arrows:
        if not both:
            least = 2 if frozenset((tail, head)) in pairs else 1  # room for the bow beside the arrow
            out[tail].append((head, least))
            into[head].append((tail, least))
    order = _topological(into, out)
    layer = [0] * count
    for v in order:
        layer[v] = max((layer[u] + least for u, least in into[v]), default=0)
    _shift(layer, out)
    _compact(layer, into, out, order, None)
    if last is not None and not out[last]:
        layer[last] = max(layer)
        _compact(layer, into, out, order, last)
    for a in arrows:  # a box with no other arrow stands beside the one that it shares a hidden cause with
        for v, other in ((a.tail, a.head), (a.head, a.tail)):
            if a.both and not into[v] and not out[v]:
                layer[v] = layer[other]
    return _dense(layer, pairs)


def _shift(layer: list[int], out: _Joins) -> None:
    """Moves groups of boxes joined by arrows of the least length towards the side where more of their arrows go."""
    for _ in range(_SHIFTS):
        group = _groups(layer, out)
        slack: dict[int, tuple[list[int], list[int]]] = {}
        for u, heads in enumerate(out):
            for v, least in heads:
                if group[u] != group[v]:
                    slack.setdefault(group[u], ([], []))[0].append(layer[v] - layer[u] - least)
                    slack.setdefault(group[v], ([], []))[1].append(layer[v] - layer[u] - least)
        moved = next((g for g, (down, up) in slack.items() if len(down) != len(up)), None)
        if moved is None:
            break
        down, up = slack[moved]
        step = min(down) if len(down) > len(up) else -min(up)
        for v, g in enumerate(group):
            layer[v] += step if g == moved else 0
    lowest = min(layer)
    layer[:] = [row - lowest for row in layer]


def _groups(layer: list[int], out: _Joins) -> list[int]:
    """The group of each box, boxes joined by arrows of the least length, given by the least number among them."""
    joined: list[list[int]] = [[] for _ in layer]
    for u, heads in enumerate(out):
        for v, least in heads:
            if layer[v] - layer[u] == least:
                joined[u].append(v)
                joined[v].append(u)
    group = [-1] * len(layer)
    for first in range(len(layer)):
        todo = [first] if group[first] < 0 else []
        while todo:
            v = todo.pop()
            if group[v] < 0:
                group[v] = first
                todo += joined[v]
    return group


def _compact(layer: list[int], into: _Joins, out: _Joins, order: list[int], last: int | None) -> None:
    """Moves single boxes, as far as their arrows allow, towards the side with more arrows; `last` never upwards."""
    for _ in range(_COMPACT_PASSES):
        before = list(layer)
        for v in (*reversed(order), *order):
            low = max((layer[u] + least for u, least in into[v]), default=None)
            high = min((layer[w] - least for w, least in out[v]), default=None)
            if high is not None and len(out[v]) > len(into[v]):
                layer[v] = high
            elif low is not None and len(out[v]) < len(into[v]) and v != last:
                layer[v] = low
        if layer == before:
            break


def _topological(into: _Joins, out: _Joins) -> list[int]:
    """The boxes in an order in which causes come before their effects."""
    missing = [len(causes) for causes in into]
    ready = [v for v, m in enumerate(missing) if not m]
    for v in ready:  # the list grows during the loop
        for w, _ in out[v]:
            missing[w] -= 1
            if not missing[w]:
                ready.append(w)
    return ready


def _dense(layer: list[int], pairs: set[frozenset[int]]) -> list[int]:
    """The rows renumbered from 0, without empty ones except where a bow needs one."""
    used = set(layer)
    for ends in ([layer[v] for v in pair] for pair in pairs):
        used |= {min(ends) + 1} if max(ends) > min(ends) + 1 else set()
    number = {row: i for i, row in enumerate(sorted(used))}
    return [number[row] for row in layer]


def layered_graph(layer: Sequence[int], arrows: Sequence[Arrow]) -> LayeredGraph:
    """The graph of boxes in these rows, with a point wherever an arrow passes a row."""
    first = min(layer)
    arch = any(layer[a.tail] == layer[a.head] == first for a in arrows)
    rows = [row - first + arch for row in layer]  # an arch needs a row above the first
    boxes, bow_points = len(rows), set[int]()
    spans = sorted((abs(rows[a.head] - rows[a.tail]), i) for i, a in enumerate(arrows))
    unbroken, points = set[int](), 0
    for span, i in spans:
        points += max(span - 1, 0)
        if points > _MOST_POINTS:
            unbroken.add(i)
    chains: list[tuple[int, ...]] = []
    joints: list[tuple[int, int]] = []  # (upper, lower)
    for i, (tail, head, both) in enumerate(arrows):
        top, bottom = (tail, head) if rows[tail] <= rows[head] else (head, tail)
        passed = range(rows[top] + 1, rows[bottom])
        if rows[top] == rows[bottom]:
            passed = range(rows[top] - 1, rows[top])
        elif i in unbroken:
            passed = range(0)
        new = range(len(rows), len(rows) + len(passed))
        rows.extend(passed)
        chain = (top, *new, bottom)
        chains.append(chain)
        if both:
            bow_points.update(new)
        if rows[top] == rows[bottom]:
            joints += [(chain[1], top), (chain[1], bottom)]
        elif i not in unbroken:
            joints += itertools.pairwise(chain)
    up: list[list[int]] = [[] for _ in rows]
    down: list[list[int]] = [[] for _ in rows]
    for a, b in joints:
        down[a].append(b)
        up[b].append(a)
    return LayeredGraph(
        boxes, tuple(rows), tuple(map(tuple, up)), tuple(map(tuple, down)), tuple(chains), frozenset(bow_points)
    )


def divide_rows(rows: Sequence[Sequence[int]], boxes: int, widths: Sequence[float], room: float) -> list[int] | None:
    """The row of each box after dividing rows that are too wide, neighbours below each other; None where all fit."""
    layer, at, divided = [0] * boxes, 0, False
    for row in rows:
        inside = [v for v in row if v < boxes]
        total = sum(widths[v] + _BESIDE_BOX for v in inside)
        parts = math.ceil(total / room) if total > _MUCH_WIDER * room else 1
        divided |= parts > 1
        for i, v in enumerate(inside):
            layer[v] = at + i % parts
        at += parts
    return layer if divided else None
