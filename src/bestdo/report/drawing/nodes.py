"""A variable as a box: its name, what it can be, and the signs of what it is."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from bestdo.causal.graph import Graph, Variable
from bestdo.report.drawing.lettering import elided, listed, measured
from bestdo.report.drawing.routes import Box
from bestdo.report.drawing.strokes import number

__all__ = ["Node", "Remark", "node_of", "node_svg", "star", "switch"]

_NAME, _NOTE = 14.0, 11.5
_HEIGHT, _REMARK, _SIDE, _SIGN = 50.0, 17.0, 16.0, 32.0
_WIDEST_NAME, _WIDEST_NOTE = 210.0, 170.0
_STAR = "M0-7.5 2.2-2.6 7.5-2 3.6 1.6 4.7 6.9 0 4.2-4.7 6.9-3.6 1.6-7.5-2-2.2-2.6Z"


class Remark(NamedTuple):
    """A word more about a variable, under its values."""

    kind: str
    """`good`, `fair` or `idle`: its colour."""
    text: str


@dataclass(frozen=True)
class Node:
    """What is drawn for a variable."""

    name: str
    label: str
    note: str
    title: str
    marks: tuple[str, ...]
    """Of hidden, settable, reward, set."""
    width: float
    height: float = _HEIGHT
    remark: Remark | None = None


def node_of(
    graph: Graph, variable: Variable, settable: bool, value: str | None, degree: int, remark: Remark | None = None
) -> Node:
    """The box of a variable that has so many arrows on its busier side; `value` is what it is set to."""
    reward = variable.name == graph.reward
    usual = listed(variable.values, _WIDEST_NOTE, _NOTE)
    if reward:
        usual = f"reward: {elided(graph.success or '', 100.0, _NOTE)} = success"
    note = usual if value is None else _set_to(value)
    label = elided(variable.name, _WIDEST_NAME, _NAME)
    given = {"hidden": variable.hidden, "settable": settable, "reward": reward, "set": value is not None}
    marks = tuple(mark for mark, present in given.items() if present)
    signs = _SIGN * (reward + ("settable" in marks or "set" in marks))
    notes = [note, usual, *(map(_set_to, variable.values[:64]) if settable else ())]  # setting moves no box
    notes += [remark.text] if remark else []
    text = max(measured(label, _NAME), *(measured(n, _NOTE) for n in notes))
    width = max(text + signs + 2 * _SIDE, 72.0, min(8.0 * degree + 28.0, 440.0))
    height = _HEIGHT + (_REMARK if remark else 0.0)
    return Node(variable.name, label, note, _title(variable, value), marks, round(width), height, remark)


def _set_to(value: str) -> str:
    return elided(f"set to {value}", _WIDEST_NOTE, _NOTE)


def _title(variable: Variable, value: str | None) -> str:
    """What is said of a variable when it is pointed at."""
    unit = f" [{variable.unit}]" if variable.unit else ""
    what = f": {variable.description}" if variable.description else ""
    shown = ", ".join(variable.values[:40]) + (", …" if len(variable.values) > 40 else "")
    state = f"\nset to {value}" if value is not None else ""
    return f"{variable.name}{unit}{what}\n{'hidden; ' if variable.hidden else ''}values: {shown}{state}"


def node_svg(node: Node, box: Box) -> str:
    """The box where it stands."""
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
    return (
        f'<rect class="bd-{kind}" x="{number(-width / 2)}" y="{number(-height / 2)}" '
        f'width="{number(width)}" height="{number(height)}" rx="{number(radius)}"/>'
    )


def star(x: float, y: float) -> str:
    """The sign of the reward."""
    return f'<path class="bd-star" transform="translate({number(x)} {number(y)})" d="{_STAR}"/>'


def switch(x: float, y: float, on: bool) -> str:
    """The sign of what can be set; its knob is on the right when it is."""
    return (
        f'<rect class="bd-track" x="{number(x - 10)}" y="{number(y - 6)}" width="20" height="12" rx="6"/>'
        f'<circle class="bd-knob" cx="{number(x + (4 if on else -4))}" cy="{number(y)}" r="3.5"/>'
    )
