"""The legend of a drawing: the meaning of the signs that occur in it."""

from __future__ import annotations

from collections.abc import Collection
from html import escape

from bestdo.report.drawing.lettering import elide, text_width
from bestdo.report.drawing.nodes import star, switch
from bestdo.report.drawing.routes import Point
from bestdo.report.drawing.strokes import number, stroke_svg

__all__ = ["legend"]

_SIZE, _LINE, _SWATCH, _BETWEEN = 12.0, 24.0, 46.0, 24.0
"""The size of the text, the height of a line, the width of a sign, and the space between entries, in pixels."""
_WIDEST_ACTION = 260.0
"""The most width for the text of an action, in pixels."""


def legend(present: Collection[str], action: str, room: float) -> tuple[str, float, float]:
    """The SVG of the legend, from its upper left corner, its width and its height; lines are at most `room` wide."""
    words = {
        "reward": "reward",
        "settable": "can be set",
        "set": f"set by {elide(action, _WIDEST_ACTION, _SIZE)}",
        "cut": "arrow cut by setting",
        "hidden": "hidden variable",
        "both": "share a hidden cause",
        "doubt": "in doubt, with its probability",
    }
    parts: list[str] = []
    x = y = right = 0.0
    for mark, text in words.items():
        if mark not in present:
            continue
        wide = _SWATCH + text_width(text, _SIZE)
        if x and x + wide > room:
            x, y = 0.0, y + _LINE
        parts.append(
            f'<g transform="translate({number(x)} {number(y + _LINE / 2)})">{_swatch(mark)}'
            f'<text x="{number(_SWATCH)}" y="4">{escape(text)}</text></g>'
        )
        right = max(right, x + wide)
        x += wide + _BETWEEN
    if not parts:
        return "", 0.0, 0.0
    return "".join(parts), right, y + _LINE


def _swatch(mark: str) -> str:
    """The sign itself."""
    if mark == "reward":
        return star(22, 0)
    if mark == "settable":
        return switch(22, 0, on=False)
    if mark in ("cut", "both", "doubt"):
        line = (Point(-4, 0), Point(9, 0), Point(22, 0), Point(35, 0))
        inner = stroke_svg(line, (mark == "both", True), (False, mark == "cut"))
        return f'<g class="bd-{mark}">{inner}</g>'
    return f'<g class="bd-{mark}"><rect class="bd-box" x="5" y="-8" width="28" height="16" rx="5"/></g>'
