"""Arrows as SVG: the curve, its heads, and the marks where it is cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from bestdo.report.drawing.routes import Point, Route

__all__ = ["arrow_svg", "number", "stroke_svg"]

_HEAD, _HALF = 9.0, 4.0
_CUT_AT = 20.0


def number(value: float) -> str:
    """A coordinate, to a tenth."""
    text = f"{value:.1f}"
    return "0" if text in ("0.0", "-0.0") else text.removesuffix(".0")


def arrow_svg(route: Route, ends: tuple[str, str], heads: tuple[bool, bool], cut: tuple[bool, bool]) -> str:
    """An arrow between two variables, with what it says when it is pointed at."""
    tail, head = ends
    kind = " ".join(("bd-arrow", *(["bd-both"] if all(heads) else []), *(["bd-cut"] if any(cut) else [])))
    title = f"{tail} {'↔' if all(heads) else '→'} {head}{' (cut)' if any(cut) else ''}"
    return (
        f'<g class="{kind}" data-from="{escape(tail)}" data-to="{escape(head)}">'
        f"<title>{escape(title)}</title>{stroke_svg(route, heads, cut)}</g>"
    )


def stroke_svg(route: Route, heads: tuple[bool, bool], cut: tuple[bool, bool]) -> str:
    """A curve with a head, and a mark if it is cut, at its start and at its end."""
    line, signs = list(route), []
    for at, way in ((0, route), (-1, route[::-1])):
        if heads[at]:
            signs.append(_head(way[0], way[1]))
            line[at] = _towards(way[0], way[1], _HEAD - 2)
    for at, way in ((0, route), (-1, route[::-1])):
        if cut[at]:
            signs.append(_cut(_along(way)))
    return f'<path class="bd-line" d="{_path(line)}"/>{"".join(signs)}'


def _path(points: Sequence[Point]) -> str:
    parts = [f"M{_pair(points[0])}"]
    for i in range(1, len(points), 3):
        before, one, two, to = points[i - 1 : i + 3]
        straight = abs(before.x - to.x) < 0.05 and abs(one.x - to.x) < 0.05
        parts.append(f"V{number(to.y)}" if straight else f"C{_pair(one)} {_pair(two)} {_pair(to)}")
    return "".join(parts)


def _pair(p: Point) -> str:
    return f"{number(p.x)} {number(p.y)}"


def _towards(start: Point, to: Point, distance: float) -> Point:
    far = math.hypot(to.x - start.x, to.y - start.y) or 1.0
    return Point(start.x + (to.x - start.x) / far * distance, start.y + (to.y - start.y) / far * distance)


def _head(tip: Point, steer: Point) -> str:
    """A triangle with its tip on the border, lying along the curve's last direction."""
    base = _towards(tip, steer, _HEAD)
    dx, dy = (base.x - tip.x) / _HEAD * _HALF, (base.y - tip.y) / _HEAD * _HALF
    left, right = Point(base.x - dy, base.y + dx), Point(base.x + dy, base.y - dx)
    return f'<path class="bd-head" d="M{_pair(tip)}L{_pair(left)}L{_pair(right)}Z"/>'


def _along(route: Route) -> Point:
    """The point of a route some way from its start."""
    done, last = 0.0, route[0]
    for i in range(0, len(route) - 1, 3):
        a, b, c, d = route[i : i + 4]
        for step in range(1, 17):
            t = step / 16
            u = 1 - t
            weights = (u**3, 3 * u * u * t, 3 * u * t * t, t**3)
            x = sum(w * p.x for w, p in zip(weights, (a, b, c, d), strict=True))
            y = sum(w * p.y for w, p in zip(weights, (a, b, c, d), strict=True))
            done += math.hypot(x - last.x, y - last.y)
            last = Point(x, y)
            if done >= _CUT_AT:
                return last
    return last


def _cut(at: Point) -> str:
    cross = f"M{number(at.x - 4)} {number(at.y - 4)}l8 8m0-8l-8 8"
    return f'<path class="bd-halo" d="{cross}"/><path class="bd-mark" d="{cross}"/>'
