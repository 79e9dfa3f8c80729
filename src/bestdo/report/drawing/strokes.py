"""Draws arrows as SVG: the curve, its heads, and the marks where it is cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from bestdo.report.drawing.routes import Point, Route
from bestdo.text import chance as in_words

__all__ = ["arrow_svg", "middle_of", "number", "stroke_svg"]

_HEAD, _HALF = 9.0, 4.0
"""The length and half the width of an arrow's head, in pixels."""
_CUT_AT = 20.0
"""The distance from its end at which an arrow is marked as cut, in pixels."""
_STEPS = 16
"""Into how many lines a curve is divided to measure its length."""
_STRAIGHT = 0.05
"""A curve that moves less than this to the side is written as a line: coordinates are written to a tenth."""


def number(value: float) -> str:
    """A coordinate as text, to a tenth of a pixel."""
    text = f"{value:.1f}"
    return "0" if text in ("0.0", "-0.0") else text.removesuffix(".0")


def arrow_svg(
    route: Route, ends: tuple[str, str], heads: tuple[bool, bool], cut: tuple[bool, bool], chance: float | None = None
) -> str:
    """The SVG of an arrow between two variables, with a title for when it is pointed at; `chance` is that of a doubt."""
    tail, head = ends
    doubtful = chance is not None
    marks = {"bd-both": all(heads), "bd-cut": any(cut), "bd-doubt": doubtful}
    kind = " ".join(("bd-arrow", *(mark for mark, is_so in marks.items() if is_so)))
    sign = "↔" if all(heads) else "→" if heads[1] else "←" if heads[0] else "–"
    title = f"{tail} {sign} {head}{' (cut)' if any(cut) else ''}"
    said = ""
    if chance is not None:
        title += f", in doubt: probability {in_words(chance)}"
        at = middle_of(route)
        said = f'<text class="bd-chance" x="{number(at.x)}" y="{number(at.y + 4)}">{escape(in_words(chance))}</text>'
    return (
        f'<g class="{kind}" data-from="{escape(tail)}" data-to="{escape(head)}">'
        f"<title>{escape(title)}</title>{stroke_svg(route, heads, cut)}{said}</g>"
    )


def middle_of(route: Route) -> Point:
    """The point in the middle of a route, by its pieces."""
    pieces = (len(route) - 1) // 3
    first = 3 * (pieces // 2)
    if pieces % 2 == 0:
        return route[first]
    a, b, c, d = route[first : first + 4]
    return Point((a.x + 3 * b.x + 3 * c.x + d.x) / 8, (a.y + 3 * b.y + 3 * c.y + d.y) / 8)


def stroke_svg(route: Route, heads: tuple[bool, bool], cut: tuple[bool, bool]) -> str:
    """The SVG of a curve, with a head and the mark of a cut where they are wanted at its start and its end."""
    line, signs = list(route), []
    for at, way in ((0, route), (-1, route[::-1])):
        if heads[at]:
            signs.append(_head(way[0], way[1]))
            line[at] = _towards(way[0], way[1], _HEAD - 2)
    for at, way in ((0, route), (-1, route[::-1])):
        if cut[at]:
            signs.append(_cut(_point_along(way)))
    return f'<path class="bd-line" d="{_path(line)}"/>{"".join(signs)}'


def _path(points: Sequence[Point]) -> str:
    """The path data of a route."""
    parts = [f"M{_pair(points[0])}"]
    for i in range(1, len(points), 3):
        before, one, two, to = points[i - 1 : i + 3]
        straight = abs(before.x - to.x) < _STRAIGHT and abs(one.x - to.x) < _STRAIGHT
        parts.append(f"V{number(to.y)}" if straight else f"C{_pair(one)} {_pair(two)} {_pair(to)}")
    return "".join(parts)


def _pair(p: Point) -> str:
    """The coordinates of a point as text."""
    return f"{number(p.x)} {number(p.y)}"


def _towards(start: Point, to: Point, distance: float) -> Point:
    """The point at this distance from the start in the direction of another point."""
    far = math.hypot(to.x - start.x, to.y - start.y) or 1.0
    return Point(start.x + (to.x - start.x) / far * distance, start.y + (to.y - start.y) / far * distance)


def _head(tip: Point, steer: Point) -> str:
    """The SVG of an arrow's head: a triangle with its tip here, pointing away from the control point of the curve."""
    base = _towards(tip, steer, _HEAD)
    dx, dy = (base.x - tip.x) / _HEAD * _HALF, (base.y - tip.y) / _HEAD * _HALF
    left, right = Point(base.x - dy, base.y + dx), Point(base.x + dy, base.y - dx)
    return f'<path class="bd-head" d="M{_pair(tip)}L{_pair(left)}L{_pair(right)}Z"/>'


def _point_along(route: Route) -> Point:
    """The point of a route at the distance `_CUT_AT` from its start."""
    done, last = 0.0, route[0]
    for i in range(0, len(route) - 1, 3):
        a, b, c, d = route[i : i + 4]
        for step in range(1, _STEPS + 1):
            t = step / _STEPS
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
    """The SVG of the mark of a cut: a cross."""
    cross = f"M{number(at.x - 4)} {number(at.y - 4)}l8 8m0-8l-8 8"
    return f'<path class="bd-halo" d="{cross}"/><path class="bd-mark" d="{cross}"/>'
