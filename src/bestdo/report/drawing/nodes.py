"""Draws a variable as a box with its name, its values, and signs for the reward and for settable variables."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from bestdo.causal.graph import Graph, Variable
from bestdo.report.drawing.lettering import elide, join_values, text_width
from bestdo.report.drawing.routes import Box
from bestdo.report.drawing.strokes import number

__all__ = ["Node", "Remark", "node_of", "node_svg", "star", "switch"]

# In pixels, chosen by eye.
_NAME, _NOTE = 14.0, 11.5
"""The size of the name, and of the line under it; as in `style.py`."""
_HEIGHT, _REMARK, _SIDE, _SIGN = 50.0, 17.0, 16.0, 32.0
"""The height of a box, what a remark adds to it, the space on each side of the text, and the width of a sign."""
_WIDEST_NAME, _WIDEST_NOTE, _WIDEST_SUCCESS = 210.0, 170.0, 100.0
"""The most width for the name, for the line under it, and for the value that is success."""
_NARROWEST = 72.0
"""The least width of a box."""
_FOR_ARROW, _FOR_CORNERS, _WIDEST_FOR_ARROWS = 8.0, 28.0, 440.0
"""The width that an arrow needs where it meets a box, and the corners; and the most that arrows can ask for."""
_MOST_VALUES, _MOST_IN_TITLE = 64, 40
"""The most values that can widen a box, and the most that its title lists."""
_STAR = "M0-7.5 2.2-2.6 7.5-2 3.6 1.6 4.7 6.9 0 4.2-4.7 6.9-3.6 1.6-7.5-2-2.2-2.6Z"


class Remark(NamedTuple):
    """A line of text about a variable, under its values."""

    kind: str
    """`good`, `fair` or `idle`, which decides the colour."""
    text: str


@dataclass(frozen=True)
class Node:
    """The box drawn for a variable."""

    name: str
    label: str
    """The name, shortened where it is long."""
    note: str
    """The line under the name: the values, or what the variable is set to."""
    title: str
    """The text that appears when it is pointed at."""
    marks: tuple[str, ...]
    """The marks that hold, of hidden, settable, reward and set."""
    width: float
    height: float = _HEIGHT
    remark: Remark | None = None


def node_of(
    graph: Graph, variable: Variable, settable: bool, value: str | None, degree: int, remark: Remark | None = None
) -> Node:
    """The box of a variable: `value` is what it is set to, `degree` the number of arrows on the side with more."""
    reward = variable.name == graph.reward
    usual = graph.rewarded.mark(_shortened) if reward else join_values(variable.kind.labels, _WIDEST_NOTE, _NOTE)
    note = usual if value is None else _set_to(value)
    label = elide(variable.name, _WIDEST_NAME, _NAME)
    given = {"hidden": variable.hidden, "settable": settable, "reward": reward, "set": value is not None}
    marks = tuple(mark for mark, present in given.items() if present)
    signs = _SIGN * (reward + ("settable" in marks or "set" in marks))
    notes = [
        note,
        usual,
        *(map(_set_to, variable.values[:_MOST_VALUES]) if settable else ()),
    ]  # setting changes no width
    notes += [remark.text] if remark else []
    text = max(text_width(label, _NAME), *(text_width(n, _NOTE) for n in notes))
    for_arrows = min(_FOR_ARROW * degree + _FOR_CORNERS, _WIDEST_FOR_ARROWS)
    width = max(text + signs + 2 * _SIDE, _NARROWEST, for_arrows)
    height = _HEIGHT + (_REMARK if remark else 0.0)
    return Node(variable.name, label, note, _title(variable, value), marks, round(width), height, remark)


def _shortened(text: str) -> str:
    """A text of the line under the name of the reward."""
    return elide(text, _WIDEST_SUCCESS, _NOTE)


def _set_to(value: str) -> str:
    """The line under the name of a variable that is set."""
    return elide(f"set to {value}", _WIDEST_NOTE, _NOTE)


def _title(variable: Variable, value: str | None) -> str:
    """The text that appears when a variable is pointed at: unit, description, values and what it is set to."""
    unit = f" [{variable.unit}]" if variable.unit else ""
    what = f": {variable.description}" if variable.description else ""
    shown = variable.kind.listed(_MOST_IN_TITLE)
    cut = f", cut at {', '.join(f'{border:g}' for border in variable.cut)}" if variable.cut else ""
    state = f"\nset to {value}" if value is not None else ""
    return f"{variable.name}{unit}{what}\n{'hidden; ' if variable.hidden else ''}{shown}{cut}{state}"


def node_svg(node: Node, box: Box) -> str:
    """The SVG of a variable at its place."""
    w, h = box.width, box.height
    reward, switched = "reward" in node.marks, "set" in node.marks or "settable" in node.marks
    radius = min(h, _HEIGHT) / 2 if reward else 10.0
    up = (h - _HEIGHT) / 2
    parts = [_rectangle("box", w, h, radius)]
    if reward:
        parts.append(_rectangle("rim", w - 7, h - 7, radius - 3.5))
        parts.append(star(-w / 2 + 25, 0))
    if switched:
        parts.append(switch(w / 2 - (31 if reward else 26), 0, "set" in node.marks))
    middle = number(_SIGN / 2 * (reward - switched) * 0.9)
    parts.append(f'<text class="bd-name" x="{middle}" y="{number(-3 - up)}">{escape(node.label)}</text>')
    parts.append(f'<text class="bd-note" x="{middle}" y="{number(14 - up)}">{escape(node.note)}</text>')
    if node.remark:
        kind, text = node.remark
        parts.append(f'<text class="bd-note bd-{kind}" x="{middle}" y="{number(31 - up)}">{escape(text)}</text>')
    kind = " ".join(f"bd-{mark}" for mark in ("node", *node.marks))
    place = f"translate({number(box.x)} {number(box.y)})"
    return (
        f'<g class="{kind}" data-name="{escape(node.name)}" transform="{place}">'
        f"<title>{escape(node.title)}</title>{''.join(parts)}</g>"
    )


def _rectangle(kind: str, width: float, height: float, radius: float) -> str:
    """The SVG of a rounded rectangle around the origin."""
    return (
        f'<rect class="bd-{kind}" x="{number(-width / 2)}" y="{number(-height / 2)}" '
        f'width="{number(width)}" height="{number(height)}" rx="{number(radius)}"/>'
    )


def star(x: float, y: float) -> str:
    """The SVG of the sign of the reward."""
    return f'<path class="bd-star" transform="translate({number(x)} {number(y)})" d="{_STAR}"/>'


def switch(x: float, y: float, on: bool) -> str:
    """The SVG of the sign of a settable variable: a switch, which is on when the variable is set."""
    return (
        f'<rect class="bd-track" x="{number(x - 10)}" y="{number(y - 6)}" width="20" height="12" rx="6"/>'
        f'<circle class="bd-knob" cx="{number(x + (4 if on else -4))}" cy="{number(y)}" r="3.5"/>'
    )
